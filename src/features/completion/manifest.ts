import type { Manifest } from "../manifest.ts";

/** Suggestions for what a person types (docs/resources.md). */
export const manifest: Manifest = {
  name: "completion",
  usedBy: ({ prompts, resources }) =>
    prompts.some(({ about }) => about.arguments.length > 0) || resources.some(({ uri }) => uri.includes("{")),
};
