/**
 * Key records in KV, with the editor behind `npm run keys` on the Worker's namespace (for the command: test/cli/keys).
 */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { type Kv, keyEditor } from "../../src/cli/lib/key-editor.ts";
import { kvKeys } from "../../src/stores/kv-keys.ts";
import { memoryKeys } from "../support/memory.ts";
import { keyRecordsContract } from "./key-records.contract.ts";

const { KV } = env as unknown as { KV: KVNamespace };

/** A KV namespace for one test, as the Worker sees it and as the command line does. */
function namespace(): { kv: KVNamespace; outside: Kv } {
  const own = `${crypto.randomUUID()} `;
  return {
    kv: { get: (name: string, options: { cacheTtl: number }) => KV.get(own + name, options) } as KVNamespace,
    outside: {
      put: (name, value, metadata, expiration) =>
        KV.put(own + name, value, { metadata, ...(expiration !== undefined && { expiration }) }),
      async list(prefix) {
        const { keys } = await KV.list({ prefix: own + prefix });
        return keys.map(({ name, metadata }) => ({ name: name.slice(own.length), metadata }));
      },
      delete: (name) => KV.delete(own + name),
    },
  };
}

keyRecordsContract("memory", memoryKeys);
keyRecordsContract("KV", () => {
  const { kv, outside } = namespace();
  return { records: kvKeys(kv), editor: keyEditor(outside) };
});

it("a record that the editor did not write is listed by its id alone, and other names are not listed", async () => {
  const { outside } = namespace();
  await outside.put("key:by-hand", "{}", { note: "mine" }, undefined);
  await outside.put("call:1", "{}", {}, undefined);
  expect(await keyEditor(outside).list()).toEqual([{ id: "by-hand", terms: undefined }]);
});
