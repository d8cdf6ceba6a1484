/** The run of a task whose ledger, or signing key, cannot be reached at times. */
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Begun, TaskLedger } from "../../../src/core/ports/task-ledger.ts";
import { runTask } from "../../../src/features/tasks/run/run-task.ts";
import type { EngineRun } from "../../../src/features/tasks/run/task-context.ts";
import type { KeptResult, TaskCall } from "../../../src/features/tasks/task-call.ts";
import { taskSeal } from "../../../src/features/tasks/task-seal.ts";
import { run as runTool, runtime } from "../../../src/runtime.ts";
import { ToolError } from "../../../src/tool.ts";

const [ID, PARTITION] = ["t", "p"];

const CALL = {
  ...{ toolId: "Math.Add", version: "1.0.0", callId: "c", protocol: "oxp", partition: PARTITION },
  ...{ principal: { id: PARTITION, scopes: "all", reach: "all" }, authorization: [], secrets: [] },
  ...{ input: { a: 1, b: 2 }, capabilities: [], idempotencyKey: "k" },
} as unknown as TaskCall;

const seal = () => taskSeal(runtime.signer, PARTITION, ID);

/** An engine that does each step, and wakes nobody. */
const ENGINE: EngineRun = { doStep: (_, work) => work(), untilWoken: () => new Promise(() => {}) };

/** A ledger of one task, and everything that it was asked. */
async function ledgerWith(methods: Partial<TaskLedger>, call: unknown = CALL, entered: readonly string[] = []) {
  const asked: unknown[][] = [];
  const begun: Begun = { run: 1, call: await (await seal()).seal("call", call), asked: [], entered };
  const answers: Partial<TaskLedger> = {
    begin: async () => begun,
    beat: async () => ({}),
    finish: async () => true,
    fail: async () => true,
    checkpoint: async () => true,
    ...methods,
  };
  const answer =
    (method: string) =>
    (...given: unknown[]) => {
      asked.push([method, ...given]);
      return (answers[method as keyof TaskLedger] as (...given: unknown[]) => unknown)(...given);
    };
  const ledger = new Proxy({}, { get: (_, method: string) => answer(method) }) as TaskLedger;
  const of = (method: string) => asked.filter(([name]) => name === method);
  return { ledger, of };
}

function run(
  ledger: TaskLedger,
  own: Partial<typeof runtime> = {},
  runOf = runTool,
  engine: EngineRun = ENGINE,
): Promise<void> {
  const quiet = { ...runtime, log: () => {}, ...own };
  return runTask({
    id: ID,
    partition: PARTITION,
    ledger,
    engine,
    run: runOf,
    runtime: quiet,
    beatMs: 15_000,
  });
}

/** Fails so many times. */
function failing(times: number): () => Promise<boolean> {
  let left = times;
  return async () => {
    if (left-- > 0) throw new Error("The ledger is restarting");
    return true;
  };
}

const realTimeout = setTimeout;

/** Lets time pass, in milliseconds. */
async function elapse(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 5_000) {
    await vi.advanceTimersByTimeAsync(5_000);
    // What is not a timer, such as encryption, keeps pace.
    await new Promise((resume) => realTimeout(resume, 5));
  }
}

