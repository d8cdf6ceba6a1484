/** The Worker's KV by wrangler's command line, on this machine or deployed. Knows wrangler's words; knows nothing of keys. */
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
  /** Where local KV is kept; `.wrangler/state` beside wrangler.toml without it, as for `npm start`. */
  readonly persistTo: string | undefined;
}

const BINDING = "KV";

/** One start of wrangler each: about a second and a half. */
export function openKv(place: Place): Kv {
  const key = (verb: string, ...args: string[]) =>
    // Where the binding has no id, wrangler asks the deployed Worker which namespace it was given.
    wrangler(place, ["kv", "key", verb, ...args, `--binding=${BINDING}`, ...whereabouts(place)]);
  return {
    async put(name, value, metadata, expiration) {
      const folder = mkdtempSync(join(tmpdir(), "trivet-"));
      try {
        // A value in the arguments could be read by everyone on this machine.
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
        throw new Mistake(`wrangler gave no list of keys: ${inOneLine(printed)}`);
      }
    },
    async delete(name) {
      key("delete", name);
    },
  };
}

/** @returns names of the rate limiters in wrangler.toml */
export async function rateLimiters({ config, env }: Place): Promise<string[]> {
  // It takes a while to load, and only --rate needs it.
  const { unstable_readConfig } = await import("wrangler");
  try {
    const settings: { ratelimits: { name: string }[] } = unstable_readConfig(
      { config, ...(env !== undefined && { env }) },
      { hideWarnings: true },
    );
    return settings.ratelimits.map(({ name }) => name);
  } catch (error) {
    throw new Mistake(inOneLine(String((error as Error).message)));
  }
}

function whereabouts({ remote, config, env, persistTo }: Place): string[] {
  return [
    ...(remote ? ["--remote", "--preview=false"] : ["--local"]),
    `--config=${config}`,
    ...(env === undefined ? [] : [`--env=${env}`]),
    ...(persistTo === undefined ? [] : [`--persist-to=${persistTo}`]),
  ];
}

/** @returns what it printed */
function wrangler({ config }: Place, args: readonly string[]): string {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve("wrangler/package.json"));
  const bin: string = require("wrangler/package.json").bin.wrangler;
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [join(folder, bin), ...args], {
    cwd: dirname(config),
    encoding: "utf8",
    maxBuffer: Number.POSITIVE_INFINITY,
    // Nobody can answer a question that is not shown: wrangler fails instead of asking.
    stdio: ["ignore", "pipe", "pipe"],
    // The banner asks the registry for news. Another log level would hide the answer, or bury it.
    env: { ...process.env, WRANGLER_HIDE_BANNER: "true", WRANGLER_LOG: "log" },
  });
  if (error) throw new Mistake(`wrangler does not start: ${error.message}`);
  if (status !== 0) throw new Mistake(inWords(stripVTControlCharacters(`${stderr}\n${stdout}`)));
  return stdout;
}

/** What went wrong in wrangler, and what to do. */
function inWords(printed: string): string {
  const [, told = printed] = /\[ERROR\]([\s\S]*?)(?=🪵|\[ERROR\]|If you think this is a bug|$)/u.exec(printed) ?? [];
  const text = inOneLine(told);
  const login = "run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a token that may edit Workers KV";
  if (text.includes("CLOUDFLARE_API_TOKEN")) return `wrangler is not logged in to Cloudflare: ${login}.`;
  if (/logged in|\[code: (6003|9106|9109|10000|10001)\]/i.test(text)) return `Cloudflare refuses: ${login}. (${text})`;
  if (/No KV namespace ID found|\[code: 10007\]/.test(text)) {
    return `There is no deployment that has KV yet: run \`npm run deploy\` first. (${text})`;
  }
  return `wrangler failed: ${text}`;
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
