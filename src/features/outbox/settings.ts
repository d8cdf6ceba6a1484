/** Reads the settings of the outbox, as src/settings.ts reads the others. Forks without it do not read these. */
import { settingsReader } from "../../settings-reader.ts";

const DAY_SECONDS = 86_400;
const MAX_SECONDS = 365 * DAY_SECONDS;

/** @param env variables and secrets by name; "" counts as unset */
export function readOutboxSettings(env: Readonly<Record<string, unknown>>) {
  const { number, read } = settingsReader(env);
  return read({
    /** How long an event can be read, or replayed to a new subscription. */
    eventSeconds: number("EVENT_TTL_SECONDS", DAY_SECONDS, "seconds", MAX_SECONDS, 60),
    /** How long a delivery is known after it has arrived or was given up. */
    deadLetterSeconds: number("DEAD_LETTER_TTL_SECONDS", 7 * DAY_SECONDS, "seconds", MAX_SECONDS, 60),
    /**
     * The longest lifetime of a subscription. Until it ends, a subscription of a revoked credential still gets events.
     */
    subscriptionSeconds: number("SUBSCRIPTION_TTL_SECONDS", DAY_SECONDS, "seconds", MAX_SECONDS, 60),
    subscriptionsPerPrincipal: number("SUBSCRIPTIONS_PER_PRINCIPAL", 100, "subscriptions", 10_000),
    /** For tests: how long a minute of the schedule lasts, in milliseconds. */
    minuteMs: number("OUTBOX_MINUTE_MS", 60_000, "milliseconds", 60_000),
    /** For tests: how long an attempt may take, in milliseconds. */
    attemptMs: number("OUTBOX_ATTEMPT_MS", 10_000, "milliseconds", 10_000),
  });
}

export type OutboxSettings = ReturnType<typeof readOutboxSettings>["settings"];
