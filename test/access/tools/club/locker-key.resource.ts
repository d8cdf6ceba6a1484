import { defineResource } from "#tool";

export default defineResource({
  uri: "club://lockers/{id}/key",
  description: "The key of a locker.",
  scopes: ["club:read", "club:write"],
  read: ({ id }) => `the key of ${id}`,
});
