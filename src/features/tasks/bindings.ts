/** The bindings and settings of tasks. Imports no other wiring, because the generated catalogue imports this. */
import { env } from "cloudflare:workers";
import { readSettings } from "../../settings.ts";
import type { LedgerObjects } from "./ledger/object-ledger.ts";
import type { RunParams } from "./run/engine.ts";
import { readTaskSettings } from "./settings.ts";

const variables = env as unknown as Record<string, unknown>;
const { settings } = readTaskSettings(variables);

/** With how long a result is kept. */
export const taskSettings = { ...settings, keepSeconds: readSettings(variables).settings.resultSeconds };

/** The workflow that runs tasks. A deployment without long tools may lack it, and CLAIMS. */
export const LONG = variables.LONG as Workflow<RunParams> | undefined;

/** The objects that keep ledgers. */
export const ledgers = variables.CLAIMS as LedgerObjects | undefined;

/** A run gives three signs of life in a lease, so that a lost one does not matter. */
export const beatMs = Math.min(30_000, settings.leaseSeconds * 333);
