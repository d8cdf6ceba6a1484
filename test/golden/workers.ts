/** The two deployments that the transcripts are made on: one that everyone may call, and one that requires credentials. */
import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { Miniflare } from "miniflare";
import { SECRET } from "../support/node/attacks/tokens.ts";
import { BINDINGS } from "../support/node/files.ts";
import { builtFork, testSettings, until } from "../support/node/fork.ts";
import { WORKFLOW } from "../support/node/long.ts";
import { OUTBOX } from "../support/node/outbox.ts";
import { addressOf, miniflareOptions, onTestClock, workerConfig } from "../support/node/worker.ts";

/** What a key may do: the members of its record, as deployments store it. */
export interface KeyTerms {
  readonly name?: string;
  readonly toolkits?: readonly string[];
  readonly scopes?: readonly string[];
  readonly rate?: number;
  /** Seconds since 1970. */
  readonly expires?: number;
}

export interface Golden {
  readonly url: string;
  /**
   * Returns what was logged since the last time, and which spans have ended, in lines. Waits until all requests that it
   * was told of have ended, except for this many.
   */
  logged(open?: number): Promise<string[]>;
  /** Tells it of a request. */
  sent(): void;
  /** Stores a key, and returns its id and its text. */
  makeKey(terms?: KeyTerms): Promise<{ readonly id: string; readonly text: string }>;
  stop(): Promise<void>;
}

/** Gets every span that the runtime would export, and logs those of Trivet. */
const TAIL = `
const shown = new Map();
export default {
  tailStream({ event: onset }) {
    // Of requests only: what a task does is not over when its request is.
    // Nor of streams that are left open: nobody knows when the Worker notices that its client has gone.
    if (onset.info?.type !== "fetch" || JSON.stringify(onset.info.headers).includes("x-test-listens")) return () => {};
    return ({ event, spanContext }) => {
      if (event.type === "outcome") return console.log("DONE");
      const id = spanContext.spanId ?? event.spanId;
      if (event.type === "attributes") {
        const attributes = Object.fromEntries(event.info.map(({ name, value }) => [name, value]));
        if ("mcp.method.name" in attributes) shown.set(id, { attributes });
      } else if (event.type === "spanUpdate" && shown.has(id)) {
        if (event.info.type === "name") shown.get(id).name = event.info.name;
        else shown.get(id).status = event.info.status.code;
      } else if (event.type === "spanClose" && shown.has(id)) {
        console.log("SPAN " + JSON.stringify(shown.get(id)));
        shown.delete(id);
      }
    };
  },
};`;

/**
 * @param settings text of a wrangler.toml, to which all features are added
 * @param vars     replace its variables
 */
async function serve(settings: string, vars: Readonly<Record<string, string>>): Promise<Golden> {
  const features = `${WORKFLOW}${OUTBOX}${BINDINGS}\n[observability.traces]\nenabled = true\n`;
  const fork = await builtFork("test/fixtures/golden", settings + features);
  const config = workerConfig(join(fork.root, "dist/index.js"), fork.root);
  const env: Record<string, unknown> = { ...(config.env as object) };
  for (const [name, value] of Object.entries({ ...SHARED, ...vars })) env[name] = { type: "text", value };
  const main = onTestClock({ ...config, env, experimental: { streamingTailConsumers: [{ worker: "tail" }] } });
  const tail = {
    name: "tail",
    compatibilityDate: config.compatibilityDate,
    manifest: { mainModule: "tail.js", modules: { "tail.js": { type: "esm", contents: TAIL } } },
  };
  let lines: string[] = [];
  let requests = 0;
  let ended = 0;
  const done = () => ended + lines.filter((line) => line === "DONE").length;
  const handleStructuredLogs = ({ message }: { message: string }) => lines.push(message);
  const miniflare = new Miniflare({ ...miniflareOptions(main, tail), handleStructuredLogs });
  const url = await addressOf(miniflare);
  fork.remove();
  return {
    url,
    sent() {
      requests++;
    },
    async logged(open = 0) {
      const mark = randomBytes(8).toString("hex");
      requests++;
      await fetch(url, { headers: { "x-test-mark": mark } });
      await until(async () => lines.some((line) => line.includes(mark)));
      await until(async () => done() >= requests - open);
      const caused = lines.filter((line) => line !== "DONE" && line !== mark);
      ended += lines.length - caused.length - 1;
      lines = [];
      const spans = caused.filter((line) => line.startsWith("SPAN ")).sort();
      const logs = caused.filter((line) => !line.startsWith("SPAN "));
      return [...logs.map((line) => `log: ${line}`), ...spans.map((line) => `span: ${line.slice(5)}`)];
    },
    async makeKey(terms = {}) {
      // Written here once more, and not by the code in src/, so that the transcripts depend on nothing that may move.
      const id = randomBytes(8).toString("hex");
      const text = `trivet_${id}_${randomBytes(32).toString("base64url")}`;
      const hash = createHash("sha256").update(text).digest("hex");
      const record = { name: "golden", scopes: [], created: 1_700_000_000, ...terms, hash };
      const kv = await miniflare.getKVNamespace("KV", "main");
      await kv.put(`key:${id}`, JSON.stringify(record));
      return { id, text };
    },
    stop: () => miniflare.dispose(),
  };
}

/** Everyone may call it. */
export const serveOpen = (hosts: string) =>
  serve(testSettings(), { ALLOWED_HOSTS: hosts, LOCAL: "true", ALLOWED_ORIGINS: "https://page.example" });

/** It takes keys and tokens, and has its own sign-in. */
export const serveClosed = () =>
  serve(testSettings({ closed: true, signIn: true }), {
    JWT_SECRET: SECRET,
    RATE_PER_MINUTE: "",
  });

const SHARED = {
  PUBLIC_UPLOADS: "true",
  SIGNING_KEY: Buffer.alloc(32, 7).toString("base64url"),
  LONG_WAIT_SECONDS: "1",
  TASK_LEASE_SECONDS: "30",
  OUTBOX_MINUTE_MS: "5",
};
