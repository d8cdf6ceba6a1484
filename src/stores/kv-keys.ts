/** Records of API keys on Workers KV. A record is cached for a minute where it was read: a revoked key is known so long. */
import type { KeyRecord, KeyRecords } from "../access/key-record.ts";

const CACHE_SECONDS = 60;

export function kvKeys(kv: KVNamespace): KeyRecords {
  return {
    read: async (id) => (await kv.get<KeyRecord>(`key:${id}`, { type: "json", cacheTtl: CACHE_SECONDS })) ?? undefined,
  };
}
