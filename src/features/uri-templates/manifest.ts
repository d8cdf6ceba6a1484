import type { Manifest } from "../manifest.ts";

/** Operators in the URIs of resources (docs/resources.md, URIs with a path or a query). */
export const manifest: Manifest = {
  name: "uri-templates",
  usedBy: ({ resources }) => resources.some(({ pattern }) => pattern),
};
