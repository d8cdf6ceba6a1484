import type { Manifest } from "../manifest.ts";

/** Resources, which a client reads by URI: those of tools/, the files of skills, and views. */
export const manifest: Manifest = {
  name: "resources",
  usedBy: ({ resources, skills, views }) => [resources, skills, views].some(({ length }) => length > 0),
};
