import { defineResource } from "#tool";

export default defineResource({
  uri: "test://static-text",
  name: "Static text",
  description: "A text that never changes.",
  mimeType: "text/plain",
  read: () => "This is the text of a resource.",
});
