/** Which calls become one task: never those of two users, because whoever joins a task may be asked its questions. */
import { describe, expect, it, vi } from "vitest";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import { GRANT, PARTITION, type Principal } from "../../../src/core/model/principal.ts";
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
async function call(who: Principal, more: object = {}, answer?: (task: NewTask) => Started) {
  const started: NewTask[] = [];
  const ledger = {
    start: async (task: NewTask): Promise<Started> => {
      started.push(task);
      return answer?.(task) ?? { state: "full" };
    },
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

describe("a call with the idempotency key of another sign-in's task", () => {
  const joined = async (grant: string, questions: object, more: object = {}) => {
    const partition = "key:one";
    const seal = await taskSeal(signer, partition, "t1");
    const head = await seal.seal("head", {
      ...{ toolId: "Kit.Long", version: "1.0.0", scopes: [], session: undefined, grant: "a" },
    });
    const sealed = await Promise.all(
      Object.entries(questions).map(async ([name, question]) => [name, await seal.seal(`question ${name}`, question)]),
    );
    const stored = { id: "t1", head, status: "working", created: 0, updated: 0, expires: 1e15, sequence: 1 };
    const task = { ...stored, questions: Object.fromEntries(sealed), isAwaited: false };
    const answer = () => ({ state: "joined", task }) as unknown as Started;
    return (await call(signedIn(grant), { key: "call_1", ...CAN_BE_ASKED, ...more }, answer)).outcome;
  };
  const QUESTION = { word: { kind: "form", message: "Your word?", fields: {} } };

  it("is told that it runs, and neither asked its questions nor told how to follow it", async () => {
    const running = { kind: "refused", refusal: { reason: "running", retryAfterMs: expect.any(Number) } };
    expect(await joined("a", QUESTION)).toMatchObject({ kind: "asking" });
    expect(await joined("b", QUESTION)).toEqual(running);
    expect(await joined("b", {})).toEqual(running);
    expect(await joined("b", {}, { followsTasks: true })).toEqual(running);
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

describe("calls that wait for one task", () => {
  it("are 64 at most in an isolate: a further one is told to come back at once", async () => {
    const seal = await taskSeal(signer, "key:one", "t1");
    const head = await seal.seal("head", { toolId: "Kit.Long", version: "1.0.0", scopes: [], session: undefined });
    const stored = { id: "t1", head, status: "working", created: 0, updated: 0, expires: 1e15, sequence: 1 };
    const task = { ...stored, questions: {}, isAwaited: false };
    let reads = 0;
    const isOver = { value: false };
    const ledger = {
      start: async () => ({ state: "joined", task }),
      read: async () => {
        reads++;
        return task;
      },
    } as unknown as TaskLedger;
    const tasks = createTasks({ ledgerOf: () => ledger, waitMs: 1e9, limit: 1, keepMs: 1 });
    const client = {
      signal: new AbortController().signal,
      get isOver() {
        return isOver.value;
      },
    };
    const join = () => tasks.carryOut(longCall(KEY, { client, key: "k" }));
    const waiting = Array.from({ length: 64 }, join);
    await vi.waitFor(() => expect(reads).toBeGreaterThanOrEqual(64));
    expect((await join()).outcome).toMatchObject(STILL_RUNNING);
    isOver.value = true;
    for (const one of await Promise.all(waiting)) expect(one.outcome).toMatchObject(STILL_RUNNING);
  });
});

function twice(one: Principal): [Principal, Principal] {
  return [one, one];
}
