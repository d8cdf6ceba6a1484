import { defineResource } from "#tool";

/** Called as a tool is, to see that they are counted each by itself. */
export default defineResource({
  uri: "club://rare/{what}",
  name: "Shop.Rare",
  description: "May be read ten times a minute.",
  rate: 10,
  complete: { what: () => ["this", "that"] },
  read: () => "Seldom.",
});
