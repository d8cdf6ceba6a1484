/** How the Worker speaks to the objects that keep ledgers: they are restarted now and then. */
import { describe, expect, it } from "vitest";
import type { TaskLedger } from "../../../src/core/ports/task-ledger.ts";
import { type LedgerObjects, ledgerIn } from "../../../src/features/tasks/ledger/object-ledger.ts";

/** A namespace whose ledgers fail so many times, and then answer with their method's name. */
function failing(times: number, error: Error) {
  const asked: unknown[][] = [];
  let left = times;
  const answer =
    (method: string) =>
    async (...given: unknown[]) => {
      asked.push([method, ...given]);
      if (left-- > 0) throw error;
      return method;
    };
  const tasks = new Proxy({}, { get: (_, method: string) => answer(method) });
  const ledger = ledgerIn({ getByName: () => ({ tasks }) } as unknown as LedgerObjects, "p");
  return { asked, ledger };
}

const RESET = new Error("Durable Object reset because its code was updated.");

describe("a ledger that is restarting", () => {
  it("is asked once more, with the same words, whatever the question", async () => {
    const questions: Record<keyof TaskLedger, unknown[]> = {
      find: [[]],
      start: [{ id: "t" }],
      read: ["t"],
      answer: ["t", { q: "answer" }],
      cancel: ["t"],
      deliver: ["t"],
      watch: ["t"],
      begin: ["t", "attempt"],
      beat: ["t", 1, "report"],
      ask: ["t", 1, "q", "question"],
      take: ["t", 1, "q"],
      checkpoint: ["t", 1],
      enter: ["t", 1, "step"],
      finish: ["t", 1, "result", true],
      fail: ["t", 1, "lost"],
    };
    for (const [method, given] of Object.entries(questions)) {
      const { asked, ledger } = failing(1, RESET);
      const ask = ledger[method as keyof TaskLedger] as (...given: unknown[]) => Promise<unknown>;
      expect(await ask(...given)).toBe(method);
      expect(asked).toEqual([
        [method, ...given],
        [method, ...given],
      ]);
    }
  });

  it("is not asked a third time", async () => {
    const { asked, ledger } = failing(2, RESET);
    await expect(ledger.cancel("t")).rejects.toThrow(RESET);
    expect(asked).toHaveLength(2);
  });

  it("is left alone if it has too much to do", async () => {
    const { asked, ledger } = failing(1, Object.assign(new Error("Too many requests"), { overloaded: true }));
    await expect(ledger.cancel("t")).rejects.toThrow("Too many");
    expect(asked).toHaveLength(1);
  });
});
