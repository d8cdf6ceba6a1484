/** Which calls become one task: never those of two users, because whoever joins a task may be asked its questions. */
import { describe, expect, it, vi } from "vitest";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import { partyOf } from "../../../src/core/idempotency/idempotency.ts";
import { GRANT, PARTITION, type Principal, partitionOf } from "../../../src/core/model/principal.ts";
import type { LongCall } from "../../../src/core/ports/runtime.ts";
import type { NewTask, Started, TaskLedger } from "../../../src/core/ports/task-ledger.ts";
import { taskSeal } from "../../../src/features/tasks/task-seal.ts";
import { createTasks } from "../../../src/features/tasks/tasks.ts";

const signer = hmacSigner(async () => new Uint8Array(32));
const principal = (id: string, more: object = {}): Principal => ({ id, scopes: [], reach: [], ...more });
const KEY = principal("key:one");
const signedIn = (grant: string) => principal("key:one", { [GRANT]: grant });
const STILL_RUNNING = { kind: "accepted", task: { id: "t1" } };
const CAN_BE_ASKED = { elicitation: { capabilities: new Set(["form"]) } };

let calls = 0;
/** What a call brings to the ledger, which answers as it is told. */
async function call(
  who: Principal,
  more: object = {},
  answer?: (task: NewTask) => Started,
  read?: () => Promise<unknown>,
) {
  const started: NewTask[] = [];
  const ledger = {
    start: async (task: NewTask): Promise<Started> => {
      started.push(task);
      return answer?.(task) ?? { state: "full" };
    },
    read,
  } as unknown as TaskLedger;
  const tasks = createTasks({ ledgerOf: () => ledger, waitMs: 0, limit: 1, keepMs: 1 });
  const { outcome } = await tasks.carryOut(longCall(who, more));
  return { outcome, task: started[0] as NewTask };
}

function longCall(who: Principal, more: object): LongCall {
  const entry = { id: "Kit.Long", version: "1.0.0", options: { long: true }, toolkit: "kit" };
  const found = { entry };
  const caller = { callId: `call ${++calls}`, principal: who, input: { a: 1 }, tool: { id: "Kit.Long" }, ...more };
  return {
    caller: { context: { authorization: [], secrets: [] }, ...caller },
    primitive: entry,
    granted: {},
    runtime: { signer, catalog: { scopes: [], find: () => found }, log: () => {} },
  } as unknown as LongCall;
}

const joinsByInput = async (one: Principal, other: Principal, more: object) => {
  const keysOf = async (who: Principal) =>
    (await call(who, more)).task.keys.filter(({ isFreed, isEarlier }) => isFreed && !isEarlier);
  const [first, second] = [await keysOf(one), await keysOf(other)];
  return first.length > 0 && first[0]?.key === second[0]?.key;
};

describe("two calls with the same input and without a key are one task", () => {
  it.each<[string, Principal, object]>([
    ["of a key that cannot be asked", KEY, {}],
    ["of one sign-in", signedIn("a"), CAN_BE_ASKED],
    ["of a token's subject", principal("jwt:ada"), CAN_BE_ASKED],
    [
      "of a key's user who is named",
      KEY,
      { ...CAN_BE_ASKED, context: { authorization: [], secrets: [], userId: "ada" } },
    ],
    ["of a session", KEY, { ...CAN_BE_ASKED, sessionId: "s" }],
  ])("%s", async (_, who, more) => {
    expect(await joinsByInput(who, who, more)).toBe(true);
  });

  it.each<[string, Principal, Principal, object]>([
    ["of two sign-ins with one key", signedIn("a"), signedIn("b"), {}],
    ["of two sign-ins with one key that can be asked", signedIn("a"), signedIn("b"), CAN_BE_ASKED],
    ["of a key that many may share, and that can be asked", KEY, KEY, CAN_BE_ASKED],
    [
      "of nobody in particular who can be asked",
      ...twice(principal("anonymous", { [PARTITION]: () => "p" })),
      CAN_BE_ASKED,
    ],
  ])("but not %s", async (_, one, other, more) => {
    expect(await joinsByInput(one, other, more)).toBe(false);
  });
});

/** How a call ends whose idempotency key is that of a task. @param head what is kept of the call that began it */
async function joined(head: object, who: Principal, more: object = {}, questions: object = {}, result?: object) {
  const seal = await taskSeal(signer, partitionOf(who), "t1");
  const sealed = await Promise.all(
    Object.entries(questions).map(async ([name, question]) => [name, await seal.seal(`question ${name}`, question)]),
  );
  const stored = {
    ...{ id: "t1", created: 0, updated: 0, expires: 1e15, sequence: 1, isAwaited: false },
    head: await seal.seal("head", { toolId: "Kit.Long", version: "1.0.0", scopes: [], session: undefined, ...head }),
    status: result ? "completed" : "working",
    result: result && (await seal.seal("result", { durationMs: 1, ...result })),
    questions: Object.fromEntries(sealed),
  };
  const answer = () => ({ state: "joined", task: stored }) as unknown as Started;
  return (await call(who, { key: "call_1", ...CAN_BE_ASKED, ...more }, answer, async () => stored)).outcome;
}
const RUNNING = { kind: "refused", refusal: { reason: "running", retryAfterMs: expect.any(Number) } };
const QUESTION = { word: { kind: "form", message: "Your word?", fields: {} } };

