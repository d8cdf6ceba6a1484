/** A tool that only reads the session. */
import * as v from "valibot";
import { defineTool } from "#tool";
import { openNotebook } from "./_notes.ts";

export default defineTool({
  version: "1.0.0",
  session: true,
  description: "Lists the notes of this session, oldest first.",
  annotations: { readOnly: true, openWorld: false },
  output: v.object({ notes: v.array(v.object({ id: v.number(), text: v.string() })) }),
  async run(_, ctx) {
    const { notes } = await openNotebook(ctx.session);
    return { notes };
  },
});
