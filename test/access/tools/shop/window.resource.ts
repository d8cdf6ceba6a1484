import { defineResource } from "#tool";

export default defineResource({
  uri: "shop://window",
  description: "What the shop shows.",
  read: () => "shoes",
});
