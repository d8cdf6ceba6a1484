/** How the ledger's engine speaks to Cloudflare Workflows. */

import { describe, expect, it } from "vitest";
import { type RunParams, workflowEngine } from "../../../src/features/tasks/run/engine.ts";

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
  it("makes an instance for each task, with the task's id, and tells it what happens", async () => {
    const { created, engine } = workflows();
    await engine.start("t0", "p");
    expect([...created]).toEqual([["t0", { params: { partition: "p" }, told: [] }]]);
    await engine.wake("t0", "size");
    expect(await engine.revive("t0")).toBe(true);
    await engine.stop("t0");
    const answered = expect.stringMatching(/^answer-[\da-f]{32}$/);
    expect(created.get("t0")?.told).toEqual([answered, "revive", "terminated"]);
  });

  it("revives an instance that was created before and has not begun", async () => {
    const { created, engine } = workflows();
    await engine.start("a", "p");
    await engine.start("a", "p");
    expect([...created.values()]).toEqual([{ params: { partition: "p" }, told: ["revive"] }]);
  });

  it("says so if there is no instance to revive, to wake or to stop", async () => {
    const { engine } = workflows();
    expect(await engine.revive("a")).toBe(false);
    await expect(engine.wake("a", "size")).rejects.toThrow("not_found");
    await expect(engine.stop("a")).rejects.toThrow("not_found");
  });
});
