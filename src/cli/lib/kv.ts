/** Reads and writes the Worker's KV, local or deployed, with wrangler's command line. Knows nothing about keys. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { configArguments, type Where } from "./config.ts";
import type { Io } from "./io.ts";
import type { Entry, Kv } from "./key-editor.ts";
import { Mistake } from "./mistake.ts";
import { withoutLineBreaks, wrangler } from "./wrangler.ts";

export interface Place extends Where {
  readonly remote: boolean;
  /** Folder of the local KV; by default `.wrangler/state` next to wrangler.toml, as for `npm start`. */
  readonly persistTo: string | undefined;
}

const BINDING = "KV";

/**
 * Each operation starts wrangler once, which takes about 1.5 seconds, and throws a {@link Mistake} if wrangler fails.
 */
export function openKv(place: Place, io: Io): Kv {
  const key = (verb: string, ...args: string[]) =>
    // If the binding has no id in wrangler.toml, wrangler looks up the namespace of the deployed Worker.
    wrangler(io, dirname(place.config), ["kv", "key", verb, ...args, `--binding=${BINDING}`, ...placeOptions(place)]);
  return {
    async put(name, value, metadata, expiration) {
      const folder = mkdtempSync(join(tmpdir(), "trivet-"));
      try {
        // In a file, because every user of this machine can read the arguments.
        const path = join(folder, "value");
        writeFileSync(path, value, { mode: 0o600 });
        const until = expiration === undefined ? [] : [`--expiration=${expiration}`];
        await key("put", name, `--path=${path}`, `--metadata=${JSON.stringify(metadata)}`, ...until);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    async list(prefix) {
      const printed = await key("list", `--prefix=${prefix}`);
      try {
        return JSON.parse(printed) as Entry[];
      } catch {
        throw new Mistake(`wrangler did not print a list of keys: ${withoutLineBreaks(printed)}`);
      }
    },
    async delete(name) {
      await key("delete", name);
    },
  };
}

function placeOptions({ remote, persistTo, ...where }: Place): string[] {
  return [
    ...(remote ? ["--remote", "--preview=false"] : ["--local"]),
    ...configArguments(where),
    ...(persistTo === undefined ? [] : [`--persist-to=${persistTo}`]),
  ];
}
