/** Runs a fork's built Worker in this process as a deployment: with settings, keys, a log and a clock. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { type MadeKey, makeKey } from "../../../src/cli/keys/make.ts";
import type { KeyRecord, KeyTerms } from "../../../src/core/ports/key-records.ts";
import { keyEntry, keyName, readKey } from "../../../src/stores/key-record-text.ts";
import { type Fork, type ServedBuilt, until } from "./fork.ts";
import { addressOf, miniflareOptions, onTestClock, ownAddress, putAhead, workerConfig } from "./worker.ts";

/** Bindings by name, as miniflare represents them. */
export type Env = Readonly<Record<string, object>>;

/** The keys that a deployment knows. */
export interface Keys {
  /** Makes a key, as `npm run keys` does. */
  makeKey(terms?: Partial<KeyTerms>): Promise<MadeKey>;
  /** Changes a key's terms. */
  changeKey(key: MadeKey, terms: Partial<KeyTerms>): Promise<void>;
  revoke(key: MadeKey): Promise<void>;
}

export interface Deployed extends Keys {
  readonly url: string;
  /** Every line that the Worker logged. */
  readonly lines: readonly string[];
  /** Resolves when everything logged so far is in {@link lines}; log lines may arrive later than answers. */
  logged(): Promise<void>;
  /** Moves the Worker's clock this many seconds ahead of this machine's. */
  ahead(seconds: number): Promise<void>;
  /** Names of everything that is stored on KV. */
  stored(): Promise<string[]>;
  readonly kv: KeyStore;
  stop(): Promise<void>;
}

/**
 * Runs several deployments, as isolates of one process: they share their log and storage, and stopping one stops all.
 *
 * @param fork    a fork that is built
 * @param changes one function per deployment, which changes the bindings of wrangler.toml
 * @param fetched answers the Workers' outgoing requests; by default, they leave this machine
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
      ...ownAddress(),
    };
    return { config: onTestClock({ ...config, env: change(config.env as Env) }), dev };
  });
  const lines: string[] = [];
  const handleStructuredLogs = ({ message }: { message: string }) => lines.push(message);
  const options = { ...miniflareOptions(), workers, handleStructuredLogs };
  const miniflare = new Miniflare(options as unknown as MiniflareOptions);
  const kv = await miniflare.getKVNamespace("KV", names[0]);
  const shared = {
    lines,
    ...keysIn(kv),
    stored: async () => (await kv.list()).keys.map(({ name }) => name),
    kv,
    stop: () => miniflare.dispose(),
  };
  return Promise.all(
    names.map(async (name) => {
      const url = await addressOf(miniflare, name);
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

/** The keys that a server of {@link Fork} knows. */
export async function keysOf(served: ServedBuilt): Promise<Keys> {
  return keysIn((await served.bindings()).KV as KeyStore);
}

/** What keys need of a KV namespace. */
interface KeyStore {
  get(name: string, type: "text"): Promise<string | null>;
  put(name: string, text: string): Promise<void>;
  delete(name: string): Promise<void>;
}

function keysIn(kv: KeyStore): Keys {
  const put = (id: string, record: KeyRecord) => kv.put(keyName(id), keyEntry(id, record).text);
  return {
    async makeKey(terms) {
      const key = makeKey({ name: "test", scopes: [], created: 1_700_000_000, ...terms });
      await put(key.id, key.record);
      return key;
    },
    async changeKey({ id }, terms) {
      await put(id, { ...(readKey(await kv.get(keyName(id), "text")) as KeyRecord), ...terms });
    },
    revoke: ({ id }) => kv.delete(keyName(id)),
  };
}
