/** The bindings and settings of tasks. Imports no other wiring, because the generated catalogue imports this. */
import { env } from "cloudflare:workers";
import { readSettings } from "../../settings.ts";
import type { LedgerObjects } from "./ledger/object-ledger.ts";
import type { RunParams } from "./run/engine.ts";
import { readTaskSettings } from "./settings.ts";

const variables = env as unknown as Record<string, unknown>;
const { settings } = readTaskSettings(variables);

/** The settings of tasks, with how long a result is kept. */
export const taskSettings = { ...settings, keepSeconds: readSettings(variables).settings.resultSeconds };

/** The workflow that runs tasks. A deployment without long tools may lack it, and CLAIMS. */
export const LONG = variables.LONG as Workflow<RunParams> | undefined;

export const ledgers = variables.CLAIMS as LedgerObjects | undefined;

const leaseMs = settings.leaseSeconds * 1_000;
/**
 * Milliseconds between two signs of life of a run. Each costs, so there are few. With a long lease, a minute is left
 * for one that is late or lost; into a short lease, six fit.
 */
export const beatMs = Math.min(30_000, Math.max(0.15 * leaseMs, leaseMs - 60_000));
