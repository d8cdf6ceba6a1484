import { defineResource } from "#tool";
import { ran } from "./_ran.ts";

export default defineResource({
  uri: "vault://ledger",
  description: "What is in the vault.",
  env: ["COUNTER"],
  async read(_, ctx) {
    await ran("vault.ledger", ctx);
    return "gold";
  },
});
