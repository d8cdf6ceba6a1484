/** How the ledger's engine speaks to Cloudflare Workflows. */

import type { WorkflowStep } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { type RunParams, workflowEngine, workflowRun } from "../../src/tasks/engines.ts";
import { ToolError } from "../../src/tool.ts";

/** A namespace of instances that keeps what it is told. */
function workflows() {
  const created = new Map<string, { readonly params: RunParams | undefined; readonly told: string[] }>();
  const get = async (id: string) => {
    const instance = created.get(id);
    if (instance === undefined) throw new Error("instance.not_found");
    return {
      status: async () => ({ status: "running" }),
      sendEvent: async ({ type }: { readonly type: string }) => void instance.told.push(type),
      terminate: async () => void instance.told.push("terminated"),
    };
  };
  const create = async ({ id, params }: { readonly id: string; readonly params?: RunParams }) => {
    if (created.has(id)) throw new Error("already exists");
    created.set(id, { params, told: [] });
    return get(id);
  };
  return { created, engine: workflowEngine({ create, get } as unknown as Workflow<RunParams>) };
}

describe("the engine of workflows", () => {
  it("starts, wakes, revives and stops a task's instance", async () => {
    const { created, engine } = workflows();
    await engine.start("t1", "p");
    await engine.wake("t1", "size");
    expect(await engine.revive("t1", "p")).toBe(true);
    await engine.stop("t1");
    const told = [expect.stringMatching(/^answer-[\da-f]{32}$/), "revive", "terminated"];
    expect([...created]).toEqual([["t1", { params: { partition: "p" }, told }]]);
  });

  it("revives an instance that was created before and has not begun", async () => {
    const { created, engine } = workflows();
    await engine.start("a", "p");
    await engine.start("a", "p");
    expect([...created.values()]).toEqual([{ params: { partition: "p" }, told: ["revive"] }]);
  });

  it("says so if there is no instance to revive, to wake or to stop", async () => {
    const { engine } = workflows();
    await expect(engine.revive("a", "p")).rejects.toThrow("not_found");
    await expect(engine.wake("a", "size")).rejects.toThrow("not_found");
    await expect(engine.stop("a")).rejects.toThrow("not_found");
  });
});

describe("a run in a workflow", () => {
  /** Keeps what steps returned or threw, as Workflows do: of an error, name and message. */
  function steps(): () => WorkflowStep {
    const kept = new Map<string, { readonly value: string } | { readonly error: string }>();
    const doStep = async (name: string, _: unknown, work: () => Promise<unknown>) => {
      if (!kept.has(name)) {
        await work().then(
          (value) => kept.set(name, { value: JSON.stringify(value) }),
          (error) => kept.set(name, { error: error.message }),
        );
      }
      const one = kept.get(name);
      if (one === undefined || "error" in one) throw new Error(one?.error);
      return JSON.parse(one.value);
    };
    return () => ({ do: doStep }) as unknown as WorkflowStep;
  }

  it("returns what a step returned in an earlier run, nothing included", async () => {
    const step = steps();
    for (const value of [1, "text", null, { a: [] }, undefined]) {
      const name = JSON.stringify(value) ?? "nothing";
      expect(await workflowRun(step()).doStep(name, async () => value)).toEqual(value);
      expect(await workflowRun(step()).doStep(name, async () => "other")).toEqual(value);
    }
  });

  it("throws the ToolError that a step threw in an earlier run, with all of its fields", async () => {
    const step = steps();
    const refused = new ToolError("Refused", { canRetry: true, retryAfterMs: 5, additionalPromptContent: "wait" });
    const failing = () => workflowRun(step()).doStep("pay", () => Promise.reject(refused));
    await expect(failing()).rejects.toMatchObject({ name: "ToolError", fault: refused.fault });
    const again = workflowRun(step()).doStep("pay", async () => "paid");
    await expect(again).rejects.toMatchObject({ name: "ToolError", message: "Refused", fault: refused.fault });
  });
});
