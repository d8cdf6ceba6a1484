/** Runs wrangler's command line, and turns its errors into sentences that say what to do. */
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Io } from "./io.ts";
import { Mistake } from "./mistake.ts";

/**
 * Starts wrangler, which takes about 1.5 seconds.
 *
 * @param folder the folder of wrangler.toml
 * @returns what it printed to stdout
 * @throws {Mistake} if it fails
 */
export async function wrangler(io: Io, folder: string, args: readonly string[]): Promise<string> {
  const require = createRequire(import.meta.url);
  const home = dirname(require.resolve("wrangler/package.json"));
  const bin: string = require("wrangler/package.json").bin.wrangler;
  const { status, stdout, stderr, error } = await io.node([join(home, bin), ...args], {
    cwd: folder,
    // The banner checks the registry for a new version. Other log levels would hide the output, or bury it.
    env: { WRANGLER_HIDE_BANNER: "true", WRANGLER_LOG: "log" },
  });
  if (error) throw new Mistake(`wrangler does not start: ${error.message}`);
  if (status !== 0) throw new Mistake(explain(stripVTControlCharacters(`${stderr}\n${stdout}`)));
  return stdout;
}

function explain(printed: string): string {
  const errors = [...printed.matchAll(/\[ERROR\]([\s\S]*?)(?=🪵|✘|\[ERROR\]|If you think this is a bug|$)/gu)];
  const [first = printed, ...others] = errors.map(([, error = ""]) => error);
  // "Build failed with 1 error:" is followed by the error itself.
  const text = withoutLineBreaks(first.trimEnd().endsWith(":") ? `${first} ${others[0] ?? ""}` : first);
  const login = "run `npx wrangler login`, or set CLOUDFLARE_API_TOKEN to a token that may edit Workers KV";
  if (text.includes("CLOUDFLARE_API_TOKEN")) return `wrangler is not logged in to Cloudflare: ${login}.`;
  if (/logged in|\[code: (6003|9106|9109|10000|10001)\]/i.test(text)) return `Cloudflare refuses: ${login}. (${text})`;
  if (/No KV namespace ID found|\[code: 10007\]/.test(text)) {
    return `There is no deployment with a KV namespace yet: run \`npm run deploy\` first. (${text})`;
  }
  return `wrangler failed: ${text}`;
}

/** The text with one space for each run of white space. */
export function withoutLineBreaks(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
