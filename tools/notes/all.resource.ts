/** A resource: what a client reads without calling a tool (docs/tools.md, Resources). */
import { defineResource } from "#tool";
import { openNotebook } from "./_notes.ts";

export default defineResource({
  uri: "notes://all",
  title: "Notes",
  description: "The notes of this session, one per line.",
  mimeType: "text/plain",
  async read(_, ctx) {
    if (ctx.session === undefined) return "";
    const { notes } = await openNotebook(ctx.session);
    return notes.map(({ id, text }) => `${id}. ${text}`).join("\n");
  },
});
