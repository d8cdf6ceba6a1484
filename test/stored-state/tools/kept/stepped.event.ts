import * as v from "valibot";
import { defineEvent } from "#tool";

export default defineEvent({
  name: "kept.stepped",
  description: "A step was done.",
  payload: v.object({ token: v.string() }),
});
