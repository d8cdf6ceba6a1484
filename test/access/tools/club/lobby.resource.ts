import { defineResource } from "#tool";

export default defineResource({
  uri: "club://lobby/{guest}",
  description: "Who waits in the lobby: anyone may ask.",
  read: ({ guest }) => `${guest} waits.`,
});
