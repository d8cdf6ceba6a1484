import type { Manifest } from "../manifest.ts";
import { readFileSettings } from "./settings.ts";

/** Files that callers attach, and that tools ask for (docs/files.md). */
export const manifest: Manifest = {
  name: "files",
  usedBy: ({ settings: { bound } }) => bound.has("FILES") || bound.has("FILE_RECORDS"),
  bindings: { FILES: "bucket", FILE_RECORDS: { object: "FileRecords" } },
  classes: { FileRecords: { file: "store/records.ts" } },
  readSettings: readFileSettings,
};
