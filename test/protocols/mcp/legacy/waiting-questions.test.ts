/** How many questions of a principal wait at a time, each of which keeps an object awake. */
import { expect, it, vi } from "vitest";
import { WAITING } from "../../../../src/core/call/questions.ts";
import { ConcurrencyLimit } from "../../../../src/core/lib/concurrency-limit.ts";
import { askLive } from "../../../../src/protocols/mcp/legacy/session-relay.ts";

/** Asks in a session of its own. @returns the answer, and a function that gives it */
function asking(questions: ConcurrencyLimit, id: string) {
  const answer = Promise.withResolvers<string>();
  const relay = { open: async () => {}, take: () => answer.promise };
  const exchange = {
    context: { principal: { id }, runtime: { relay, questions } },
    session: { id: crypto.randomUUID(), revision: "2025-11-25" },
    capabilities: new Set(["form"]),
    stream: { isDone: false, send: vi.fn() },
    hasAsked() {},
    isAnswered() {},
  };
  const { elicit } = askLive(exchange as never, undefined, undefined);
  const asked = elicit?.({ kind: "roots" } as never) as Promise<unknown>;
  return { asked, answer: () => answer.resolve('{"result":"yes"}') };
}

it("32 of one principal, and no more until one was answered; those of others do not count", async () => {
  const questions = new ConcurrencyLimit(WAITING);
  const waiting = Array.from({ length: 32 }, () => asking(questions, "key:one"));
  await expect(asking(questions, "key:one").asked).rejects.toThrow(
    "Too many questions of this caller wait for answers",
  );
  for (const one of [asking(questions, "key:two"), waiting[0]]) {
    one?.answer();
    expect(await one?.asked).toBe("yes");
  }
  const next = asking(questions, "key:one");
  next.answer();
  expect(await next.asked).toBe("yes");
});
