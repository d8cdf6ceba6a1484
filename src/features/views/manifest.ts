import type { Manifest } from "../manifest.ts";

/** Pages that hosts show beside a result (docs/views.md). */
export const manifest: Manifest = {
  name: "views",
  usedBy: ({ views, tools }) => views.length > 0 || tools.some(({ visibility }) => visibility),
};
