/** The settings of this deployment's outbox, as read. Imports no other wiring, because the generated modules import this. */
import { env } from "cloudflare:workers";
import { readSettings } from "../../settings.ts";
import { readOutboxSettings } from "./settings.ts";

const variables = env as unknown as Record<string, unknown>;

/** Discovery refuses mistakes in wrangler.toml. A secret may still have the name of a setting. */
export const { settings: outboxSettings, mistakes: outboxMistakes } = readOutboxSettings(variables);

/** Hosts in a private network that messages may be sent to. */
export const allowedHosts = readSettings(variables).settings.privateHosts;
