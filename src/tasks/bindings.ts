/** The bindings and settings of tasks. Imports no other wiring, because the generated catalogue imports this. */
import { env } from "cloudflare:workers";
import { readSettings } from "../settings.ts";
import type { LedgerObjects, TasksWorkflow } from "./object-tasks.ts";
import { readTaskSettings } from "./settings.ts";

const variables = env as unknown as Record<string, unknown>;
const { settings, mistakes } = readTaskSettings(variables);

/** Discovery refuses them in wrangler.toml. A secret may still have a name of these. */
export const taskMistakes = mistakes;

/** With how long a result is kept. */
export const taskSettings = { ...settings, keepSeconds: readSettings(variables).settings.resultSeconds };

/** Optional: without it, tasks run in Durable Objects, where a crash or a deployment may end them. */
export const LONG = variables.LONG as TasksWorkflow | undefined;

/** The objects that keep ledgers. */
export const ledgers = variables.CLAIMS as LedgerObjects | undefined;

/** A run gives several signs of life in a lease, so that a lost one does not matter. */
export const beatMs = Math.min(15_000, settings.leaseSeconds * 150);
