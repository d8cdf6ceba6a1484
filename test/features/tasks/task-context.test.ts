/** Steps of a tool that runs as a task, in a run that follows one that was cut short. */
import { describe, expect, it } from "vitest";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import type { Call } from "../../../src/core/model/call.ts";
import type { Primitive, Runtime } from "../../../src/core/ports/runtime.ts";
import type { TaskLedger } from "../../../src/core/ports/task-ledger.ts";
import { TaskContext, type TaskRun } from "../../../src/features/tasks/run/task-context.ts";
import { taskSeal } from "../../../src/features/tasks/task-seal.ts";

const signer = hmacSigner(async () => new Uint8Array(32));
const seal = await taskSeal(signer, "p", "t");
const GRANTED = { secrets: {}, authorization: {}, userId: undefined, fromCaller: undefined };

/** The runs of one task: what the engine and the ledger know outlives each of them. */
function task() {
  const kept = new Map<string, string>();
  const entered = new Map<string, number>();
  const checkpoints: number[] = [];
  return {
    checkpoints,
    run(run: number): TaskContext {
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
          if (!kept.has(key)) kept.set(key, await work());
          return kept.get(key) as string;
        },
        untilWoken: async () => {},
      };
      const link = { isOver: false, stop() {} };
      const own = { id: "t", run, ledger, engine, link, seal, capabilities: new Set() } as unknown as TaskRun;
      return new TaskContext({} as Call, { options: {} } as Primitive, GRANTED, {} as Runtime, own);
    },
  };
}

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

it("the first step of each run tells the ledger that there is a checkpoint", async () => {
  const { run, checkpoints } = task();
  const first = run(1);
  expect([await first.step("read", () => 1), await first.step("write", () => 2)]).toEqual([1, 2]);
  expect(await run(2).step("read", () => 3)).toBe(1);
  expect(checkpoints).toEqual([1, 2]);
});
