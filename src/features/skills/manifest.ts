import type { Manifest } from "../manifest.ts";

/** Files that tell a model how to do a job (docs/listings.md). */
export const manifest: Manifest = {
  name: "skills",
  usedBy: ({ skills }) => skills.length > 0,
};
