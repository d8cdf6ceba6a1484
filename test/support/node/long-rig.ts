/** Serves a fork, with long tools or an outbox, on storage that outlives it, so that it can be killed and started again. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { build } from "./build.ts";
import { makeFork, testSettings } from "./fork.ts";
import { WORKFLOW } from "./long.ts";
import { OUTBOX } from "./outbox.ts";
import { execFileSync } from "./processes.ts";

export interface LongRig {
  /** Where it is served now. It changes with each start; undefined while nothing is served. */
  readonly url: string | undefined;
  start(): Promise<void>;
  /** Ends workerd at once (SIGKILL), whatever it is doing. */
  kill(): Promise<void>;
  /** Kills it and removes its storage. */
  remove(): Promise<void>;
}

interface Given {
  /** Folder of the fork's tools. */
  readonly tools: string;
  /** Whether it has long tools. */
  readonly hasWorkflow: boolean;
  readonly vars: Readonly<Record<string, string>>;
  /** Whether it requires credentials, as a deployment does by default. */
  readonly closed?: boolean;
  readonly hasOutbox?: boolean;
}

const OBJECTS = { VAULT: "Vault", MAILBOX: "Mailbox", HUB: "Hub", CLAIMS: "Claims" };
const NAME = "trivet";

/** Builds the fork. Start it then. */
export async function longRig({
  tools,
  hasWorkflow,
  vars,
  closed = false,
  hasOutbox = false,
}: Given): Promise<LongRig> {
  const fork = makeFork(tools);
  fork.write("wrangler.toml", testSettings({ closed }) + (hasOutbox ? OUTBOX : "") + (hasWorkflow ? WORKFLOW : ""));
  const objects = { ...OBJECTS, ...(hasOutbox && { OUTBOX: "Outbox" }) };
  await build(fork);
  const dist = join(fork.root, "dist");
  const modules = Object.fromEntries(
    readdirSync(dist)
      .filter((name) => name.endsWith(".js"))
      .map((name) => [name, { type: "esm", contents: readFileSync(join(dist, name), "utf8") }]),
  );
  fork.remove();
  const state = mkdtempSync(join(tmpdir(), "trivet-long-"));
  const options = {
    cf: false,
    log: undefined,
    resourcePersistencePath: state,
    workers: [
      {
        config: {
          name: NAME,
          compatibilityDate: "2026-10-01",
          compatibilityFlags: ["enable_request_signal", "global_fetch_strictly_public"],
          manifest: { mainModule: "index.js", modules },
          env: {
            ...Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, { type: "text", value }])),
            KV: { type: "kv", id: "kv" },
            ...Object.fromEntries(
              Object.entries(objects).map(([binding, exportName]) => [
                binding,
                { type: "durable-object", worker: NAME, exportName },
              ]),
            ),
            ...(hasWorkflow && {
              LONG: { type: "workflow", name: "trivet-long", worker: NAME, exportName: "LongRun" },
            }),
          },
          exports: Object.fromEntries(
            Object.values(objects).map((name) => [name, { type: "durable-object", storage: "sqlite" }]),
          ),
        },
      },
    ],
  } as unknown as MiniflareOptions;
  let served: { readonly miniflare: Miniflare; readonly url: string; readonly pids: readonly number[] } | undefined;
  const kill = async () => {
    if (served === undefined) return;
    const { miniflare, pids } = served;
    served = undefined;
    for (const pid of pids) process.kill(pid, "SIGKILL");
    await miniflare.dispose();
  };
  return {
    get url() {
      return served?.url;
    },
    async start() {
      if (served) throw new Error("it is served already: two servers on one storage harm each other");
      const before = workerds();
      const miniflare = new Miniflare(options);
      const url = (await miniflare.ready).href;
      served = { miniflare, url, pids: workerds().filter((pid) => !before.includes(pid)) };
      if (served.pids.length === 0) throw new Error("no process of workerd was found");
    },
    kill,
    async remove() {
      await kill();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

/** The processes of workerd that this process has started. */
function workerds(): number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,comm="], { encoding: "utf8" }).trim().split("\n");
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, parent, name]) => Number(parent) === process.pid && name?.includes("workerd"))
    .map(([pid]) => Number(pid));
}
