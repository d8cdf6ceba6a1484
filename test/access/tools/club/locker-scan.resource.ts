import { defineResource } from "#tool";

export default defineResource({
  uri: "club://lockers/{id}/{item}.scan?as=text",
  description: "What a scan of an item in a locker shows.",
  scopes: ["club:read", "club:write"],
  read: ({ id, item }) => `the scan of ${item} of ${id}`,
});
