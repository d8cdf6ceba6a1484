import { defineResource } from "#tool";
import { ran } from "../vault/_ran.ts";

export default defineResource({
  uri: "club://rooms/{room}",
  description: "Who is in a room.",
  scopes: ["club:read", "club:write"],
  env: ["COUNTER"],
  complete: {
    async room(_prefix, _others, ctx) {
      await ran("club.room.completed", ctx);
      return ["red", "green"];
    },
  },
  async read({ room }, ctx) {
    await ran("club.room", ctx);
    return `Nobody is in ${room}.`;
  },
});
