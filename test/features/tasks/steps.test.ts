/** Steps of a task: what an engine keeps of them, and what a later run gets. */
import { describe, expect, it, vi } from "vitest";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import { TaskContext, type TaskRun } from "../../../src/features/tasks/run/task-context.ts";
import { taskSeal } from "../../../src/features/tasks/task-seal.ts";
import { ToolError } from "../../../src/tool.ts";

const signer = hmacSigner(async () => new Uint8Array(32));
const seal = await taskSeal(signer, "p", "t");

/** An engine that keeps steps as Workflows do: what they return as text, and of an error name and message. */
function engine() {
  const kept = new Map<string, { readonly value: string } | { readonly error: string }>();
  const doStep = async (name: string, work: () => Promise<string>): Promise<string> => {
    if (!kept.has(name)) {
      await work().then(
        (value) => kept.set(name, { value }),
        (error) => kept.set(name, { error: `${error.name}: ${error.message}` }),
      );
    }
    const one = kept.get(name);
    if (one === undefined || "error" in one) throw new Error(one?.error);
    return one.value;
  };
  return { kept, run: { doStep, untilWoken: async () => {} } };
}

/** A run of a task on this engine, with a ledger that has these answers. */
function runOn(on: ReturnType<typeof engine>, ledger: { enter?: boolean | undefined; checkpoint?: boolean } = {}) {
  const link = {
    isOver: false,
    stop() {
      this.isOver = true;
    },
  };
  const { enter, checkpoint = true } = ledger;
  const own = {
    checkpoint: async () => checkpoint,
    enter: async () => ("enter" in ledger ? enter : true),
  };
  const task = {
    id: "t",
    run: 1,
    engine: on.run,
    ledger: own,
    link,
    seal,
    capabilities: new Set(),
    mayHaveActed: new Set(),
  };
  const granted = { secrets: {}, authorization: {}, userId: undefined, fromCaller: undefined };
  const call = { callId: "c", protocol: "test", principal: { id: "p", scopes: [], reach: [] } };
  const primitive = { id: "T.T", options: {} };
  const context = new TaskContext(call as never, primitive, granted, {} as never, task as unknown as TaskRun);
  return { context, link };
}

describe("a step", () => {
  it("returns what it returned in an earlier run, nothing included", async () => {
    const on = engine();
    for (const value of [1, "text", null, { a: [] }, undefined]) {
      const name = JSON.stringify(value) ?? "nothing";
      expect(await runOn(on).context.step(name, () => value)).toEqual(value);
      expect(await runOn(on).context.step(name, (): unknown => "other")).toEqual(value);
    }
  });

  it("throws the ToolError that it threw in an earlier run, with all of its fields", async () => {
    const on = engine();
    const refused = new ToolError("Refused", { canRetry: true, retryAfterMs: 5, additionalPromptContent: "wait" });
    await expect(runOn(on).context.step("pay", () => Promise.reject(refused))).rejects.toBe(refused);
    const again = runOn(on).context.step("pay", () => "paid");
    await expect(again).rejects.toMatchObject({ name: "ToolError", message: "Refused", fault: refused.fault });
  });

  it("gives the engine nothing to read: neither results nor errors", async () => {
    const on = engine();
    const { context } = runOn(on);
    await context.step("result", () => "SECRET");
    await context.step("refusal", () => Promise.reject(new ToolError("SECRET"))).catch(() => {});
    const crash = new TypeError("SECRET in a URL");
    await expect(context.step("crash", () => Promise.reject(crash))).rejects.toBe(crash);
    expect([...on.kept.keys()]).toEqual(["result", "refusal", "crash"]);
    expect(JSON.stringify([...on.kept.values()])).not.toContain("SECRET");
  });

  it("that must not be done twice is not done if another run has entered it, and the run ends", async () => {
    const { context, link } = runOn(engine(), { enter: false });
    const pay = vi.fn();
    await expect(context.step("pay", pay, { once: true })).rejects.toThrow("must not be done twice");
    expect([pay.mock.calls, context.isInterrupted, link.isOver]).toEqual([[], true, true]);
  });

  it("that was interrupted stays so in the next run, if this one could not say it any more", async () => {
    const on = engine();
    await expect(runOn(on, { enter: false }).context.step("pay", vi.fn(), { once: true })).rejects.toThrow("twice");
    const next = runOn(on, { enter: true });
    await expect(next.context.step("pay", vi.fn(), { once: true })).rejects.toThrow("must not be done twice");
    expect([next.context.isInterrupted, next.link.isOver]).toEqual([true, true]);
  });

  it("is not done any more once the run is over", async () => {
    const late = runOn(engine(), { checkpoint: false });
    await late.context.step("first", () => 1);
    const second = vi.fn();
    const reason = new DOMException("The caller has gone", "AbortError");
    late.context.stop(reason);
    await expect(late.context.step("second", second)).rejects.toMatchObject({ name: "RunOver", cause: reason });
    expect([second.mock.calls, late.context.isInterrupted]).toEqual([[], false]);
    const cancelled = runOn(engine(), { enter: undefined });
    await expect(cancelled.context.step("pay", () => 1, { once: true })).rejects.toThrow("over");
    expect([cancelled.context.isInterrupted, cancelled.link.isOver]).toEqual([false, true]);
  });
});
