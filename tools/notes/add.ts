import * as v from "valibot";
import { defineTool, ToolError } from "#tool";
import { MAX_CHARACTERS, MAX_NOTES, readNotebook, requireSession, writeNotebook } from "./_notes.ts";

export default defineTool({
  version: "1.0.0",
  description:
    "Remembers a short note until the end of the session. Use it for facts and decisions that later steps need.",
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: v.object({
    text: v.pipe(v.string(), v.nonEmpty(), v.maxLength(MAX_CHARACTERS), v.description("What to remember.")),
  }),
  output: v.object({
    id: v.pipe(v.number(), v.integer(), v.description("Number of the note, for Notes.Remove.")),
    count: v.pipe(v.number(), v.integer(), v.description("How many notes there are now.")),
  }),
  async run({ text }, ctx) {
    const session = requireSession(ctx.session);
    const { next, notes } = await readNotebook(session);
    if (notes.length >= MAX_NOTES) {
      throw new ToolError(`There are ${MAX_NOTES} notes already, and no room for more`, {
        additionalPromptContent: "remove notes that are no longer needed, with Notes.Remove",
      });
    }
    await writeNotebook(session, { next: next + 1, notes: [...notes, { id: next, text }] });
    return { id: next, count: notes.length + 1 };
  },
});
