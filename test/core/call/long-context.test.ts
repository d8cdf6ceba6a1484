/** A long tool where there is no ledger, as in tests of tools: it runs in the call, and gets what it gets in a task. */
import * as v from "valibot";
import { expect, it } from "vitest";
import { executeWith, plainSteps } from "../../../src/core/call/execute.ts";
import type { Call } from "../../../src/core/model/call.ts";
import type { ToolDefinition } from "../../../src/core/model/definition.ts";
import type { LongContext } from "../../../src/core/model/tool-context.ts";
import { stepsWithTasks } from "../../../src/features/tasks/steps.ts";
import { run, runtime } from "../../../src/runtime.ts";
import { OWNER } from "../../support/app.ts";

const CALL = { callId: "c", protocol: "test", principal: OWNER, tool: { id: "Kit.Wait" }, input: {} };
const NOTHING = { authorization: new Map(), secrets: new Map(), userId: undefined };

async function outcomeOf(definition: Pick<ToolDefinition, "prepare"> & { run(input: never, ctx: never): unknown }) {
  const whole = Object.assign(definition, { version: "1.0.0", description: "Waits.", long: true });
  const entry = { id: "Kit.Wait", name: "Kit_Wait", version: "1.0.0", options: { long: true }, output: "any" };
  const catalog = { find: () => ({ entry }), definition: async () => whole };
  const call = { ...CALL, context: NOTHING } as Call;
  const execute = executeWith(stepsWithTasks(plainSteps(run), run));
  return (await execute(call, { ...runtime, catalog: catalog as never })).outcome;
}

it("gets what prepare returned, and what its steps returned, as JSON", async () => {
  const outcome = await outcomeOf({
    prepare: () => ({ at: new Date(0) }),
    async run(_: never, ctx: LongContext<unknown>) {
      const nothing = await ctx.step("nothing", () => {});
      return [ctx.prepared, await ctx.step("later", () => ({ at: new Date(1) })), nothing === undefined];
    },
  });
  expect(outcome).toMatchObject({
    kind: "completed",
    value: [{ at: "1970-01-01T00:00:00.000Z" }, { at: "1970-01-01T00:00:00.001Z" }, true],
  });
});

it("fails if prepare returned what JSON has no word for", async () => {
  expect(await outcomeOf({ prepare: () => () => 1, run: () => 1 })).toMatchObject({ kind: "failed" });
});

it("keeps 750,000 bytes of a step, and refuses more, as a workflow would", async () => {
  const failing = async (text: string) => {
    const outcome = await outcomeOf({
      run: (_: never, ctx: LongContext<unknown>) =>
        ctx
          .step("page", () => text)
          .then(
            ({ length }) => length,
            (error: Error) => error.message,
          ),
    });
    return outcome.kind === "completed" ? outcome.value : outcome;
  };
  expect(await failing("m".repeat(749_998))).toBe(749_998);
  const message = 'The result of the step "page" has over 750000 bytes of JSON: keep it elsewhere, and return where';
  expect(await failing("m".repeat(749_999))).toBe(message);
  expect(await failing("\u00e9".repeat(374_999))).toBe(374_999);
  expect(await failing("\u00e9".repeat(375_000))).toBe(message);
});

it.each(["n".repeat(257), "\ud83c\udf4e".repeat(129), "a\nb", "a\u0000b", "\u007f"])(
  "refuses a step whose name no workflow accepts (%j)",
  async (name) => {
    let done = false;
    const run = async (_: never, ctx: LongContext<unknown>) => {
      const work = () => {
        done = true;
      };
      return ctx.step(name, work).catch((error: Error) => error.message);
    };
    const outcome = await outcomeOf({ run });
    expect(outcome).toMatchObject({ kind: "completed", value: expect.stringContaining("at most 256 characters") });
    expect(done).toBe(false);
  },
);

it.each(["", "n".repeat(256), "__proto__", "caf\u00e9 \ud83c\udf4e"])(
  "does a step of any other name (%j)",
  async (name) => {
    const run = (_: never, ctx: LongContext<unknown>) => ctx.step(name, () => "done");
    expect(await outcomeOf({ run })).toMatchObject({ kind: "completed", value: "done" });
  },
);

it("prepares, and checks its result, if the definition inherits that, as one with a compiled check does", async () => {
  const run = (_: never, ctx: LongContext<unknown>) => ctx.prepared;
  const inherited = (prepare: () => unknown) => Object.create({ output: v.number(), prepare, run });
  expect(await outcomeOf(inherited(() => 1))).toMatchObject({ kind: "completed", value: 1 });
  expect(await outcomeOf(inherited(() => "one"))).toMatchObject({ kind: "failed" });
});
