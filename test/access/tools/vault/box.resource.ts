import { defineResource } from "#tool";
import { ran } from "./_ran.ts";

export default defineResource({
  uri: "vault://boxes/{box}",
  description: "One box of the vault.",
  env: ["COUNTER"],
  complete: { box: () => ["red", "green"] },
  async read({ box }, ctx) {
    await ran("vault.box", ctx);
    return `In ${box} is gold.`;
  },
});
