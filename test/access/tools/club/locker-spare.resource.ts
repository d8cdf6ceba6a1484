import { defineResource } from "#tool";

/** Sorts after the template that demands nothing. */
export default defineResource({
  uri: "club://lockers/{id}/~spare",
  description: "The spare key of a locker.",
  scopes: ["club:read", "club:write"],
  read: ({ id }) => `the spare key of ${id}`,
});