describe("a call with the idempotency key of another sign-in's task", () => {
  it("is told that it runs, and neither asked its questions nor told how to follow it", async () => {
    expect(await joined({ grant: "a" }, signedIn("a"), {}, QUESTION)).toMatchObject({ kind: "asking" });
    expect(await joined({ grant: "a" }, signedIn("b"), {}, QUESTION)).toEqual(RUNNING);
    expect(await joined({ grant: "a" }, signedIn("b"))).toEqual(RUNNING);
    expect(await joined({ grant: "a" }, signedIn("b"), { followsTasks: true })).toEqual(RUNNING);
  });
});

describe("a call with the idempotency key of a task of a session", () => {
  const STRANGER = principal("anonymous", { [PARTITION]: () => "address" });
  const NAMELESS = principal("jwt:issuer", { [PARTITION]: () => "address" });
  const EARLIER = { session: { id: "s1", begun: false } };
  const BEGUN = { session: { id: "s1", begun: true } };
  const ofKey = (head: { session: object }) => ({ session: { ...head.session, by: partyOf({ principal: KEY }) } });
  const named = { context: { authorization: [], secrets: [], userId: "ada" } };
  const BEGINS = { sessionId: "s2", beginsSession: true };

  it.each<[string, object, Principal, object]>([
    ["another session of a key that many may share", ofKey(EARLIER), KEY, { sessionId: "s2" }],
    ["a new session of such a key, with a task of an earlier one", ofKey(EARLIER), KEY, BEGINS],
    ["an earlier session of such a key, with a task that began one", ofKey(BEGUN), KEY, { sessionId: "s2" }],
    ["no session", ofKey(EARLIER), KEY, {}],
    ["another session of a stranger", EARLIER, STRANGER, { sessionId: "s2" }],
    ["another session of a token without a subject", EARLIER, NAMELESS, { sessionId: "s2" }],
    ["a new session of a stranger, with a task that began one, too", BEGUN, STRANGER, BEGINS],
  ])("from %s: is told that it runs, and nothing else", async (_, head, who, more) => {
    const callback = { callback: { url: "https://receiver.example/" } };
    expect(await joined(head, who, more)).toEqual(RUNNING);
    expect(await joined(head, who, { ...more, ...callback, followsTasks: true })).toEqual(RUNNING);
    expect(await joined(head, who, more, QUESTION)).toEqual(RUNNING);
  });

  it.each<[string, object, Principal, object]>([
    ["the same session", ofKey(EARLIER), KEY, { sessionId: "s1" }],
    ["the same session of a stranger", EARLIER, STRANGER, { sessionId: "s1" }],
    ["a new session of a key, with a task that began one", ofKey(BEGUN), KEY, BEGINS],
    ["another session of one token's subject", EARLIER, principal("jwt:ada"), { sessionId: "s2" }],
    ["another session of one sign-in", { ...EARLIER, grant: "a" }, signedIn("a"), { sessionId: "s2" }],
    ["another session of a user who is named", ofKey(EARLIER), KEY, { sessionId: "s2", ...named }],
    ["any session, with a task that has none", {}, KEY, { sessionId: "s2" }],
  ])("from %s: may follow it", async (_, head, who, more) => {
    expect(await joined(head, who, more)).toMatchObject(STILL_RUNNING);
    expect(await joined(head, who, { ...more, followsTasks: true })).toMatchObject(STILL_RUNNING);
    expect(await joined(head, who, more, QUESTION)).toMatchObject({ kind: "asking" });
  });

  it("gets the result when it has ended, unless the tool has used its session", async () => {
    const outcome = { kind: "completed", value: 1 };
    const ended = (result: object) => joined(ofKey(EARLIER), KEY, { sessionId: "s2" }, {}, { outcome, ...result });
    expect(await ended({ sawSession: false })).toEqual(outcome);
    expect(await ended({ sawSession: true })).toEqual({ kind: "refused", refusal: { reason: "conflict" } });
  });
});

