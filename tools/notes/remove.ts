import * as v from "valibot";
import { defineTool, ToolError } from "#tool";
import { readNotebook, requireSession, writeNotebook } from "./_notes.ts";

export default defineTool({
  version: "1.0.0",
  description: "Forgets one note of this session.",
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: false },
  input: v.object({
    id: v.pipe(v.number(), v.integer(), v.description("Number of the note, as Notes.Add and Notes.List give it.")),
  }),
  output: v.object({
    count: v.pipe(v.number(), v.integer(), v.description("How many notes are left.")),
  }),
  async run({ id }, ctx) {
    const session = requireSession(ctx.session);
    const { next, notes } = await readNotebook(session);
    const left = notes.filter((note) => note.id !== id);
    if (left.length === notes.length) {
      throw new ToolError(`There is no note ${id}`, {
        canRetry: true,
        additionalPromptContent:
          notes.length === 0 ? "there are no notes" : `ids: ${notes.map((note) => note.id).join(",")}`,
      });
    }
    await writeNotebook(session, { next, notes: left });
    return { count: left.length };
  },
});
