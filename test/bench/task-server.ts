/**
 * Serves a fork with long tools, an outbox or files: on workerd as miniflare sets it up, because that brings what
 * Cloudflare has beside Workers, such as the engine of Workflows.
 */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { build } from "../support/node/build.ts";
import { freePort, makeFork, testSettings } from "../support/node/fork.ts";
import { execFileSync } from "../support/node/processes.ts";
import { attach, COLLECTABLE, heapAfterCollection } from "./inspector.ts";
import { canPin, cpuOf, memoryOf, type Running, SERVER_CORE } from "./server.ts";

const WORKFLOW = '\n[[workflows]]\nname = "long"\nbinding = "LONG"\nclass_name = "LongRun"\n';
export const OBJECTS = { VAULT: "Vault", MAILBOX: "Mailbox", HUB: "Hub", CLAIMS: "Claims" };
export const VARS = {
  PUBLIC: "true",
  RATE_PER_MINUTE: "",
  LOG_CALLS: "false",
  SERVER_NAME: "trivet",
  SERVER_VERSION: "1.0.0",
  TASKS_PER_PRINCIPAL: "100000",
};

export interface TaskServer extends Running {
  /** MiB in use of the JavaScript heap of the Worker and its objects, after a collection. */
  heapMiB(): Promise<number>;
}

/** The module of a fork with a tool that adds, one with effects, and two long ones. */
export async function taskModule(): Promise<string> {
  const tool = (path: string) => readFileSync(resolve(import.meta.dirname, path), "utf8");
  const fork = makeFork({
    "sums/add.ts": tool("tools/sums/add.ts"),
    "door/ring.ts": tool("tools/door/ring.ts"),
    "jobs/now.ts": tool("jobs/now.ts"),
    "jobs/wait.ts": tool("jobs/wait.ts"),
  });
  try {
    fork.write("wrangler.toml", testSettings() + WORKFLOW);
    await build(fork);
    return readFileSync(join(fork.root, "dist/index.js"), "utf8");
  } finally {
    fork.remove();
  }
}

interface Place {
  /** Classes of Durable Objects by binding. */
  readonly objects?: Readonly<Record<string, string>>;
  readonly vars?: Readonly<Record<string, string>>;
  readonly hasWorkflow?: boolean;
  /** Binding of a bucket. */
  readonly bucket?: string;
}

export async function serveTasks(
  module: string,
  { objects = OBJECTS, vars = VARS, hasWorkflow = true, bucket }: Place = {},
): Promise<TaskServer> {
  const [port, inspectorPort] = [await freePort(), await freePort()];
  const before = new Set(children());
  process.env.MINIFLARE_WORKERD_V8_FLAGS = COLLECTABLE.v8Flags.join(" ");
  const own = (exportName: string) => ({ worker: "main", exportName });
  const miniflare = new Miniflare({
    cf: false,
    inspectorPort,
    workers: [
      {
        config: {
          name: "main",
          compatibilityDate: "2026-10-01",
          compatibilityFlags: ["enable_request_signal", "global_fetch_strictly_public"],
          manifest: {
            mainModule: "index.js",
            modules: {
              "index.js": { type: "esm", contents: COLLECTABLE.around },
              "app.js": { type: "esm", contents: module },
            },
          },
          env: {
            ...Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, { type: "text", value }])),
            ...Object.fromEntries(
              Object.entries(objects).map(([name, of]) => [name, { type: "durable-object", ...own(of) }]),
            ),
            KV: { type: "kv", id: "kv" },
            ...(hasWorkflow && { LONG: { type: "workflow", name: "long", ...own("LongRun") } }),
            ...(bucket && { [bucket]: { type: "r2", name: "bench" } }),
          },
          exports: Object.fromEntries(
            Object.values(objects).map((name) => [name, { type: "durable-object", storage: "sqlite" }]),
          ),
        },
        // Without the Worker that miniflare puts before ours.
        dev: { unsafeDirectSockets: [{ host: "127.0.0.1", port, proxy: false }] },
      },
    ],
  } as unknown as MiniflareOptions);
  await miniflare.ready;
  const pid = children().find((child) => !before.has(child)) ?? Number.NaN;
  if (canPin) execFileSync("taskset", ["-a", "-p", "-c", String(SERVER_CORE), String(pid)], { stdio: "ignore" });
  return {
    port,
    pid,
    cpuMs: () => cpuOf(pid),
    memoryMiB: () => memoryOf(pid),
    async heapMiB() {
      const socket = await attach(inspectorPort);
      const heap = await heapAfterCollection(port, socket);
      socket.close();
      return heap;
    },
    stop: () => miniflare.dispose(),
  };
}

/** The processes that this one has started, as far as the system tells. */
function children(): number[] {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8");
    return text.trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
