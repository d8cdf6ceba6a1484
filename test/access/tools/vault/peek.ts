import * as v from "valibot";
import { defineTool } from "#tool";
import { ran } from "./_ran.ts";

export default defineTool({
  version: "1.0.0",
  description: "Says who looks.",
  env: ["COUNTER"],
  input: v.object({ note: v.pipe(v.optional(v.string()), v.description("Returned as it is.")) }),
  async run({ note }, ctx) {
    await ran("vault.peek", ctx);
    const { id, scopes } = ctx.principal;
    return { principal: id, scopes: scopes === "all" ? ["*"] : [...scopes], note: note ?? null };
  },
});
