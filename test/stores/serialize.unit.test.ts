/** Changes to one name, one after the other. */
import { expect, it } from "vitest";
import { takingTurns } from "../../src/stores/serialize.ts";

it("remembers no more than 10,000 changes that never end, because their requests were cut short", async () => {
  const inTurn = takingTurns(() => 0);
  const ran: number[] = [];
  for (let at = 0; at <= 10_000; at++) {
    void inTurn(`${at}`, () => {
      ran.push(at);
      return new Promise(() => {});
    });
  }
  expect(ran).toHaveLength(10_001);
  await inTurn("0", async () => void ran.push(0));
  expect(ran).toHaveLength(10_002);
});
