/** A built Worker as miniflare runs it, with the deployment's settings and bindings and no proxy in front. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Miniflare, MiniflareOptions } from "miniflare";
import { unstable_readConfig } from "wrangler";

export interface WorkerConfig {
  readonly name: string;
  readonly [option: string]: unknown;
}

/** What miniflare calls the modules that wrangler makes of other files, by their endings. */
const MODULES: Readonly<Record<string, string>> = { js: "esm", md: "text", txt: "text", html: "text", sql: "text" };

/**
 * Creates the configuration of a Worker.
 * @param script   path of the built Worker
 * @param settings its wrangler.toml, or the folder of it
 * @param objects  name of the Worker that owns the Durable Objects; by default this one
 */
export function workerConfig(script: string, settings: string, name = "main", objects = name): WorkerConfig {
  const config = unstable_readConfig({
    config: settings.endsWith(".toml") ? settings : join(settings, "wrangler.toml"),
  });
  const modules = globSync(`*.{${Object.keys(MODULES).join()}}`, { cwd: dirname(script) }).map((file) => {
    const contents = readFileSync(join(dirname(script), file), "utf8");
    return [file, { type: MODULES[file.slice(file.lastIndexOf(".") + 1)], contents }];
  });
  const env: Record<string, object> = {};
  const exports: Record<string, object> = {};
  for (const [variable, value] of Object.entries(config.vars)) env[variable] = { type: "text", value };
  for (const { binding } of config.kv_namespaces) env[binding] = { type: "kv", id: binding };
  for (const { name: binding, namespace_id: namespace, simple } of config.ratelimits) {
    env[binding] = { type: "rate-limit", namespace, simple };
  }
  for (const { name: binding, class_name } of config.durable_objects.bindings) {
    env[binding] = { type: "durable-object", worker: objects, exportName: class_name };
    if (objects === name) exports[class_name] = { type: "durable-object", storage: "sqlite" };
  }
  for (const { binding } of config.r2_buckets) env[binding] = { type: "r2", name: binding.toLowerCase() };
  for (const { binding, name: workflow, class_name: exportName } of config.workflows) {
    env[binding] = { type: "workflow", name: workflow, worker: name, exportName };
  }
  const { directory, binding = "", run_worker_first: runWorkerFirst = false } = config.assets ?? {};
  if (directory !== undefined) env[binding] = { type: "assets" };
  return {
    name,
    ...(directory !== undefined && {
      assets: { directory: resolve(dirname(config.configPath ?? ""), directory), hasUserWorker: true, runWorkerFirst },
    }),
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    manifest: { mainModule: "index.js", modules: Object.fromEntries(modules) },
    env,
    exports,
  };
}

/**
 * Options for `new Miniflare()`: the first worker gets the requests. Without `cf: false` it would contact Cloudflare.
 */
export function miniflareOptions(...workers: WorkerConfig[]): MiniflareOptions {
  const served = workers.map((config, index) => ({ config, dev: index === 0 ? ownAddress() : {} }));
  return { cf: false, workers: served } as unknown as MiniflareOptions;
}

/** Gives a Worker an address of its own: miniflare's Worker, which is in front of it otherwise, takes 1.5 ms a request. */
export const ownAddress = (port = 0) => ({ unsafeDirectSockets: [{ host: "127.0.0.1", port }] });

/** Returns the origin of a Worker that has {@link ownAddress}, as soon as it is served. */
export async function addressOf(miniflare: Miniflare, name = "main"): Promise<string> {
  return (await miniflare.unsafeGetDirectURL(name)).origin;
}

/**
 * Wraps a built Worker so that tests can move its clock and mark its log, with headers that no deployment reads.
 */
const CLOCK = `
import app from "./index.js";
export * from "./index.js";
const real = Date.now;
let ahead = 0;
Date.now = () => real() + ahead;
export default {
  fetch(request, env, ctx) {
    const put = request.headers.get("x-test-clock");
    const mark = request.headers.get("x-test-mark");
    if (put === null && mark === null) return app.fetch(request, env, ctx);
    if (put !== null) ahead = Number(put) * 1000;
    if (mark !== null) console.log(mark);
    return new Response(null, { status: 204 });
  },
};
`;

/** Puts the Worker on a clock that {@link putAhead} moves. Durable Objects of the same Worker share the clock. */
export function onTestClock(config: WorkerConfig): WorkerConfig {
  const { modules } = config.manifest as { modules: Record<string, object> };
  return {
    ...config,
    manifest: { mainModule: "clock.js", modules: { ...modules, "clock.js": { type: "esm", contents: CLOCK } } },
  };
}

/** Moves the clock of the Worker at this URL this many seconds ahead of this machine's. */
export async function putAhead(url: string, seconds: number): Promise<void> {
  await fetch(url, { headers: { "x-test-clock": String(seconds) } });
}
