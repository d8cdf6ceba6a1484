/** Reads and writes the Worker's KV, local or deployed, with wrangler's command line. Knows nothing about keys. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Entry, Kv } from "./editor.ts";
import { Mistake } from "./mistake.ts";

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
    wrangler(place, ["kv", "key", verb, ...args, `--binding=${BINDING}`, ...placeOptions(place)]);
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
export async function rateLimiters(place: Place): Promise<string[]> {
  return (await settingsOf(place)).ratelimits.map(({ name }) => name);
}

/** @returns the scopes in OAUTH_SCOPES, which no tool needs to demand */
export async function signInScopes(place: Place): Promise<string[]> {
  const { OAUTH_SCOPES } = (await settingsOf(place)).vars;
  return typeof OAUTH_SCOPES === "string" ? OAUTH_SCOPES.split(/[\s,]+/).filter(Boolean) : [];
}

interface WranglerSettings {
  readonly ratelimits: readonly { readonly name: string }[];
  readonly vars: Readonly<Record<string, unknown>>;
}

async function settingsOf({ config, env }: Place): Promise<WranglerSettings> {
  // Loaded lazily, because it takes a while and few options need it.
  const { unstable_readConfig } = await import("wrangler");
  try {
    return unstable_readConfig({ config, ...(env !== undefined && { env }) }, { hideWarnings: true });
  } catch (error) {
    throw new Mistake(inOneLine(String((error as Error).message)));
  }
}

function placeOptions({ remote, config, env, persistTo }: Place): string[] {
  return [
    ...(remote ? ["--remote", "--preview=false"] : ["--local"]),
    `--config=${config}`,
    ...(env === undefined ? [] : [`--env=${env}`]),
    ...(persistTo === undefined ? [] : [`--persist-to=${persistTo}`]),
  ];
}

/** Runs wrangler. @returns its output */
function wrangler({ config }: Place, args: readonly string[]): string {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve("wrangler/package.json"));
  const bin: string = require("wrangler/package.json").bin.wrangler;
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [join(folder, bin), ...args], {
    cwd: dirname(config),
    encoding: "utf8",
    maxBuffer: Number.POSITIVE_INFINITY,
    // Without a terminal on stdin, wrangler fails instead of asking questions that no one would see.
    stdio: ["ignore", "pipe", "pipe"],
    // The banner checks the registry for a new version. Other log levels would hide the output, or bury it.
    env: { ...process.env, WRANGLER_HIDE_BANNER: "true", WRANGLER_LOG: "log" },
  });
  if (error) throw new Mistake(`wrangler does not start: ${error.message}`);
  if (status !== 0) throw new Mistake(explain(stripVTControlCharacters(`${stderr}\n${stdout}`)));
  return stdout;
}

/** Turns wrangler's output into a sentence that says what went wrong and what to do. */
function explain(printed: string): string {
  const [, error = printed] = /\[ERROR\]([\s\S]*?)(?=🪵|\[ERROR\]|If you think this is a bug|$)/u.exec(printed) ?? [];
  const text = inOneLine(error);
  const login = "run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a token that may edit Workers KV";
  if (text.includes("CLOUDFLARE_API_TOKEN")) return `wrangler is not logged in to Cloudflare: ${login}.`;
  if (/logged in|\[code: (6003|9106|9109|10000|10001)\]/i.test(text)) return `Cloudflare refuses: ${login}. (${text})`;
  if (/No KV namespace ID found|\[code: 10007\]/.test(text)) {
    return `There is no deployment with a KV namespace yet: run \`npm run deploy\` first. (${text})`;
  }
  return `wrangler failed: ${text}`;
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
