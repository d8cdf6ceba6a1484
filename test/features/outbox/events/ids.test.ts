/** The ids of the events of a call: the same when it runs again, whatever was done before, and never two of one id. */
import { expect, it } from "vitest";
import { type DoStep, LongRunContext } from "../../../../src/core/call/long-context.ts";
import type { ToolRun } from "../../../../src/core/call/run-tool.ts";
import type { Caller, Granted } from "../../../../src/core/model/call.ts";
import type { EventContext } from "../../../../src/core/model/primitives.ts";
import type { Primitive, Runtime } from "../../../../src/core/ports/runtime.ts";
import { withEmit } from "../../../../src/features/outbox/events/emit.ts";

const EVENT = {
  name: "notes.changed",
  payload: { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value: value as object }) } },
} as const;

interface Context extends EventContext {
  step(name: string, work: () => Promise<unknown>): Promise<unknown>;
}

/**
 * Runs a tool with the context of a task.
 *
 * @param done how many steps an earlier run has done: they are not done again
 * @returns the ids of what it emitted, in order
 */
async function idsOf(work: (ctx: Context) => Promise<unknown>, key: string | undefined, done = 0) {
  const ids: (string | undefined)[] = [];
  let steps = 0;
  class Rerun extends LongRunContext {
    protected override doStep: DoStep = async (_, inStep) => (++steps > done ? inStep() : undefined);
  }
  const context = new Rerun({} as Caller, {} as Primitive, {} as Granted, {} as Runtime);
  context.idempotencyKey = key;
  const runtime = {
    catalog: { allEvents: [EVENT] },
    outbox: { emit: async (_: string, { id }: { id?: string }) => void ids.push(id) },
  };
  const tool = { context, runtime, caller: { principal: { id: "key:ada" } } } as unknown as ToolRun;
  await withEmit((() => work(context as unknown as Context)) as never)(tool, undefined as never);
  return ids;
}

const emit = (ctx: Context) => ctx.emit(EVENT, {});

it("are those of the first run when a keyed call runs again, and others for another key", async () => {
  const work = async (ctx: Context) => {
    for (let times = 0; times < 3; times++) await emit(ctx);
  };
  const first = await idsOf(work, "a");
  expect(new Set(first).size).toBe(3);
  expect(await idsOf(work, "a")).toEqual(first);
  expect(await idsOf(work, "b")).not.toEqual(expect.arrayContaining([first[0]]));
});

it("are the outbox's for a call without a key", async () => {
  expect(await idsOf(emit, undefined)).toEqual([undefined]);
});

it("do not depend on which steps were done before: no event takes the id of another, and gets lost", async () => {
  const work = async (ctx: Context) => {
    await ctx.step("page", () => emit(ctx));
    await emit(ctx);
    await ctx.step("page", () => emit(ctx));
    await ctx.step("last", () => emit(ctx));
  };
  const all = await idsOf(work, "a");
  expect(new Set(all).size).toBe(4);
  expect(await idsOf(work, "a", 1)).toEqual(all.slice(1));
  expect(await idsOf(work, "a", 2)).toEqual([all[1], all[3]]);
});

it("are the outbox's while several steps are under way: an event may be told twice, and never not at all", async () => {
  const ids = await idsOf(
    (ctx) =>
      Promise.all(
        ["a", "b"].map((name) =>
          ctx.step(name, async () => {
            await Promise.resolve();
            await emit(ctx);
          }),
        ),
      ),
    "a",
  );
  expect(ids).toEqual([undefined, undefined]);
});
