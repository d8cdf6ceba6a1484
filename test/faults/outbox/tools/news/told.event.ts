import * as v from "valibot";
import { defineEvent } from "#tool";

export default defineEvent({
  name: "news.told",
  description: "Somebody has told something.",
  input: v.object({ list: v.optional(v.pipe(v.string(), v.description("Only what was told to this list."))) }),
  payload: v.object({ n: v.number(), list: v.string() }),
});
