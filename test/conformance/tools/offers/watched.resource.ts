import { defineResource } from "#tool";

export default defineResource({
  uri: "test://watched-resource",
  name: "Watched resource",
  description: "A text to be watched for changes.",
  mimeType: "text/plain",
  read: () => "Nothing has changed yet.",
});