/** Lets time pass until the run is over. */
async function over(running: Promise<void>): Promise<void> {
  let isOver = false;
  const watched = running.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await vi.advanceTimersByTimeAsync(5_000);
    // What is not a timer, such as encryption, keeps pace.
    await new Promise((resume) => realTimeout(resume, 0));
  }
  await watched;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a run that has ended", () => {
  it.each([
    [true, true],
    [false, false],
    [undefined, false],
  ])(
    "says whether its tool knows the session, also if only `prepare` has read it: %s",
    async (sawSession, expected) => {
      const { ledger, of } = await ledgerWith({}, { ...CALL, sessionId: "s", sawSession });
      await run(ledger);
      const result = await (await seal()).open<KeptResult>("result", of("finish")[0]?.[3] as string);
      expect(result.sawSession).toBe(expected);
    },
  );

  it("tells its ledger when it is back, and has run once", async () => {
    vi.useFakeTimers();
    const { ledger, of } = await ledgerWith({ finish: failing(12) });
    await over(run(ledger));
    expect(of("begin")).toHaveLength(1);
    expect(of("finish")).toHaveLength(13);
    const [, , number, sealed, isFinal] = of("finish").at(-1) ?? [];
    expect([number, isFinal]).toEqual([1, true]);
    const { outcome } = await (await seal()).open<KeptResult>("result", sealed as string);
    expect(outcome).toEqual({ kind: "completed", value: 3 });
  });

  it("leaves the rest to the watchdog if the ledger never comes back, and is not run again", async () => {
    vi.useFakeTimers();
    const { ledger, of } = await ledgerWith({ finish: failing(Number.POSITIVE_INFINITY) });
    await over(run(ledger));
    expect(of("begin")).toHaveLength(1);
    expect(of("finish").length).toBeGreaterThan(13);
  });

  it("tells of a cancelled task only when its tool has ended: until then, its key is taken", async () => {
    vi.useFakeTimers();
    const { ledger, of } = await ledgerWith({});
    const late = new Promise<undefined>((resolve) => setTimeout(resolve, 50_000));
    const stubborn = async () => ({ outcome: { kind: "cancelled" }, durationMs: 1, late });
    const running = run(ledger, {}, stubborn as never);
    await elapse(45_000);
    expect(of("finish")).toEqual([]);
    await over(running);
    expect(of("finish")).toHaveLength(1);
  });

  it.each([
    // A run may not have heard that it was cancelled.
    [{ kind: "cancelled" }],
    [{ kind: "timed_out", limitMs: 1 }],
  ])("says that its tool goes on, if it does not end: %o", async (outcome) => {
    vi.useFakeTimers();
    const { ledger, of } = await ledgerWith({});
    const endless = async () => ({ outcome, durationMs: 1, late: new Promise(() => {}) });
    await over(run(ledger, {}, endless as never));
    expect(of("finish").map(([, , , , isFinal, goesOn]) => ({ isFinal, goesOn }))).toEqual([
      { isFinal: true, goesOn: true },
    ]);
  });

  const RETRYABLE = { kind: "failed", fault: { message: "Busy", canRetry: true, retryAfterMs: 500 } };
  const TIMED_OUT = { kind: "timed_out", limitMs: 3_000 };

  interface Steps {
    readonly context: { step(name: string, work: () => unknown, options?: { once: boolean }): Promise<unknown> };
  }

  it.each([
    [{ kind: "cancelled" }, 40_000],
    [TIMED_OUT, 20_000],
    [RETRYABLE, 20_000],
  ])("tells of %o only when its steps have ended, which go on beside one that heard of it", async (outcome, stepMs) => {
    vi.useFakeTimers();
    const { ledger, of } = await ledgerWith({});
    const withStep = async ({ context }: Steps) => {
      void context.step("pay", () => new Promise((resolve) => setTimeout(resolve, stepMs)));
      await Promise.resolve();
      return { outcome, durationMs: 1 };
    };
    const running = run(ledger, {}, withStep as never);
    await elapse(stepMs - 5_000);
    expect(of("finish")).toEqual([]);
    await over(running);
    expect(of("finish").map(([, , , , isFinal]) => isFinal)).toEqual([false]);
  });

  const finishOf = async (of: (method: string) => unknown[][]) => {
    const [, , , sealed, isFinal] = of("finish")[0] ?? [];
    return { isFinal, outcome: (await (await seal()).open<KeptResult>("result", sealed as string)).outcome };
  };
  const TOO_LATE = {
    kind: "failed",
    fault: {
      message: "The tool took longer than 3000 ms. The call may have had its effect, so it is not run again.",
    },
  };
  const FINAL = { kind: "failed", fault: { message: "Busy" } };

  it.each([
    [TIMED_OUT, TOO_LATE],
    [RETRYABLE, FINAL],
  ])("does not free the key after %o while a step goes on that does not end", async (outcome, expected) => {
    vi.useFakeTimers();
    const { ledger, of } = await ledgerWith({});
    const withStep = async ({ context }: Steps) => {
      void context.step("pay", () => new Promise(() => {}));
      await Promise.resolve();
      return { outcome, durationMs: 1 };
    };
    await over(run(ledger, {}, withStep as never));
    expect(await finishOf(of)).toEqual({ isFinal: true, outcome: expected });
  });

  it.each([
    ["times out", TIMED_OUT, TOO_LATE],
    ["fails and may be retried", RETRYABLE, FINAL],
  ])("does not free the key if it %s after a step that must not be done twice", async (_, outcome, expected) => {
    const { ledger, of } = await ledgerWith({ enter: async () => true });
    const withStep = async ({ context }: Steps) => {
      await context.step("pay", () => 1, { once: true });
      return { outcome, durationMs: 1 };
    };
    await run(ledger, {}, withStep as never);
    expect(await finishOf(of)).toEqual({ isFinal: true, outcome: expected });
  });

  it.each([
    ["fails before it reaches the step again", CALL, async () => ({ outcome: RETRYABLE, durationMs: 1 }), FINAL],
    ["finds its input refused by now", { ...CALL, input: {} }, runTool, { kind: "invalid", issues: expect.anything() }],
  ])(
    "does not free the key if an earlier run was in such a step, and this one %s",
    async (_, call, runOf, expected) => {
      const { ledger, of } = await ledgerWith({}, call, ["1 pay"]);
      await run(ledger, {}, runOf as never);
      expect(await finishOf(of)).toEqual({ isFinal: true, outcome: expected });
    },
  );

  it("waits also for a step that the engine has not begun, and begins no further one", async () => {
    const { ledger, of } = await ledgerWith({});
    const done: string[] = [];
    const slow: EngineRun = {
      ...ENGINE,
      async doStep(_, work) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return work();
      },
    };
    let further: Promise<unknown> | undefined;
    const withStep = async ({ context }: Steps) => {
      further = context
        .step("one", () => done.push("one"))
        .then(() => scheduler.wait(20))
        .then(() => context.step("two", () => done.push("two")));
      further.catch(() => {});
      return { outcome: RETRYABLE, durationMs: 1 };
    };
    await run(ledger, {}, withStep as never, slow);
    expect(done).toEqual(["one"]);
    expect(of("finish").map(([, , , , isFinal]) => isFinal)).toEqual([false]);
    await expect(further).rejects.toThrow("has ended, or goes on in another run");
  });

  it("takes no other step that may be retried for the one that must not be done twice", async () => {
    const { ledger, of } = await ledgerWith({ enter: async () => true });
    const withStep = async ({ context }: Steps) => {
      await context.step("pay", () => 1, { once: true });
      const refused = () => Promise.reject(new ToolError("Busy", { canRetry: true }));
      // How the other step is told from those of the same name.
      await context.step("1 pay", refused).catch(() => {});
      return { outcome: RETRYABLE, durationMs: 1 };
    };
    await run(ledger, {}, withStep as never);
    expect(await finishOf(of)).toEqual({ isFinal: true, outcome: FINAL });
  });

  it("frees the key if the step that must not be done twice itself says that it may be retried", async () => {
    const { ledger, of } = await ledgerWith({ enter: async () => true });
    const withStep = async ({ context }: Steps) => {
      const refused = () => Promise.reject(new ToolError("Busy", { canRetry: true, retryAfterMs: 500 }));
      await context.step("pay", refused, { once: true }).catch(() => {});
      return { outcome: RETRYABLE, durationMs: 1 };
    };
    await run(ledger, {}, withStep as never);
    expect(await finishOf(of)).toEqual({ isFinal: false, outcome: RETRYABLE });
  });

  it("tells also that it could not run", async () => {
    vi.useFakeTimers();
    const { ledger, of } = await ledgerWith({ fail: failing(12) }, { ...CALL, toolId: "Math.Gone" });
    await over(run(ledger));
    expect(of("fail")).toHaveLength(13);
    expect(of("fail").at(-1)).toEqual(["fail", ID, 1, "gone"]);
  });
});

it("a run does not begin before it can open its call: it may begin only once", async () => {
  const { ledger, of } = await ledgerWith({});
  const signer = { ...runtime.signer, deriveKey: () => Promise.reject(new Error("The signing key is out of reach")) };
  await expect(run(ledger, { signer })).rejects.toThrow("out of reach");
  expect(of("begin")).toEqual([]);
});
