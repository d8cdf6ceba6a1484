/** The bindings and settings of tasks. */
import { env } from "cloudflare:workers";
import { bindings, log, settings } from "../runtime.ts";
import type { LedgerObjects, TasksWorkflow } from "./object-tasks.ts";
import { readTaskSettings } from "./settings.ts";

const variables = env as unknown as Record<string, unknown>;
const { settings: own, mistakes } = readTaskSettings(variables);

// Discovery refuses such settings; a secret of that name could still have one.
for (const { setting, problem, fix } of mistakes) {
  log({ level: "error", message: `${problem}: ${fix}. Until then, its default counts`, setting });
}

/** With how long a result is kept. */
export const taskSettings = { ...own, keepSeconds: settings.resultSeconds };

/** Optional: without it, tasks run in Durable Objects, where a crash or a deployment may end them. */
export const LONG = variables.LONG as TasksWorkflow | undefined;

/** The objects that keep ledgers. */
export const ledgers = bindings.CLAIMS as unknown as LedgerObjects | undefined;

/** A run gives several signs of life in a lease, so that a lost one does not matter. */
export const beatMs = Math.min(15_000, own.leaseSeconds * 150);
