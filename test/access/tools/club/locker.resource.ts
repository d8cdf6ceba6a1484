import { defineResource } from "#tool";

/** Demands nothing. The URIs of the templates beside it fit it too, and are not its own. */
export default defineResource({
  uri: "club://lockers/{id}/{item}",
  description: "What lies open in a locker.",
  read: ({ id, item }) => `${item} of ${id}`,
});
