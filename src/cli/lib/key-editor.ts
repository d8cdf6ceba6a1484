/** Edits the records of API keys in KV, from outside the Worker. */

import type { KeyEditor } from "../../core/ports/key-records.ts";
import { KEY_PREFIX, keyEntry, keyName, listedKeys } from "../../stores/key-record-text.ts";

/** The operations on KV that the editor needs. kv.ts implements them with wrangler's command line. */
export interface Kv {
  /** @param expiration seconds since 1970; undefined for never */
  put(name: string, value: string, metadata: object, expiration: number | undefined): Promise<void>;
  list(prefix: string): Promise<Entry[]>;
  delete(name: string): Promise<void>;
}

export interface Entry {
  readonly name: string;
  readonly metadata?: unknown;
}

export function keyEditor(kv: Kv): KeyEditor {
  return {
    write(id, record) {
      const { name, text, metadata, expiration } = keyEntry(id, record);
      return kv.put(name, text, metadata, expiration);
    },
    list: async () => listedKeys(await kv.list(KEY_PREFIX)),
    remove: (id) => kv.delete(keyName(id)),
  };
}
