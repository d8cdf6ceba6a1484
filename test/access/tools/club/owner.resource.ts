import { defineResource } from "#tool";

/** Spelled out beside a template that its URI fits too, and that demands nothing. */
export default defineResource({
  uri: "club://lobby/h%C3%B4te",
  description: "What the owner waits for.",
  scopes: ["club:read", "club:write"],
  read: () => "For the end of the day.",
});
