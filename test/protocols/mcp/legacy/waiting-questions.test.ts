/** How many questions of a principal wait at a time, each of which keeps an object awake. */
import { expect, it, vi } from "vitest";
import { WAITING } from "../../../../src/core/call/questions.ts";
import { ConcurrencyLimit } from "../../../../src/core/lib/concurrency-limit.ts";
import { AnsweredWithError, NotAnswered } from "../../../../src/core/model/elicitation.ts";
import { askLive } from "../../../../src/protocols/mcp/legacy/session-relay.ts";

/** Asks in a session of its own. @returns the answer, and a function that gives it */
function asking(questions: ConcurrencyLimit, id: string) {
  const answer = Promise.withResolvers<string | undefined>();
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
  return {
    asked,
    answer: (text: string | undefined = '{"result":"yes"}') => answer.resolve(text),
    end: () => answer.resolve(undefined),
  };
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

it("a client that answers with an error has answered; one whose session has ended has not", async () => {
  const [refused, gone] = [asking(new ConcurrencyLimit(WAITING), "a"), asking(new ConcurrencyLimit(WAITING), "a")];
  refused.answer('{"error":{"code":-1,"message":"no"}}');
  gone.end();
  await expect(refused.asked).rejects.toBeInstanceOf(AnsweredWithError);
  const error = await gone.asked.catch((thrown) => thrown);
  expect(error).toBeInstanceOf(NotAnswered);
  expect(error).not.toBeInstanceOf(AnsweredWithError);
});
