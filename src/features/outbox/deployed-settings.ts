/**
 * The settings of this deployment's outbox, as read. Imports no other wiring, because the generated modules import
 * this.
 */
import { env } from "cloudflare:workers";
import { readSettings } from "../../settings.ts";
import { readOutboxSettings } from "./settings.ts";

const variables = env as unknown as Record<string, unknown>;

export const { settings: outboxSettings } = readOutboxSettings(variables);

/** Hosts in a private network that messages may be sent to. */
export const allowedHosts = readSettings(variables).settings.privateHosts;
