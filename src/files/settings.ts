/** Reads the settings of files, as src/settings.ts reads the others. Forks without files do not read these. */
import { numberSettings } from "../number-settings.ts";
import type { SettingsRead } from "../settings.ts";

export interface FileSettings {
  /** How many files a principal may have. */
  readonly filesPerPrincipal: number;
  /** How long a file is kept after it was uploaded. */
  readonly keepSeconds: number;
  /** How long an upload URL is valid. */
  readonly uploadSeconds: number;
  /** The largest file, in bytes. */
  readonly maxBytes: number;
}

export type FileSettingsRead = Omit<SettingsRead, "settings"> & { readonly settings: FileSettings };

const YEAR_SECONDS = 31_536_000;
const WEEK_SECONDS = 604_800;

/** @param env variables and secrets by name; "" counts as unset */
export function readFileSettings(env: Readonly<Record<string, unknown>>): FileSettingsRead {
  const { number, mistakes, names } = numberSettings(env);
  const settings: FileSettings = {
    filesPerPrincipal: number("FILES_PER_PRINCIPAL", 100, "files", 10_000),
    keepSeconds: number("FILE_TTL_SECONDS", 86_400, "seconds", YEAR_SECONDS, 60),
    uploadSeconds: number("UPLOAD_SECONDS", 900, "seconds", WEEK_SECONDS, 10),
    // Cloudflare's limits for a request's body: 100 MB on most plans, up to 500 MB on others.
    maxBytes: number("MAX_FILE_BYTES", 100_000_000, "bytes", 500_000_000),
  };
  return { settings, mistakes, names };
}
