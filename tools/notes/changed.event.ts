/** An event, to which callers subscribe (docs/events.md). The tools emit it. */
import * as v from "valibot";
import { defineEvent } from "#tool";

export default defineEvent({
  name: "notes.changed",
  description: "A note was added to a session of yours, or removed from it.",
  input: v.object({
    change: v.optional(v.pipe(v.picklist(["added", "removed"]), v.description("Only these changes."))),
  }),
  payload: v.object({ change: v.picklist(["added", "removed"]), id: v.number(), count: v.number() }),
});
