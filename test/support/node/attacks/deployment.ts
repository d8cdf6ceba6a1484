/**
 * Deployments of one build that nobody opened, with fixture tools and settings of their own. A wrapper lets a test move
 * the Worker's clock; a server outside counts which tools ran.
 */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { type KeyRecord, keyEntry, keyName, readKey } from "../../../../src/core/ports/key-records.ts";
import { build } from "../build.ts";
import { type Fork, makeFork, until } from "../fork.ts";
import { miniflareOptions, onTestClock, putAhead, type WorkerConfig, workerConfig } from "../worker.ts";

export interface Made {
  readonly id: string;
  readonly text: string;
}

export interface Deployment {
  readonly url: string;
  /** Everything that the Worker logged, a line each; those that are JSON are read by {@link entries}. */
  readonly lines: string[];
  entries(): Record<string, unknown>[];
  /** Puts the Worker's clock so many seconds ahead of this machine's. */
  ahead(seconds: number): Promise<void>;
  /** Resolves when all that was logged until now is in {@link lines}: it comes by another way than the answers. */
  logged(): Promise<void>;
  makeKey(terms?: Partial<KeyRecord>): Promise<Made>;
  revoke(key: Made): Promise<void>;
  /** Takes its scopes from a key. */
  demote(key: Made): Promise<void>;
  /** Binds a key to these toolkits. */
  bind(key: Made, toolkits: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export interface Counter {
  readonly url: string;
  readonly host: string;
  /** What ran, in order: each fixture tool says so before it does anything else. */
  readonly ran: string[];
  /** Headers of the last that said so. */
  headers(): IncomingMessage["headers"];
  stop(): void;
}

export async function startCounter(): Promise<Counter> {
  const ran: string[] = [];
  let last: IncomingMessage["headers"] = {};
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://counter");
    ran.push(pathname.slice(1));
    last = request.headers;
    const to = searchParams.get("to");
    response.writeHead(to === null ? 200 : 302, to === null ? {} : { location: to }).end("counted");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}`, host, ran, headers: () => last, stop: () => server.close() };
}

/** One build for all deployments of a file. */
export function buildTools(): Fork {
  const fork = makeFork("test/fixtures/guarded", { closed: true });
  const settings = readFileSync(join(fork.root, "wrangler.toml"), "utf8");
  // Discovery refuses a tool whose limiter is missing: it is there when the fork is built, and gone when it runs.
  fork.write(
    "wrangler.toml",
    `${settings}\n[[ratelimits]]\nname = "RATE_7"\nnamespace_id = "7"\nsimple = { limit = 7, period = 60 }\n`,
  );
  build(fork);
  fork.write("wrangler.toml", settings);
  return fork;
}

type Settings = Readonly<Record<string, string | undefined>>;

/** The limiter of failed credentials: taken away from most deployments, so that each of many attacks is looked at. */
const FAILURES = "RATE_60";
export const COUNTS_FAILURES: Settings = { [FAILURES]: "counts" };

/** @param settings variables and secrets; `undefined` takes one of wrangler.toml's away */
export async function deploy(fork: Fork, settings: Settings = {}, counter?: Counter): Promise<Deployment> {
  const [deployment] = await deployAll(fork, [settings], counter);
  return deployment as Deployment;
}

/** Several at once, each an isolate of one process: they share its log, their keys and their counters. All stop with one. */
export async function deployAll(fork: Fork, settings: readonly Settings[], counter?: Counter): Promise<Deployment[]> {
  const lines: string[] = [];
  const names = settings.map((_, index) => `worker-${index}`);
  const workers = settings.map((own, index) => ({
    config: configured(fork, names[index] as string, {
      [FAILURES]: undefined,
      ...(counter && counted(counter)),
      ...own,
    }),
    // Each at an address of its own, without a Worker of miniflare's before it.
    ...(index > 0 && { dev: { unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }] } }),
  }));
  const options = {
    ...miniflareOptions(),
    workers,
    handleStructuredLogs: ({ message }: { message: string }) => lines.push(message),
  };
  const miniflare = new Miniflare(options as unknown as MiniflareOptions);
  const first = await miniflare.ready;
  const kv = await miniflare.getKVNamespace("KV", names[0]);
  const rewrite = async ({ id }: Made, terms: Partial<KeyRecord>) => {
    const record = readKey(await kv.get(keyName(id), "text")) as KeyRecord;
    await kv.put(keyName(id), keyEntry(id, { ...record, ...terms }).text);
  };
  const keys = {
    async makeKey(terms: Partial<KeyRecord> = {}) {
      const id = randomBytes(8).toString("hex");
      const text = `trivet_${id}_${randomBytes(32).toString("base64url")}`;
      const hash = createHash("sha256").update(text).digest("hex");
      const record: KeyRecord = { name: "test", scopes: [], created: 1_700_000_000, hash, ...terms };
      await kv.put(keyName(id), keyEntry(id, record).text);
      return { id, text };
    },
    revoke: ({ id }: Made) => kv.delete(keyName(id)),
    demote: (key: Made) => rewrite(key, { scopes: [] }),
    bind: (key: Made, toolkits: readonly string[]) => rewrite(key, { toolkits }),
  };
  return Promise.all(
    names.map(async (name, index) => {
      const { origin: url } = index === 0 ? first : await miniflare.unsafeGetDirectURL(name);
      return {
        ...keys,
        url,
        lines,
        entries: () => lines.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : [])),
        ahead: (seconds: number) => putAhead(url, seconds),
        async logged() {
          const mark = randomBytes(8).toString("hex");
          await fetch(url, { headers: { "x-test-mark": mark } });
          await until(async () => lines.some((line) => line.includes(mark)));
        },
        stop: () => miniflare.dispose(),
      };
    }),
  );
}

/** What fixture tools need to say that they ran. */
function counted({ url, host }: Counter): Settings {
  return { COUNTER: url, ALLOWED_HOSTS: host };
}

function configured(fork: Fork, name: string, settings: Settings): WorkerConfig {
  const { env, ...config } = workerConfig(join(fork.root, "dist/index.js"), fork.root, name) as WorkerConfig & {
    env: Record<string, object>;
  };
  for (const [variable, value] of Object.entries(settings)) {
    if (value === undefined) delete env[variable];
    else if (variable !== FAILURES) env[variable] = { type: "text", value };
  }
  return onTestClock({ ...config, env });
}
