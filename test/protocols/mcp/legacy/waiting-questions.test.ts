/** How many questions of a principal wait at a time, each of which keeps an object awake. */
import { expect, it, vi } from "vitest";
import { WAITING } from "../../../../src/core/call/questions.ts";
import { ConcurrencyLimit } from "../../../../src/core/lib/concurrency-limit.ts";
import { AnsweredWithError, NotAnswered } from "../../../../src/core/model/elicitation.ts";
import { bodyLimit } from "../../../../src/http/body.ts";
import { askLive } from "../../../../src/protocols/mcp/legacy/session-relay.ts";
import { Exchange } from "../../../../src/protocols/mcp/transport/exchange.ts";

/** Asks in a session of its own. @returns the answer, and a function that gives it */
function asking(questions: ConcurrencyLimit, id: string, bodies?: ConcurrencyLimit) {
  const answer = Promise.withResolvers<string | undefined>();
  const relay = { open: async () => {}, take: () => answer.promise };
  const exchange = new Exchange({
    context: { principal: { id }, runtime: { relay, questions }, limits: { bodies, bodyBytes: 1_048_576 } },
    session: { id: crypto.randomUUID(), revision: "2025-11-25" },
    capabilities: new Set(["form"]),
  } as never);
  vi.spyOn(exchange, "stream", "get").mockReturnValue({ isDone: false, send: vi.fn() } as never);
  const { elicit } = askLive(exchange, undefined, undefined);
  const asked = elicit?.({ kind: "roots" } as never) as Promise<unknown>;
  return {
    asked,
    answer: (text: string | undefined = '{"result":"yes"}') => answer.resolve(text),
    end: () => answer.resolve(undefined),
    isOver: () => exchange.end(),
    goesOnUntil: (end: Promise<void>) => exchange.keepInput(end),
  };
}

it("32 of one principal, and no more until one was answered; those of others do not count", async () => {
  const questions = new ConcurrencyLimit(WAITING);
  const waiting = Array.from({ length: 32 }, () => asking(questions, "key:one"));
  await expect(asking(questions, "key:one").asked).rejects.toThrow(
    "Too many calls of this caller wait for their users",
  );
  for (const one of [asking(questions, "key:two"), waiting[0]]) {
    one?.answer();
    expect(await one?.asked).toBe("yes");
  }
  const next = asking(questions, "key:one");
  next.answer();
  expect(await next.asked).toBe("yes");
});

it("none of a call that is over", async () => {
  const questions = new ConcurrencyLimit(WAITING);
  const waiting = Array.from({ length: 32 }, () => asking(questions, "key:one"));
  await expect(asking(questions, "key:one").asked).rejects.toBeInstanceOf(NotAnswered);
  waiting[0]?.isOver();
  const next = asking(questions, "key:one");
  next.answer();
  expect(await next.asked).toBe("yes");
});

it("5 MiB of answers of one principal, until their calls are over; a further one counts as not answered", async () => {
  const [questions, bodies] = [new ConcurrencyLimit(WAITING), bodyLimit(1_048_576)];
  const long = JSON.stringify({ result: "x".repeat(1_000_000) });
  const answered = (id: string, text: string) => {
    const one = asking(questions, id, bodies);
    one.answer(text);
    return one;
  };
  const calls = Array.from({ length: 5 }, () => answered("key:one", long));
  for (const { asked } of calls) expect(await asked).toHaveLength(1_000_000);
  await expect(answered("key:one", long).asked).rejects.toThrow(
    "this caller's other large requests and answers take all the room",
  );
  expect(await answered("key:one", '{"result":"short"}').asked).toBe("short");
  expect(await answered("key:two", long).asked).toHaveLength(1_000_000);
  calls[0]?.isOver();
  // An answer that comes when its call is over takes no room.
  const late = asking(questions, "key:one", bodies);
  late.isOver();
  late.answer(long);
  await expect(late.asked).rejects.toBeInstanceOf(NotAnswered);
  const last = answered("key:one", long);
  expect(await last.asked).toHaveLength(1_000_000);
  // The tool of a call that is over may go on with its answers.
  const { promise: end, resolve } = Promise.withResolvers<void>();
  last.goesOnUntil(end);
  last.isOver();
  await expect(answered("key:one", long).asked).rejects.toBeInstanceOf(NotAnswered);
  resolve();
  await vi.waitFor(async () => expect(await answered("key:one", long).asked).toHaveLength(1_000_000));
});

it("an answer of many objects takes half of the room, because parsed it takes many times its length", async () => {
  const [questions, bodies] = [new ConcurrencyLimit(WAITING), bodyLimit(1_048_576)];
  const roots = JSON.stringify({ result: Array(60_000).fill({}) });
  const answered = () => {
    const one = asking(questions, "key:one", bodies);
    one.answer(roots);
    return one;
  };
  const calls = [answered(), answered()];
  for (const { asked } of calls) expect(await asked).toHaveLength(60_000);
  await expect(answered().asked).rejects.toThrow("this caller's other large requests and answers take all the room");
  calls[0]?.isOver();
  expect(await answered().asked).toHaveLength(60_000);
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
