import { defineResource } from "#tool";
import { PNG } from "../content/_media.ts";

export default defineResource({
  uri: "test://static-binary",
  name: "Static picture",
  description: "A picture of one pixel.",
  mimeType: "image/png",
  read: () => Uint8Array.from(atob(PNG), (letter) => letter.charCodeAt(0)),
});
