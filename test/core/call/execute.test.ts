/** Tests `execute` in cases that few protocols can produce. */
import { describe, expect, it } from "vitest";
import { executeWith, plainSteps } from "../../../src/core/call/execute.ts";
import { run } from "../../../src/core/call/run-tool.ts";
import { createCatalog } from "../../../src/core/catalog/catalog.ts";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import { NO_CONTEXT } from "../../../src/core/model/call.ts";
import type { CatalogEntry } from "../../../src/core/model/catalog-entry.ts";
import type { IdempotencyStore } from "../../../src/core/ports/idempotency-store.ts";
import type { Runtime } from "../../../src/core/ports/runtime.ts";
import { OWNER } from "../../support/app.ts";
import { memoryIdempotency } from "../../support/memory.ts";

const execute = executeWith(plainSteps(run));

interface Definition {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly timeoutMs?: number;
  run(input?: unknown): unknown;
}

/** A runtime with one tool and nothing else. */
function hostOf(definition: Definition): Runtime {
  const entry = {
    id: "Bell.Ring",
    name: "Bell_Ring",
    version: "1.0.0",
    toolkit: "bell",
    options: { timeoutMs: definition.timeoutMs },
    output: "any",
    load: async () => ({ default: { version: "1.0.0", description: "Rings.", ...definition } }),
    json: { description: '""', input: '{"type":"object","properties":{}}', output: "{}" },
  } as unknown as CatalogEntry;
  const catalog = createCatalog({ revision: "r", entries: [entry], prompts: [], resources: [] });
  const signer = hmacSigner(async () => new Uint8Array(32));
  return { catalog, signer, log: () => {}, now: () => 0, secret: () => undefined } as unknown as Runtime;
}

const CLIENT = { signal: new AbortController().signal };

const CALL = {
  callId: "1",
  protocol: "mcp",
  principal: OWNER,
  context: NO_CONTEXT,
  tool: { name: "Bell_Ring" },
  input: {},
};

it("a call that was cancelled before it began does not run", async () => {
  let runs = 0;
  const runtime = hostOf({ run: () => ++runs });
  const { outcome } = await execute({ ...CALL, client: { ...CLIENT, isOver: true } }, runtime);
  expect(outcome).toEqual({ kind: "cancelled" });
  expect(runs).toBe(0);
  await execute({ ...CALL, client: { ...CLIENT, isOver: false } }, runtime);
  expect(runs).toBe(1);
});

it("a module that was evaluated is not loaded again, but one that failed to load is", async () => {
  let loads = 0;
  const runtime = hostOf({ run: () => "ding" });
  const [entry] = runtime.catalog.all(undefined);
  const load = entry?.load as CatalogEntry["load"];
  Object.assign(entry as object, {
    load: () => {
      loads++;
      return loads === 1 ? Promise.reject(new Error("not there")) : load();
    },
  });
  const kinds: string[] = [];
  for (let calls = 0; calls < 3; calls++) kinds.push((await execute(CALL, runtime)).outcome.kind);
  expect(kinds).toEqual(["failed", "completed", "completed"]);
  expect(loads).toBe(2);
});

it("a call with a key is answered when its result is kept, and not before", async () => {
  const { claim, look } = memoryIdempotency();
  const events: string[] = [];
  const idempotency: IdempotencyStore = {
    look,
    async claim(request) {
      const found = await claim(request);
      if (found.state !== "claimed") return found;
      const settle: typeof found.settle = async (...record) => {
        await new Promise((resume) => setTimeout(resume, 20));
        events.push("kept");
        return found.settle(...record);
      };
      return { ...found, settle };
    },
  };
  await execute({ ...CALL, key: "k" }, { ...hostOf({ run: () => "ding" }), idempotency, defer: () => {} });
  expect([...events, "answered"]).toEqual(["kept", "answered"]);
});

it("a key that is claimed as its caller goes is freed, and the runtime is asked to wait for that", async () => {
  const { claim, look } = memoryIdempotency();
  const gone = new AbortController();
  const claiming = Promise.withResolvers<void>();
  const idempotency: IdempotencyStore = {
    look,
    async claim(request) {
      await claiming.promise;
      return claim(request);
    },
  };
  const deferred: Promise<unknown>[] = [];
  let runs = 0;
  const runtime = { ...hostOf({ run: () => `run ${++runs}` }), idempotency };
  const call = { ...CALL, key: "k", client: { signal: gone.signal } } as typeof CALL;
  void execute(call, { ...runtime, defer: (work) => deferred.push(work) });
  await expect.poll(() => deferred.length).toBe(1);
  gone.abort();
  claiming.resolve();
  await deferred[0];
  expect((await execute({ ...CALL, key: "k" }, { ...runtime, defer: () => {} })).outcome).toMatchObject({
    kind: "completed",
    value: "run 1",
  });
});

