/** A built Worker with sign-in switched on, as wrangler.toml does that, its keys, and what it finds when it fetches. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { type MadeKey, makeKey } from "../../../../src/cli/keys/make.ts";
import { type KeyTerms, keyEntry, keyName } from "../../../../src/core/ports/key-records.ts";
import { build } from "../build.ts";
import { makeFork, until } from "../fork.ts";
import { miniflareOptions, onTestClock, putAhead, workerConfig } from "../worker.ts";

export interface Place {
  readonly url: string;
  makeKey(terms?: Partial<KeyTerms>): Promise<MadeKey>;
  revoke(key: MadeKey): Promise<void>;
  /** Names of all that is stored. */
  stored(): Promise<string[]>;
  /** Publishes a document at an address that is not there: what the Worker gets when it fetches it. */
  publish(url: string, document: object): void;
  /** Puts the Worker's clock so many seconds ahead of this machine's. */
  ahead(seconds: number): Promise<void>;
  /** What the Worker gets at that address is a redirect. */
  redirect(url: string, to: string): void;
  /** Addresses that the Worker has fetched, in order. */
  readonly fetched: string[];
  /** What the Worker has logged, in order. */
  readonly logged: readonly string[];
  /** What it has logged behind so many lines, up to now: asked for by a mark, as a log comes some time later. */
  loggedSince(count: number): Promise<string[]>;
  stop(): Promise<void>;
}

/** The text of a tool's file. */
export const tool = (description: string, more = "") => `import * as v from "valibot";
import { defineTool } from "#tool";
export default defineTool({
  version: "1.0.0",
  description: "${description}",
  input: v.object({}),
  output: v.string(),
  ${more}
  run: (_input, ctx) => ctx.principal.id,
});
`;

/** One tool for anyone, two behind scopes, and one whose folder not every key opens. */
const TOOLS = {
  "post/read.ts": tool("Reads the post.", 'scopes: ["post.read"],'),
  "post/send.ts": tool("Sends something.", 'scopes: ["post.send"],'),
  "post/weigh.ts": tool("Weighs a letter."),
  "vault/open.ts": tool("Opens the vault.", 'scopes: ["vault.open"],'),
};

/**
 * @param limited whether requests are counted, as a deployment does
 * @param change  what its owner changes in wrangler.toml
 */
export async function openPlace(
  tools: Record<string, string> = TOOLS,
  limited = false,
  change = (settings: string) => settings,
): Promise<Place> {
  const fork = makeFork(tools, { closed: true });
  const settings = readFileSync(join(fork.root, "wrangler.toml"), "utf8");
  // What its owner takes the # away from.
  fork.write("wrangler.toml", `${change(settings)}\n[alias]\n"#sign-in" = "./src/sign-in/server.ts"\n`);
  build(fork);

  const published = new Map<string, () => Response>();
  const fetched: string[] = [];
  const config = workerConfig(join(fork.root, "dist/index.js"), fork.root);
  const all = Object.entries(config.env as Record<string, object>);
  const env = Object.fromEntries(limited ? all : all.filter(([name]) => !name.startsWith("RATE_")));
  const handler = ({ url }: { url: string }) => {
    fetched.push(url);
    return published.get(url)?.() ?? new Response("not found", { status: 404 });
  };
  const options = miniflareOptions(onTestClock({ ...config, env })) as { workers: object[] };
  options.workers = options.workers.map((worker) => ({
    ...worker,
    dev: { outboundService: { type: "fetcher", handler } },
  }));
  const logged: string[] = [];
  const handleStructuredLogs = ({ message }: { message: string }) => logged.push(message);
  const miniflare = new Miniflare({ ...options, handleStructuredLogs } as unknown as MiniflareOptions);
  const { origin } = await miniflare.ready;
  const kv = await miniflare.getKVNamespace("KV");

  return {
    url: origin,
    async makeKey(terms) {
      const key = makeKey({ name: "test", scopes: ["*"], created: 0, ...terms });
      const { name, text } = keyEntry(key.id, key.record);
      await kv.put(name, text);
      return key;
    },
    revoke: (key) => kv.delete(keyName(key.id)),
    stored: async () => (await kv.list()).keys.map(({ name }) => name),
    ahead: (seconds) => putAhead(origin, seconds),
    publish: (url, document) => published.set(url, () => Response.json(document)),
    redirect: (url, to) => published.set(url, () => new Response(null, { status: 302, headers: { location: to } })),
    fetched,
    logged,
    async loggedSince(count) {
      const mark = crypto.randomUUID();
      await fetch(origin, { headers: { "x-test-mark": mark } });
      await until(async () => logged.some((line) => line.includes(mark)));
      return logged.slice(count).filter((line) => !line.includes(mark));
    },
    async stop() {
      await miniflare.dispose();
      fork.remove();
    },
  };
}
