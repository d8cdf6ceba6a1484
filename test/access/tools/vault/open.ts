import { defineTool } from "#tool";
import { ran } from "./_ran.ts";

export default defineTool({
  version: "2.0.0",
  description: "Opens the vault.",
  scopes: ["vault:open"],
  env: ["COUNTER"],
  async run(_, ctx) {
    await ran("vault.open", ctx);
    return { opened: true };
  },
});
