/** A built Worker as miniflare runs it, with the deployment's settings and bindings and no proxy before it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_readConfig } from "wrangler";

export interface WorkerConfig {
  readonly name: string;
  readonly [option: string]: unknown;
}

/**
 * @param script path of the built Worker
 * @param root   folder of the wrangler.toml with its settings
 * @param objects name of the Worker that owns the Durable Objects: its own, where it is alone
 */
export function workerConfig(script: string, root: string, name = "main", objects = name): WorkerConfig {
  const config = unstable_readConfig({ config: join(root, "wrangler.toml") });
  const contents = readFileSync(script, "utf8");
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
  return {
    name,
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    manifest: { mainModule: "index.js", modules: { "index.js": { type: "esm", contents } } },
    env,
    exports,
  };
}

/** Options for `new Miniflare()`: the first worker gets the requests. Without `cf: false` it asks Cloudflare where it is. */
export function miniflareOptions(...workers: WorkerConfig[]): object {
  return { cf: false, workers: workers.map((config) => ({ config })) };
}
