import * as v from "valibot";
import { defineTool } from "#tool";
import { readNotebook, requireSession } from "./_notes.ts";

export default defineTool({
  version: "1.0.0",
  description: "Lists the notes that were remembered in this session, oldest first.",
  annotations: { readOnly: true, openWorld: false },
  output: v.object({
    notes: v.pipe(
      v.array(
        v.object({
          id: v.pipe(v.number(), v.integer(), v.description("Number of the note, for Notes.Remove.")),
          text: v.pipe(v.string(), v.description("What was remembered.")),
        }),
      ),
      v.description("All notes of the session."),
    ),
  }),
  async run(_, ctx) {
    const { notes } = await readNotebook(requireSession(ctx.session));
    return { notes };
  },
});