it("each task has pages of its own, also if it has the idempotency key of one before", async () => {
  const callOf = async () => {
    const { task } = await call(KEY, { key: "again" });
    const seal = await taskSeal(signer, task.partition, task.id);
    return seal.open<{ readonly seed: string; readonly idempotencyKey: string }>("call", task.call);
  };
  const [one, other] = [await callOf(), await callOf()];
  expect(one.idempotencyKey).toBe(other.idempotencyKey);
  expect(one.seed).not.toBe(other.seed);
});

it("a caller whose answer finds no room is told so, and may give it again", async () => {
  const seal = await taskSeal(signer, "key:one", "t1");
  const head = await seal.seal("head", { toolId: "Kit.Long", version: "1.0.0", scopes: [], session: undefined });
  const stored = { id: "t1", head, status: "input_required", created: 0, updated: 0, expires: 1e15, sequence: 1 };
  const task = { ...stored, questions: { word: await seal.seal("question word", QUESTION.word) }, isAwaited: false };
  const ledger = {
    start: async () => ({ state: "joined", task }),
    read: async () => task,
    answer: async () => "no_room",
  } as unknown as TaskLedger;
  const tasks = createTasks({ ledgerOf: () => ledger, waitMs: 1e9, limit: 1, keepMs: 1 });
  const answers = new Map([["word", { question: undefined, answer: { action: "accept" } }]]);
  const capabilities = new Set(["form"]);
  for (const elicitation of [
    { capabilities, answers },
    { capabilities, elicit: async () => ({ action: "accept" }) },
  ]) {
    const { outcome } = await tasks.carryOut(longCall(KEY, { key: "k", elicitation }));
    const fault = { message: expect.stringContaining("100 MB"), canRetry: true, retryAfterMs: expect.any(Number) };
    expect(outcome).toEqual({ kind: "failed", fault });
  }
});

it("a call of many objects weighs more than its text, and two of them are all that a principal may have", async () => {
  const weightOf = async (input: unknown) => (await call(KEY, { input })).task;
  const text = await weightOf({ a: "x".repeat(100_000) });
  expect(text.weight).toBeLessThan(text.call.length + 1_000);
  const objects = await weightOf({ a: Array.from({ length: 1_000 }, () => ({})) });
  expect(objects.weight).toBeGreaterThan(objects.call.length + 60_000);
  const most = await weightOf({ a: Array.from({ length: 99_000 }, () => ({})) });
  expect(most.weight).toBe(3_500_000);
});

it("secrets, and what was prepared, weigh like an input", async () => {
  const secrets = new Map(Array.from({ length: 1_000 }, (_, at) => [`s${at}`, "x"]));
  const { task } = await call(KEY, { key: "k", context: { authorization: [], secrets } });
  expect(task.weight).toBeGreaterThan(task.call.length + 60_000);
  const start = vi.fn(async (_: NewTask) => ({ state: "full" }));
  const ledger = { find: async () => undefined, start } as unknown as TaskLedger;
  const tasks = createTasks({ ledgerOf: () => ledger, waitMs: 0, limit: 1, keepMs: 1 });
  const prepare = async () => ({ value: Array.from({ length: 1_000 }, () => ({})), sawSession: false });
  await tasks.carryOut({ ...longCall(KEY, { key: "k" }), prepare });
  const [[prepared]] = start.mock.calls as [[NewTask]];
  expect(prepared.weight).toBeGreaterThan(prepared.call.length + 60_000);
});

/** A task with a question, and a caller that answers it. */
async function askingTask() {
  const seal = await taskSeal(signer, "key:one", "t1");
  const head = await seal.seal("head", { toolId: "Kit.Long", version: "1.0.0", scopes: [], session: undefined });
  const stored = { id: "t1", head, status: "input_required", created: 0, updated: 0, expires: 1e15, sequence: 1 };
  const questions = { word: await seal.seal("question word", QUESTION.word) };
  const [answer, extend] = [vi.fn(async (..._: unknown[]) => true), vi.fn(async (..._: unknown[]) => {})];
  const ledger = { read: async () => ({ ...stored, questions, isAwaited: false }), answer } as unknown as TaskLedger;
  const tasks = createTasks({ ledgerOf: () => ledger, waitMs: 1, limit: 1, keepMs: 60_000 });
  const { caller, runtime } = longCall(KEY, { key: "k" });
  const [deferred, lines]: [Promise<unknown>[], object[]] = [[], []];
  const by = {
    caller,
    runtime: {
      ...runtime,
      callbacks: { extend } as never,
      defer: (work: Promise<unknown>) => void deferred.push(work),
      log: (line: object) => void lines.push(line),
    },
  };
  return { tasks, by, answer, extend, deferred, lines };
}

