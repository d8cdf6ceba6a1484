/** Files that a test attaches to a call: kept in memory, in place of the deployment's store. */
import type { FileReference } from "../core/model/call.ts";
import type { Files, StoredFile } from "../core/ports/files.ts";
import type { TestFile } from "./types.ts";

interface Held {
  readonly file: StoredFile;
  readonly contents: Blob;
}

const ORIGIN = "https://files.test";

/** @returns how the call names these files, and a store that has them and no others */
export async function attached(given: readonly TestFile[]): Promise<{ references: FileReference[]; files: Files }> {
  const held = new Map<string, Held>();
  for (const one of given) {
    const contents = one instanceof File ? one : new Blob([one.text]);
    const { name, type = "text/plain" } = one;
    const digest = await crypto.subtle.digest("SHA-256", await contents.arrayBuffer());
    const sha256 = new Uint8Array(digest).toHex();
    // The same files make the same call, as with a key.
    const id = `file-${held.size}-${sha256.slice(0, 16)}`;
    const file = { id, name, type: type || "application/octet-stream", size: contents.size, sha256, expires: Infinity };
    held.set(id, { file, contents });
  }
  const files: Files = {
    maxBytes: Infinity,
    find: async (_, ids) => ids.map((id) => held.get(id)?.file ?? "unknown"),
    async open(_, id) {
      return (held.get(id) as Held).contents.stream() as ReadableStream<Uint8Array>;
    },
    link: async (_, { id }) => `${ORIGIN}/${id}`,
    receive: async () => "full",
  };
  return { references: Array.from(held.keys(), (fileId) => ({ fileId, origin: ORIGIN })), files };
}
