/** An outbox while workerd is killed and receivers misbehave: a small run of `npm run faults outbox`. */
import { expect, it } from "vitest";
import { driveOutbox } from "./drive.ts";
import { noOutboxTally, type OutboxPlan } from "./plan.ts";

const PLAN: OutboxPlan = { seed: 1, events: 60, kills: 6, livesMs: 1_500, minuteMs: 3, attemptMs: 1_500 };

it(`delivers each of ${PLAN.events} events, or says why not, though the server is killed again and again`, async () => {
  const tally = await driveOutbox(PLAN);
  const { kills, samples, wrong, delivered, dead, late, deliveries } = tally;
  console.log(JSON.stringify({ ...tally, samples: samples.length }));
  expect(wrong, samples.slice(0, 30).join("\n")).toEqual(noOutboxTally().wrong);
  const given = Object.values(dead).reduce((sum, count) => sum + count, 0);
  expect(delivered + given + late).toBe(deliveries);
  // One more at the end, after which nothing may be sent.
  expect(Object.values(kills).reduce((sum, count) => sum + count)).toBe(PLAN.kills + 1);
  // It was put to the test.
  expect(given).toBeGreaterThan(0);
  expect(delivered).toBeGreaterThan(PLAN.events);
});