it("answers of many objects weigh more than their text, like a call of many", async () => {
  const { tasks, by, answer } = await askingTask();
  const weightOf = async (content: unknown) => {
    await tasks.answer("t1", new Map([["word", { action: "accept", content }]]), by);
    return answer.mock.lastCall?.[3];
  };
  expect(await weightOf({ word: "x".repeat(100_000) })).toBeLessThan(140_000);
  expect(await weightOf(Array.from({ length: 1_000 }, () => ({})))).toBeGreaterThan(60_000);
  expect(await weightOf(Array.from({ length: 99_000 }, () => ({})))).toBe(3_500_000);
});

it("an answer keeps the task, and its callbacks, for as long as a new one, and ten minutes for a page", async () => {
  const { tasks, by, answer, extend, deferred, lines } = await askingTask();
  const before = Date.now();
  expect(await tasks.answer("t1", new Map([["word", { action: "accept" }]]), by)).toBe(true);
  // The tool's time limit, the time for which results are kept, and ten minutes for a user who is at a page.
  const ttlMs = 60_000 + 60_000 + 600_000;
  expect(answer.mock.calls[0]?.[2]).toBe(ttlMs);
  const [partition, id, expires] = extend.mock.calls[0] ?? [];
  expect([partition, id]).toEqual(["key:one", "t1"]);
  expect(expires).toBeGreaterThanOrEqual(before + ttlMs);
  // The outbox may be restarting, or of an earlier version.
  extend.mockRejectedValueOnce(new Error("not reached"));
  expect(await tasks.answer("t1", new Map([["word", { action: "accept" }]]), by)).toBe(true);
  await Promise.all(deferred);
  expect(lines).toMatchObject([{ message: "callbacks not extended" }]);
  // An answer that is not taken extends nothing.
  answer.mockResolvedValueOnce("no_room" as never);
  await tasks.answer("t1", new Map([["word", { action: "accept" }]]), by);
  expect(extend).toHaveBeenCalledTimes(2);
});

describe("calls that wait", () => {
  /** Tasks of one principal that never end. */
  async function waiting() {
    const isOver = { value: false };
    const cut = { value: false };
    let reads = 0;
    const taskOf = async (id: string) => {
      const seal = await taskSeal(signer, "key:one", id);
      const head = await seal.seal("head", { toolId: "Kit.Long", version: "1.0.0", scopes: [], session: undefined });
      const stored = { id, head, status: "working", created: 0, updated: 0, expires: 1e15, sequence: 1 };
      return { ...stored, questions: {}, isAwaited: false };
    };
    const ledger = {
      start: async ({ keys }: NewTask) => ({ state: "joined", task: await taskOf(`t${keys[0]?.key}`) }),
      read: async (id: string) => {
        reads++;
        // A request that the runtime has ended stands still: nothing of it runs any more, not even what is `finally`.
        return cut.value ? new Promise(() => {}) : taskOf(id);
      },
    } as unknown as TaskLedger;
    const tasks = createTasks({ ledgerOf: () => ledger, waitMs: 1e9, limit: 1, keepMs: 1 });
    const client = {
      signal: new AbortController().signal,
      get isOver() {
        return isOver.value;
      },
    };
    const join = (key = "k") => tasks.carryOut(longCall(KEY, { client, key }));
    return { join, isOver, cut, reads: () => reads };
  }

  it.each([
    ["for one task are 64 at most in an isolate", 64, () => "k"],
    ["for all tasks of a principal are 256 at most", 256, (call: number) => `k${call % 8}`],
  ])("%s: a further one is told to come back at once", async (_, most, keyOf) => {
    const { join, isOver, reads } = await waiting();
    const all = Array.from({ length: most }, (_one, call) => join(keyOf(call)));
    await vi.waitFor(() => expect(reads()).toBeGreaterThanOrEqual(most));
    expect((await join(keyOf(0))).outcome.kind).toBe("accepted");
    isOver.value = true;
    for (const one of await Promise.all(all)) expect(one.outcome.kind).toBe("accepted");
  });

  it("keep their places for as long as they wait, and lose them soon if their requests are cut off", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1e12 });
    try {
      const { join, isOver, cut, reads } = await waiting();
      const lasting = Array.from({ length: 64 }, () => join());
      const haveLooked = async (times: number) => {
        const before = reads();
        await vi.waitFor(() => expect(reads()).toBeGreaterThanOrEqual(before + times), 20_000);
      };
      for (const _ of [1, 2]) {
        await haveLooked(2 * 64);
        vi.setSystemTime(Date.now() + 16_000);
      }
      await haveLooked(2 * 64);
      expect((await join()).outcome.kind).toBe("accepted");
      cut.value = true;
      // All stand still.
      await haveLooked(64);
      vi.setSystemTime(Date.now() + 25_000);
      const further = join();
      await haveLooked(1);
      isOver.value = true;
      void Promise.all([...lasting, further]);
    } finally {
      vi.useRealTimers();
    }
  }, 60_000);
});

function twice(one: Principal): [Principal, Principal] {
  return [one, one];
}
