/** Reads and writes the Worker's KV, local or deployed, with wrangler's command line. Knows nothing about keys. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readConfig } from "../lib/config.ts";
import { Mistake } from "../lib/mistake.ts";
import { inOneLine, wrangler } from "../lib/wrangler.ts";
import type { Entry, Kv } from "./editor.ts";

export interface Place {
  readonly remote: boolean;
  /** Path of wrangler.toml. */
  readonly config: string;
  readonly env: string | undefined;
  /** Folder of the local KV; by default `.wrangler/state` next to wrangler.toml, as for `npm start`. */
  readonly persistTo: string | undefined;
}

const BINDING = "KV";

/**
 * Each operation starts wrangler once, which takes about 1.5 seconds, and throws a {@link Mistake} if wrangler fails.
 */
export function openKv(place: Place): Kv {
  const key = (verb: string, ...args: string[]) =>
    // If the binding has no id in wrangler.toml, wrangler looks up the namespace of the deployed Worker.
    wrangler(dirname(place.config), ["kv", "key", verb, ...args, `--binding=${BINDING}`, ...placeOptions(place)]);
  return {
    async put(name, value, metadata, expiration) {
      const folder = mkdtempSync(join(tmpdir(), "trivet-"));
      try {
        // Not in the arguments, which every user of this machine can read.
        const path = join(folder, "value");
        writeFileSync(path, value, { mode: 0o600 });
        const until = expiration === undefined ? [] : [`--expiration=${expiration}`];
        key("put", name, `--path=${path}`, `--metadata=${JSON.stringify(metadata)}`, ...until);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    async list(prefix) {
      const printed = key("list", `--prefix=${prefix}`);
      try {
        return JSON.parse(printed) as Entry[];
      } catch {
        throw new Mistake(`wrangler did not print a list of keys: ${inOneLine(printed)}`);
      }
    },
    async delete(name) {
      key("delete", name);
    },
  };
}

/** @returns names of the rate limiters in wrangler.toml */
export async function rateLimiters({ config, env }: Place): Promise<string[]> {
  const { ratelimits } = await readConfig(config, env);
  return ratelimits.map(({ name }: { name: string }) => name);
}

/** @returns the scopes in OAUTH_SCOPES, which no tool needs to demand */
export async function signInScopes({ config, env }: Place): Promise<string[]> {
  const { OAUTH_SCOPES } = (await readConfig(config, env)).vars;
  return typeof OAUTH_SCOPES === "string" ? OAUTH_SCOPES.split(/[\s,]+/).filter(Boolean) : [];
}

function placeOptions({ remote, config, env, persistTo }: Place): string[] {
  return [
    ...(remote ? ["--remote", "--preview=false"] : ["--local"]),
    `--config=${config}`,
    ...(env === undefined ? [] : [`--env=${env}`]),
    ...(persistTo === undefined ? [] : [`--persist-to=${persistTo}`]),
  ];
}
