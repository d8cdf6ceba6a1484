/** Records of API keys on Workers KV. A record is cached for a minute where it was read: a revoked key is known so long. */
import { type KeyRecords, keyName, readKey } from "../core/ports/key-records.ts";

const CACHE_SECONDS = 60;

export function kvKeys(kv: KVNamespace): KeyRecords {
  return {
    read: async (id) => readKey(await kv.get(keyName(id), { cacheTtl: CACHE_SECONDS })),
  };
}
