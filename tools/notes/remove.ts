/** A tool that changes the session. Its error lists what there is, so that a model can correct its call. */
import * as v from "valibot";
import { defineTool, ToolError } from "#tool";
import { openNotebook } from "./_notes.ts";
import changed from "./changed.event.ts";

export default defineTool({
  version: "1.0.0",
  session: true,
  description: "Forgets one note of this session.",
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  input: v.object({ id: v.pipe(v.number(), v.description("Number of the note.")) }),
  output: v.object({ count: v.number() }),
  async run({ id }, ctx) {
    const { next, notes, save } = await openNotebook(ctx.session);
    const left = notes.filter((note) => note.id !== id);
    if (left.length === notes.length) {
      throw new ToolError(`There is no note ${id}`, {
        canRetry: true,
        additionalPromptContent: `ids: ${notes.map((note) => note.id).join() || "none"}`,
      });
    }
    await save(next, left);
    await ctx.emit(changed, { change: "removed", id, count: left.length });
    return { count: left.length };
  },
});
