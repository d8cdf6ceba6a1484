/** Compares the state machine of claims with a model. stores/claims.test.ts tests the object that stores its rows. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  claim,
  extend,
  forsake,
  type LeaseAttempt,
  type LeaseRow,
  mayRelease,
  settle,
} from "../../../src/core/idempotency/lease.ts";
import { follow, type Subject, steps } from "../../faults/claim-model.ts";
import { cases } from "../../support/tier.ts";

/** A failure prints its seed and path: pass them to fc.assert, next to numRuns, to repeat it. */
const RUNS = cases(300, 3_000);

describe("a claim", () => {
  it(`behaves as the model, in ${RUNS} random histories`, async () => {
    await fc.assert(
      fc.asyncProperty(steps, (history) => follow(history, machine(), 0)),
      { numRuns: RUNS },
    );
  });

  it("tells a runner that its claim took over a key, also when the claim is repeated", () => {
    const attempt = (token: string): LeaseAttempt => ({ fingerprint: "f", token, leaseMs: 10, keepMs: 100 });
    const first = claim(undefined, attempt("dead"), 0);
    const second = claim(first.row, attempt("heir"), 10);
    expect(second.answer).toEqual({ state: "claimed", again: true });
    expect(claim(second.row, attempt("heir"), 11).answer).toEqual({ state: "claimed", again: true });
  });
});

describe("a key whose runner died", () => {
  const attempt = (fingerprint: string): LeaseAttempt => ({
    fingerprint,
    token: fingerprint,
    leaseMs: 10,
    keepMs: 100,
  });

  it("is not taken over by another call, such as one with other secrets", () => {
    const { row } = claim(undefined, attempt("first"), 0);
    expect(claim(row, attempt("other"), 50)).toEqual({ row, answer: { state: "conflict" } });
    expect(claim(row, { ...attempt("first"), token: "heir" }, 50).answer).toMatchObject({ state: "claimed" });
  });
});

/** Implements the subject with the rows of one key in a variable. */
function machine(): Subject {
  let row: LeaseRow | undefined;
  let result: string | undefined;
  return {
    claim(attempt, now) {
      const { row: next, answer } = claim(row, attempt, now);
      row = next;
      return answer;
    },
    settle(attempt, text, now) {
      const wasDone = row !== undefined && row.expires > now && row.done;
      const next = settle(row, attempt, now);
      if (next === "lost") return "lost";
      row = next;
      if (!wasDone) result = text;
      return "kept";
    },
    release(token) {
      if (mayRelease(row, token)) row = undefined;
    },
    forsake(token, now) {
      row = forsake(row, token, now);
    },
    extend(token, leaseMs, now) {
      const next = extend(row, token, leaseMs, now);
      if (next === "lost") return false;
      row = next;
      return true;
    },
    result: (now) => (row?.done && row.expires > now ? result : undefined),
  };
}
