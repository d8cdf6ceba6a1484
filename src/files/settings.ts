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
  /** The largest file that passes through the Worker, in bytes. */
  readonly maxBytes: number;
  /** The largest file that goes straight to R2, in bytes. */
  readonly maxDirectBytes: number;
  /** The account whose S3 API takes larger files; undefined if there is none. */
  readonly direct: DirectSettings | undefined;
}

/** For the S3 API of R2. */
export interface DirectSettings {
  readonly accountId: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export type FileSettingsRead = Omit<SettingsRead, "settings"> & { readonly settings: FileSettings };

const YEAR_SECONDS = 31_536_000;
const WEEK_SECONDS = 604_800;
const DIRECT = ["R2_ACCOUNT_ID", "R2_BUCKET", "R2_ACCESS_KEY_ID", "R2_SECRET_ACCESS_KEY"] as const;

/** @param env variables and secrets by name; "" counts as unset */
export function readFileSettings(env: Readonly<Record<string, unknown>>): FileSettingsRead {
  const { number, mistakes, names } = numberSettings(env);
  const [accountId = "", bucket = "", accessKeyId = "", secretAccessKey = ""] = DIRECT.map((name) =>
    typeof env[name] === "string" ? env[name] : "",
  );
  const settings: FileSettings = {
    filesPerPrincipal: number("FILES_PER_PRINCIPAL", 100, "files", 10_000),
    keepSeconds: number("FILE_TTL_SECONDS", 86_400, "seconds", YEAR_SECONDS, 60),
    // A signature of the S3 API is valid for a week at most.
    uploadSeconds: number("UPLOAD_SECONDS", 900, "seconds", WEEK_SECONDS, 10),
    // Cloudflare's limits for a request's body: 100 MB on most plans, up to 500 MB on others.
    maxBytes: number("MAX_FILE_BYTES", 100_000_000, "bytes", 500_000_000),
    // One request of the S3 API takes at most 5 GiB.
    maxDirectBytes: number("MAX_DIRECT_FILE_BYTES", 1_000_000_000, "bytes", 5_000_000_000),
    direct:
      accountId && bucket && accessKeyId && secretAccessKey
        ? { accountId, bucket, accessKeyId, secretAccessKey }
        : undefined,
  };
  return { settings, mistakes, names: [...names, ...DIRECT] };
}
