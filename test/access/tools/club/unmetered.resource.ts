import { defineResource } from "#tool";

export default defineResource({
  uri: "club://unmetered/{what}",
  description: "May be read as often as a limiter says that nobody set up.",
  rate: 7,
  complete: { what: () => ["this", "that"] },
  read: () => "Never.",
});
