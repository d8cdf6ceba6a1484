/** The store of files of this deployment. Imports nothing of Cloudflare, because tests in Node load it. */
import type { Runtime } from "../../../core/ports/runtime.ts";
import { readFileSettings } from "../settings.ts";
import type { FileRecords } from "./records.ts";
import { FileStore } from "./store.ts";

/** @returns undefined if the deployment lacks a binding of files */
export function storeIn({ binding, signer }: Pick<Runtime, "binding" | "signer">): FileStore | undefined {
  const bucket = binding("FILES") as R2Bucket | undefined;
  const records = binding("FILE_RECORDS") as DurableObjectNamespace<FileRecords> | undefined;
  if (!bucket || !records) return undefined;
  const { names } = readFileSettings({});
  const { settings } = readFileSettings(Object.fromEntries(names.map((name) => [name, binding(name)])));
  return new FileStore({ bucket, records, signer, settings });
}