/** A validator that returns a custom thenable, as a library may. */
function judging(verdict: object) {
  const validate = () => ({
    // biome-ignore lint/suspicious/noThenProperty: the subject of the test
    then: (resolve: (value: unknown) => void) => resolve(verdict),
  });
  return { "~standard": { version: 1, vendor: "test", validate } };
}

describe("a validator that returns a custom thenable", () => {
  it("is awaited for a result", async () => {
    const output = judging({ issues: [{ message: "no bell" }] });
    const { outcome } = await execute(CALL, hostOf({ output, run: () => "ding" }));
    expect(outcome.kind).toBe("failed");
  });

  it("is awaited for an input, valid or not", async () => {
    const run = (input: unknown) => ({ got: input });
    const fit = await execute(CALL, hostOf({ input: judging({ value: { times: 2 } }), run }));
    expect(fit.outcome).toEqual({ kind: "completed", value: { got: { times: 2 } } });
    const unfit = await execute(CALL, hostOf({ input: judging({ issues: [{ message: "no bell" }] }), run }));
    expect(unfit.outcome).toEqual({ kind: "invalid", issues: [{ path: "", message: "no bell" }] });
  });
});

describe("code that misbehaves", () => {
  const never = { "~standard": { version: 1, vendor: "test", validate: () => new Promise(() => {}) } };

  it.each([
    ["at once", () => "ding"],
    ["later", async () => "ding"],
  ])("a result that came %s and whose check never ends: the time limit ends it", async (_, run) => {
    const { outcome } = await execute(CALL, hostOf({ output: never, timeoutMs: 20, run }));
    expect(outcome).toEqual({ kind: "timed_out", limitMs: 20 });
  });

  it("a promise whose own `then` throws is a failed call", async () => {
    // biome-ignore lint/suspicious/noThenProperty: the subject of the test
    const run = () => Object.assign(Promise.resolve(), { then: () => raise(new Error("hidden in then")) });
    const { outcome } = await execute(CALL, hostOf({ run }));
    expect(outcome).toEqual({ kind: "failed", fault: { message: "The tool failed because of an internal error." } });
  });

  it.each([
    ["at once", () => raise(revoked())],
    ["later", async () => raise(revoked())],
  ])("an exception %s that cannot be inspected is a failed call", async (_, run) => {
    const logged: unknown[] = [];
    const { outcome } = await execute(CALL, { ...hostOf({ run }), log: (entry) => logged.push(entry) });
    expect(outcome).toEqual({ kind: "failed", fault: { message: "The tool failed because of an internal error." } });
    expect(logged).toMatchObject([{ level: "error", tool: "Bell.Ring@1.0.0" }]);
  });

  it.each([
    ["at once", () => ({ toJSON: () => raise(revoked()) })],
    ["later", async () => ({ toJSON: () => raise(revoked()) })],
  ])(
    "a result that came %s, and throws what cannot be looked at when it is printed, is a failed call",
    async (_, run) => {
      const { outcome } = await execute(CALL, hostOf({ run }));
      expect(outcome).toEqual(UNPRINTABLE);
      // Also if the check of the result is asynchronous.
      const output = { "~standard": { version: 1, vendor: "test", validate: async (value: unknown) => ({ value }) } };
      expect((await execute(CALL, hostOf({ run, output, timeoutMs: 500 }))).outcome).toEqual(UNPRINTABLE);
    },
  );

  it("an exception after the time limit ends the run even if it cannot be inspected", async () => {
    const run = async () => {
      await new Promise((resume) => setTimeout(resume, 40));
      const error = new Error("hidden");
      Object.defineProperty(error, "name", { get: () => raise(new Error("hidden in name")) });
      throw error;
    };
    const { settled, idempotency } = storeThatTells();
    const runtime = { ...hostOf({ run, timeoutMs: 10 }), idempotency, defer: () => {} };
    const { outcome } = await execute({ ...CALL, key: "k" }, runtime);
    expect(outcome.kind).toBe("timed_out");
    await expect(settled).resolves.toBe("kept");
  });
});

const UNPRINTABLE = {
  kind: "failed",
  fault: { message: "The tool's result cannot be represented in JSON.", developerMessage: undefined },
};

/** A store that reports how its first key was settled. */
function storeThatTells(): { settled: Promise<string>; idempotency: IdempotencyStore } {
  const { claim, look } = memoryIdempotency();
  const { promise: settled, resolve } = Promise.withResolvers<string>();
  return {
    settled,
    idempotency: {
      look,
      async claim(request) {
        const found = await claim(request);
        if (found.state !== "claimed") return found;
        return {
          ...found,
          async settle(record, ranOnly) {
            const kept = await found.settle(record, ranOnly);
            resolve(kept === "kept" ? kept : kept.state);
            return kept;
          },
          async release() {
            await found.release();
            resolve("released");
          },
        };
      },
    },
  };
}

function raise(thrown: unknown): never {
  throw thrown;
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
