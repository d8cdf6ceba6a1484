/**
 * Gives the runtime its store of files. Only code generated for a fork with files imports it. Imports nothing of
 * Cloudflare, because whatever imports `#parts` loads it, in Node too.
 */
import type { Runtime } from "../../core/ports/runtime.ts";
import { readFileSettings } from "./settings.ts";
import type { FileRecords } from "./store/records.ts";
import { FileStore } from "./store/store.ts";

type Equip = (runtime: Runtime) => Runtime;

/** @param equip adds what other features add */
export function equipWithFiles(equip: Equip): Equip {
  return (runtime) => {
    const equipped = equip(runtime);
    return { ...equipped, files: storeFor(equipped) };
  };
}

/** @returns undefined if the deployment lacks a binding of files */
export function storeFor({ binding, signer }: Pick<Runtime, "binding" | "signer">): FileStore | undefined {
  const bucket = binding("FILES") as R2Bucket | undefined;
  const records = binding("FILE_RECORDS") as DurableObjectNamespace<FileRecords> | undefined;
  if (!bucket || !records) return undefined;
  return new FileStore({ bucket, records, signer, settings: fileSettings({ binding }).settings });
}

/** Discovery refuses mistakes in wrangler.toml. A secret may still have the name of a setting. */
export function fileSettings({ binding }: Pick<Runtime, "binding">) {
  const { names } = readFileSettings({});
  return readFileSettings(Object.fromEntries(names.map((name) => [name, binding(name)])));
}
