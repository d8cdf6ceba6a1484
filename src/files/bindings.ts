/** The bindings and settings of files. Imports no other wiring, because the generated modules import this. */
import { env } from "cloudflare:workers";
import type { FileRecords } from "./records.ts";
import { readFileSettings } from "./settings.ts";

const variables = env as unknown as Record<string, unknown>;

/** Discovery refuses the mistakes in wrangler.toml. A secret may still have a name of these. */
export const { settings: fileSettings, mistakes: fileMistakes } = readFileSettings(variables);

/** Optional: without both, no file can be attached. */
export const FILES = variables.FILES as R2Bucket | undefined;
export const FILE_RECORDS = variables.FILE_RECORDS as DurableObjectNamespace<FileRecords> | undefined;
