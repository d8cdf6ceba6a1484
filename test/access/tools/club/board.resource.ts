import { defineResource } from "#tool";
import { ran } from "../vault/_ran.ts";

export default defineResource({
  uri: "club://board",
  description: "What members are told.",
  scopes: ["club:read", "club:write"],
  env: ["COUNTER"],
  async read(_, ctx) {
    await ran("club.board", ctx);
    return "Closed on Mondays.";
  },
});
