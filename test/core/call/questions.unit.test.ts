/** How long a live question waits, and when it is not asked: with a fake clock. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type ElicitingRun, Questions } from "../../../src/core/call/questions.ts";
import type { Question } from "../../../src/core/model/elicitation.ts";

const QUESTION: Question = { kind: "page", message: "Sign in.", url: "https://pay.example.com/1" };
const NEVER = new Promise<never>(() => {});

function asking(elicit: () => Promise<unknown>, more: Partial<ElicitingRun> = {}) {
  const asker = {
    hasEnded: false,
    now: () => Date.now(),
    extendLease: undefined,
    onInputRequired: undefined,
    fingerprint: undefined,
    ...more,
  };
  return { asker, questions: new Questions(asker, { capabilities: new Set(["page"] as const), elicit }) };
}

/** The result of a promise so far. */
function endOf(promise: Promise<unknown>): { readonly said: string } {
  const end = { said: "nothing yet" };
  promise.then(
    () => Object.assign(end, { said: "an answer" }),
    (error: Error) => Object.assign(end, { said: error.message }),
  );
  return end;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a question that nobody answers", () => {
  it("waits for ten minutes, which do not count as the tool's time", async () => {
    const { questions } = asking(() => NEVER);
    const end = endOf(questions.ask("page", QUESTION));
    await vi.advanceTimersByTimeAsync(10 * 60_000 - 1);
    expect([end.said, questions.waitedMs]).toEqual(["nothing yet", 10 * 60_000 - 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect(end.said).toBe("The caller did not answer the question");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(questions.waitedMs).toBe(10 * 60_000);
  });

  it("overlapping with another counts the shared time once", async () => {
    const { questions } = asking(() => NEVER);
    const ends = [endOf(questions.ask("a", QUESTION))];
    await vi.advanceTimersByTimeAsync(60_000);
    ends.push(endOf(questions.ask("b", QUESTION)));
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    expect(ends.map(({ said }) => said)).toEqual(Array(2).fill("The caller did not answer the question"));
    expect(questions.waitedMs).toBe(11 * 60_000);
  });

  it("ends with its call", async () => {
    const { questions } = asking(() => NEVER);
    const end = endOf(questions.ask("page", QUESTION));
    await vi.advanceTimersByTimeAsync(1_000);
    questions.stop();
    await vi.advanceTimersByTimeAsync(0);
    expect(end.said).toBe("The call was over before its caller answered");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a question of a keyed call", () => {
  it("extends the lease first, for as long as it may wait", async () => {
    const held: number[] = [];
    const extendLease = async (ms: number) => held.push(ms) > 0;
    const { questions } = asking(
      async () => {
        expect(held).toHaveLength(1);
        return { action: "decline" };
      },
      { extendLease },
    );
    expect(await questions.ask("page", QUESTION)).toEqual({ action: "decline" });
    expect(held).toEqual([10 * 60_000]);
  });

  it("is not asked if the lease cannot be extended: a duplicate may run before it is answered", async () => {
    const ask = vi.fn(async () => ({ action: "decline" }));
    const { questions } = asking(ask, { extendLease: async () => false });
    const end = endOf(questions.ask("page", QUESTION));
    await vi.advanceTimersByTimeAsync(0);
    expect([end.said, ask.mock.calls.length]).toEqual(["The caller did not answer the question", 0]);
  });
});

describe("a run that has ended", () => {
  it("gets an error for each question, and a loop that ignores it stops", async () => {
    const { questions } = asking(() => NEVER, { hasEnded: true });
    await expect(questions.ask("page", QUESTION)).rejects.toThrow("The call is over");
    let tries = 0;
    const loop = async () => {
      for (;;) {
        tries++;
        try {
          return await questions.ask("page", QUESTION);
        } catch {}
      }
    };
    const end = endOf(loop());
    await vi.advanceTimersByTimeAsync(60_000);
    expect([end.said, tries, vi.getTimerCount()]).toEqual(["nothing yet", 32, 0]);
  });
});
