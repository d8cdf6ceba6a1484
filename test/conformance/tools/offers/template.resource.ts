import { defineResource } from "#tool";

export default defineResource({
  uri: "test://template/{id}/data",
  name: "Data by id",
  description: "What is known of one id.",
  mimeType: "application/json",
  read: ({ id }) => JSON.stringify({ id, data: `What is known of ${id}` }),
});
