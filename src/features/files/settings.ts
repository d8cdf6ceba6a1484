/** Reads the settings of files, as src/settings.ts reads the others. Forks without files do not read these. */
import { settingsReader } from "../../settings-reader.ts";

const YEAR_SECONDS = 31_536_000;
const WEEK_SECONDS = 604_800;

/** @param env variables and secrets by name; "" counts as unset */
export function readFileSettings(env: Readonly<Record<string, unknown>>) {
  const { number, isOn, read } = settingsReader(env);
  return read({
    filesPerPrincipal: number("FILES_PER_PRINCIPAL", 100, "files", 10_000),
    /** How long a file is kept after it was uploaded. */
    keepSeconds: number("FILE_TTL_SECONDS", 86_400, "seconds", YEAR_SECONDS, 60),
    /** How long an upload URL is valid. */
    uploadSeconds: number("UPLOAD_SECONDS", 900, "seconds", WEEK_SECONDS, 10),
    /** The largest file. Cloudflare's limits for a request's body: 100 MB on most plans, up to 500 MB on others. */
    maxBytes: number("MAX_FILE_BYTES", 100_000_000, "bytes", 500_000_000),
    /** Whether callers without a credential of their own may upload files. */
    takesFromAnyone: isOn("PUBLIC_UPLOADS"),
  });
}

export type FileSettings = ReturnType<typeof readFileSettings>["settings"];
