import type { Manifest } from "../manifest.ts";

/** Prompts, which a person picks (docs/resources.md, Prompts). */
export const manifest: Manifest = {
  name: "prompts",
  usedBy: ({ prompts }) => prompts.length > 0,
};
