/** The settings of the outbox: their defaults, and which values are mistakes. */
import { expect, it } from "vitest";
import { readOutboxSettings } from "../../../src/features/outbox/settings.ts";

const DAY = 86_400;

it('have defaults, if left out or ""', () => {
  const settings = {
    ...{ eventSeconds: DAY, deadLetterSeconds: 7 * DAY, subscriptionSeconds: DAY },
    ...{ subscriptionsPerPrincipal: 100, minuteMs: 60_000, attemptMs: 10_000 },
  };
  expect(readOutboxSettings({})).toMatchObject({ settings, mistakes: [] });
  expect(readOutboxSettings({ EVENT_TTL_SECONDS: "" })).toMatchObject({ settings, mistakes: [] });
});

it.each([
  ["EVENT_TTL_SECONDS", "1d", 'EVENT_TTL_SECONDS is "1d"', "write seconds as a whole number from 60 to 31536000"],
  ["DEAD_LETTER_TTL_SECONDS", 59, "DEAD_LETTER_TTL_SECONDS is 59", "write seconds as a whole number from 60"],
  ["SUBSCRIPTION_TTL_SECONDS", [], "SUBSCRIPTION_TTL_SECONDS is []", "write a text in quotes"],
  ["SUBSCRIPTIONS_PER_PRINCIPAL", "0", 'SUBSCRIPTIONS_PER_PRINCIPAL is "0"', "write subscriptions as a whole number"],
])("%s = %j is a mistake, and its default counts", (setting, value, problem, fix) => {
  const { settings, mistakes } = readOutboxSettings({ [setting]: value });
  expect(mistakes).toEqual([{ setting, problem, fix: expect.stringContaining(fix) }]);
  expect(settings).toEqual(readOutboxSettings({}).settings);
});

it("are named, so that a misspelled one is found", () => {
  expect(readOutboxSettings({}).names).toContain("EVENT_TTL_SECONDS");
});
