import type { Manifest } from "../manifest.ts";

/** Attachments of calls. A deployment that stores no files refuses them (docs/files.md). */
export const manifest: Manifest = {
  name: "attachments",
  usedBy: ({ settings: { bound }, tools }) =>
    bound.has("FILES") || bound.has("FILE_RECORDS") || tools.some(({ options }) => options.attachments),
};
