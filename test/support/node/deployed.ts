/** The Worker that was built of a fork, run in this process as a deployment: its settings, its keys, its log, its clock. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { type MadeKey, makeKey } from "../../../src/cli/keys/make.ts";
import { type KeyRecord, type KeyTerms, keyEntry, keyName, readKey } from "../../../src/core/ports/key-records.ts";
import { type Fork, until } from "./fork.ts";
import { miniflareOptions, onTestClock, putAhead, workerConfig } from "./worker.ts";

/** Bindings by their names, as miniflare has them. */
export type Env = Readonly<Record<string, object>>;

export interface Deployed {
  readonly url: string;
  /** Everything that the Worker logged, a line each. */
  readonly lines: readonly string[];
  /** Resolves when all that was logged until now is in {@link lines}: it comes by another way than the answers. */
  logged(): Promise<void>;
  /** Puts the Worker's clock so many seconds ahead of this machine's. */
  ahead(seconds: number): Promise<void>;
  makeKey(terms?: Partial<KeyTerms>): Promise<MadeKey>;
  /** Changes what a key is good for. */
  changeKey(key: MadeKey, terms: Partial<KeyTerms>): Promise<void>;
  revoke(key: MadeKey): Promise<void>;
  /** Names of all that is stored. */
  stored(): Promise<string[]>;
  stop(): Promise<void>;
}

/**
 * Several at once, each an isolate of one process: they share its log and what they store. All stop with one.
 *
 * @param fork    one that is built
 * @param changes of each: its bindings, made of those in wrangler.toml
 * @param fetched what a Worker gets when it fetches; left out, it fetches from this machine
 */
export async function runAll(
  fork: Fork,
  changes: readonly ((env: Env) => Env)[],
  fetched?: (request: { readonly url: string }) => unknown,
): Promise<Deployed[]> {
  const names = changes.map((_, index) => `worker-${index}`);
  const workers = changes.map((change, index) => {
    const config = workerConfig(join(fork.root, "dist/index.js"), fork.root, names[index]);
    const dev = {
      ...(fetched && { outboundService: { type: "fetcher", handler: fetched } }),
      // Each at an address of its own, without a Worker of miniflare's before it.
      ...(index > 0 && { unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] }),
    };
    return { config: onTestClock({ ...config, env: change(config.env as Env) }), dev };
  });
  const lines: string[] = [];
  const handleStructuredLogs = ({ message }: { message: string }) => lines.push(message);
  const options = { ...miniflareOptions(), workers, handleStructuredLogs };
  const miniflare = new Miniflare(options as unknown as MiniflareOptions);
  const first = await miniflare.ready;
  const kv = await miniflare.getKVNamespace("KV", names[0]);
  const put = async (id: string, record: KeyRecord) => kv.put(keyName(id), keyEntry(id, record).text);
  const shared = {
    lines,
    async makeKey(terms: Partial<KeyTerms> = {}) {
      const key = makeKey({ name: "test", scopes: [], created: 1_700_000_000, ...terms });
      await put(key.id, key.record);
      return key;
    },
    async changeKey({ id }: MadeKey, terms: Partial<KeyTerms>) {
      await put(id, { ...(readKey(await kv.get(keyName(id), "text")) as KeyRecord), ...terms });
    },
    revoke: ({ id }: MadeKey) => kv.delete(keyName(id)),
    stored: async () => (await kv.list()).keys.map(({ name }) => name),
    stop: () => miniflare.dispose(),
  };
  return Promise.all(
    names.map(async (name, index) => {
      const { origin: url } = index === 0 ? first : await miniflare.unsafeGetDirectURL(name);
      return {
        ...shared,
        url,
        ahead: (seconds: number) => putAhead(url, seconds),
        async logged() {
          const mark = randomBytes(8).toString("hex");
          await fetch(url, { headers: { "x-test-mark": mark } });
          await until(async () => lines.some((line) => line.includes(mark)));
        },
      };
    }),
  );
}
