/** Steps of a tool that runs as a task, in a run that follows one that was cut short. */
import { describe, expect, it } from "vitest";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import type { Call } from "../../../src/core/model/call.ts";
import type { Primitive, Runtime } from "../../../src/core/ports/runtime.ts";
import type { TaskLedger } from "../../../src/core/ports/task-ledger.ts";
import { TaskContext, type TaskRun } from "../../../src/features/tasks/run/task-context.ts";
import { taskSeal } from "../../../src/features/tasks/task-seal.ts";
import { ToolError } from "../../../src/tool.ts";

const signer = hmacSigner(async () => new Uint8Array(32));
const seal = await taskSeal(signer, "p", "t");
const GRANTED = { secrets: {}, authorization: {}, userId: undefined, fromCaller: undefined };

const FAILED = "failed";

/** The runs of one task: what the engine and the ledger know outlives each of them. */
function task() {
  const kept = new Map<string, string>();
  const entered = new Map<string, number>();
  const checkpoints: number[] = [];
  /** Names of steps whose failure is kept. The others are cut short before it can be. */
  const failures = new Set(["look"]);
  return {
    checkpoints,
    /** @param keepsAtFirst whether the engine can keep what a step returned at once. If not, it does the step again */
    run(run: number, { keepsAtFirst = true } = {}): TaskContext {
      const counts = new Map<string, number>();
      const ledger: Partial<TaskLedger> = {
        async enter(_, by, step) {
          if (!entered.has(step)) entered.set(step, by);
          return entered.get(step) === by;
        },
        async checkpoint(_, by) {
          checkpoints.push(by);
          return true;
        },
      };
      const engine = {
        async doStep(name: string, work: () => Promise<string>) {
          // Like Workflows, which tell steps of the same name apart by their order.
          const count = (counts.get(name) ?? 0) + 1;
          counts.set(name, count);
          const key = `${name}-${count}`;
          const fail = (error: Error) => {
            if (failures.has(name)) kept.set(key, FAILED);
            throw error;
          };
          if (!keepsAtFirst) await work();
          if (!kept.has(key)) kept.set(key, await work().catch(fail));
          if (kept.get(key) === FAILED) throw new Error("The step has failed");
          return kept.get(key) as string;
        },
        untilWoken: async () => {},
      };
      const link = { isOver: false, stop() {} };
      const own = {
        id: "t",
        run,
        ledger,
        engine,
        link,
        seal,
        capabilities: new Set(),
        mayHaveActed: new Set(),
      } as unknown as TaskRun;
      const call = { sessionId: "s", principal: { id: "p" } } as Call;
      const sessions = { read: async () => new Map() };
      return new TaskContext(call, { options: {} } as Primitive, GRANTED, { sessions } as unknown as Runtime, own);
    },
  };
}

describe("a session that a tool has read", () => {
  it.each([
    ["in a step", false],
    ["in a step that has failed with a message", new ToolError("Nothing there")],
    ["in a step that has failed", new TypeError("Nothing there")],
  ])("%s: counts as read in the run after a crash, which does not repeat the step", async (_, failure) => {
    const { run } = task();
    const look = async (context: TaskContext) => {
      await context.step("before", () => 1);
      expect(context.sawSession).toBe(false);
      const step = context.step("look", () => {
        void context.session;
        if (failure) throw failure;
        return 2;
      });
      await step.catch(() => {});
      expect(context.sawSession).toBe(true);
    };
    await look(run(1));
    const kept = run(2);
    await kept.step("before", () => 1);
    expect(kept.sawSession).toBe(false);
    await kept.step("look", () => Promise.reject(new Error("done again"))).catch(() => {});
    expect(kept.sawSession).toBe(true);
  });

  it("outside of steps: counts for those that end afterwards", async () => {
    const { run } = task();
    const first = run(1);
    void first.session;
    await first.step("after", () => 1);
    const second = run(2);
    await second.step("after", () => 1);
    expect(second.sawSession).toBe(true);
  });
});

const cut = () => Promise.reject(new Error("cut short"));

describe("steps that must not be done twice", () => {
  it("may have the same name: each is done once, also if a run was cut short between them", async () => {
    const { run } = task();
    const first = run(1);
    expect(await first.step("pay", () => 1, { once: true })).toBe(1);
    const second = run(2);
    expect(await second.step("pay", () => "again", { once: true })).toBe(1);
    expect(await second.step("pay", () => 2, { once: true })).toBe(2);
    expect([first.isInterrupted, second.isInterrupted]).toEqual([false, false]);
  });

  it("interrupt the run after the one in which they were cut short", async () => {
    const { run } = task();
    await expect(run(1).step("pay", cut, { once: true })).rejects.toThrow("cut short");
    const second = run(2);
    await expect(second.step("pay", () => 2, { once: true })).rejects.toThrow("must not be done twice");
    expect(second.isInterrupted).toBe(true);
  });
});

it("a step whose result the engine could not keep is not done again in the same run", async () => {
  const { run } = task();
  let times = 0;
  const context = run(1, { keepsAtFirst: false });
  expect(await context.step("pay", () => ++times, { once: true })).toBe(1);
  expect(times).toBe(1);
});

it("the first step of each run tells the ledger that there is a checkpoint", async () => {
  const { run, checkpoints } = task();
  const first = run(1);
  expect([await first.step("read", () => 1), await first.step("write", () => 2)]).toEqual([1, 2]);
  expect(await run(2).step("read", () => 3)).toBe(1);
  expect(checkpoints).toEqual([1, 2]);
});
