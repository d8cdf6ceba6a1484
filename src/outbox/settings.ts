/** Reads the settings of the outbox, as src/settings.ts reads the others. Forks without it do not read these. */
import { numberSettings } from "../number-settings.ts";
import type { SettingsRead } from "../settings.ts";

export interface OutboxSettings {
  /** How long an event can be read, or replayed to a new subscription. */
  readonly eventSeconds: number;
  /** How long a delivery is known after it has arrived or was given up. */
  readonly deadLetterSeconds: number;
  /** The longest lifetime of a subscription. So long, a credential that was revoked still gets events. */
  readonly subscriptionSeconds: number;
  readonly subscriptionsPerPrincipal: number;
  /** For tests: what a minute of the schedule lasts, in milliseconds. */
  readonly minuteMs: number;
  /** For tests: how long an attempt may take. */
  readonly attemptMs: number;
}

export type OutboxSettingsRead = Omit<SettingsRead, "settings"> & { readonly settings: OutboxSettings };

const DAY_SECONDS = 86_400;
const MAX_SECONDS = 365 * DAY_SECONDS;

/** @param env variables and secrets by name; "" counts as unset */
export function readOutboxSettings(env: Readonly<Record<string, unknown>>): OutboxSettingsRead {
  const { number, mistakes, names } = numberSettings(env);
  const settings: OutboxSettings = {
    eventSeconds: number("EVENT_TTL_SECONDS", DAY_SECONDS, "seconds", MAX_SECONDS, 60),
    deadLetterSeconds: number("DEAD_LETTER_TTL_SECONDS", 7 * DAY_SECONDS, "seconds", MAX_SECONDS, 60),
    subscriptionSeconds: number("SUBSCRIPTION_TTL_SECONDS", DAY_SECONDS, "seconds", MAX_SECONDS, 60),
    subscriptionsPerPrincipal: number("SUBSCRIPTIONS_PER_PRINCIPAL", 100, "subscriptions", 10_000),
    minuteMs: number("OUTBOX_MINUTE_MS", 60_000, "milliseconds", 60_000),
    attemptMs: number("OUTBOX_ATTEMPT_MS", 10_000, "milliseconds", 10_000),
  };
  return { settings, mistakes, names };
}
