/** Records of API keys on Workers KV. Each location caches a record for a minute, so a revoked key works that long. */
import type { KeyRecords } from "../core/ports/key-records.ts";
import { keyName, readKey } from "./key-record-text.ts";

const CACHE_SECONDS = 60;

export function kvKeys(kv: KVNamespace): KeyRecords {
  return {
    read: async (id) => readKey(await kv.get(keyName(id), { cacheTtl: CACHE_SECONDS })),
  };
}
