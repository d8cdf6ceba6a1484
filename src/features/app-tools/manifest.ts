import type { Manifest } from "../manifest.ts";

/** Tools that only views may call (docs/views.md). */
export const manifest: Manifest = {
  name: "app-tools",
  usedBy: ({ tools }) => tools.some(({ options }) => options.appOnly),
};
