/** A tool that keeps something in the session, and emits an event (docs/data.md, docs/events.md). */
import * as v from "valibot";
import { defineTool, ToolError } from "#tool";
import { openNotebook } from "./_notes.ts";
import changed from "./changed.event.ts";

const MAX_NOTES = 100;
const MAX_CHARACTERS = 2_000;

export default defineTool({
  version: "1.0.0",
  session: true,
  description: "Remembers a short note until the end of the session, for later steps.",
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  input: v.object({ text: v.pipe(v.string(), v.description("What to remember.")) }),
  output: v.object({ id: v.number(), count: v.number() }),
  async run({ text }, ctx) {
    const { next, notes, save } = await openNotebook(ctx.session);
    if (text === "" || text.length > MAX_CHARACTERS || notes.length >= MAX_NOTES) {
      throw new ToolError(`A session holds at most ${MAX_NOTES} notes of 1 to ${MAX_CHARACTERS} characters`);
    }
    await save(next + 1, [...notes, { id: next, text }]);
    const count = notes.length + 1;
    await ctx.emit(changed, { change: "added", id: next, count });
    return { id: next, count };
  },
});
