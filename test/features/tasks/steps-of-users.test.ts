/** What tells the users of long tools apart, in the parts of a call that only a deployment shows: pages and callbacks. */
import { expect, it } from "vitest";
import type { Steps } from "../../../src/core/call/execute.ts";
import type { RunTool, ToolRun } from "../../../src/core/call/run-tool.ts";
import { hmacSigner } from "../../../src/core/crypto/signer.ts";
import { GRANT } from "../../../src/core/model/principal.ts";
import type { LongCall, Tasks } from "../../../src/core/ports/runtime.ts";
import { stepsWithTasks } from "../../../src/features/tasks/steps.ts";

const signer = hmacSigner(async () => new Uint8Array(32));

/** @returns the key and the fingerprint that the context of a keyed call's `prepare` gets */
async function preparedWith(userId: string | undefined, key: string, input: object, grant?: string) {
  const leases: unknown[] = [];
  const run = (async (_tool: unknown, _check: unknown, lease: { storeKey: string; fingerprint: string }) => {
    leases.push([lease.storeKey, lease.fingerprint]);
    return { outcome: { kind: "completed" }, durationMs: 0 };
  }) as unknown as RunTool;
  const tasks = { carryOut: (call: LongCall) => call.prepare?.() } as unknown as Tasks;
  const context = { authorization: new Map(), secrets: new Map(), userId };
  const tool = {
    definition: { prepare: () => {}, run: () => {} },
    caller: { principal: { id: "key:one", scopes: [], reach: [], [GRANT]: grant }, context, input, key },
    primitive: { id: "Kit.Long", version: "1.0.0", options: { long: true } },
    granted: { fromCaller: undefined },
    context: {},
    runtime: { signer, tasks },
  } as unknown as ToolRun;
  await stepsWithTasks({} as Steps, run).carryOut(tool);
  return JSON.stringify(leases[0]);
}

it("`prepare` of a keyed call knows its key, so that its upload page is found by repeats of the call, and by no other", async () => {
  const own = await preparedWith("x", "x-1", { a: 1 });
  expect(own).toMatch(/^\["[0-9a-f]{64}","[0-9a-f]{64}"\]$/);
  expect(await preparedWith("x", "x-1", { a: 1 })).toBe(own);
  for (const other of [preparedWith("y", "y-1", { a: 1 }), preparedWith("y", "x-1", { a: 1 })])
    expect(await other).not.toBe(own);
});

it("`prepare` sends two who have signed in with one key to pages of their own, with the same idempotency key", async () => {
  const pages = async (grant?: string) => JSON.parse(await preparedWith(undefined, "k", { a: 1 }, grant));
  const [ada, bob, none] = [await pages("ada"), await pages("bob"), await pages()];
  expect(await pages("ada")).toEqual(ada);
  expect(new Set([ada[1], bob[1], none[1]]).size).toBe(3);
  // As the key of the call is theirs together: the result is.
  expect(new Set([ada[0], bob[0], none[0]]).size).toBe(1);
});
