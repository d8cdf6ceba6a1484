/** The typed client against callers of the test's own: what it sends on, and what it gives back. */
import { expect, it } from "vitest";
import type { CallOptions, ToolCaller } from "../../src/client/oxp/types.ts";
import { type ToolTable, typedClient } from "../../src/client/typed.ts";

interface Tools {
  math: {
    add(input: { a: number; b: number }, options?: CallOptions): Promise<number>;
    "add@1.0.0"(input: { a: number }, options?: CallOptions): Promise<number>;
  };
  clock: { now(input?: Record<string, never>, options?: CallOptions): Promise<string> };
}

const tools: ToolTable<Tools> = {
  ids: { math: { add: "Math.Add", "add@1.0.0": "Math.Add@1.0.0" }, clock: { now: "Clock.Now" } },
};

/** A caller that returns what it was called with. */
const recorder: ToolCaller = { call: async (...given) => ({ value: given }) };

it("calls each tool by its id, with the input and the options as they are", async () => {
  const client = typedClient(recorder, tools);
  const options: CallOptions = { callId: "call-1", signal: AbortSignal.timeout(60_000) };
  const input = { a: 1, b: 2 };
  const given: unknown = await client.math.add(input, options);
  expect(given).toEqual(["Math.Add", input, options]);
  expect((given as unknown[])[1]).toBe(input);
  expect((given as unknown[])[2]).toBe(options);
  expect(await client.math["add@1.0.0"]({ a: 1 })).toEqual(["Math.Add@1.0.0", { a: 1 }, undefined]);
});

it("sends an empty object for a tool that is called without input", async () => {
  expect(await typedClient(recorder, tools).clock.now()).toEqual(["Clock.Now", {}, undefined]);
});

it("rejects with what the caller throws, also at once", async () => {
  const broken: ToolCaller = {
    call() {
      throw new TypeError("no connection");
    },
  };
  await expect(typedClient(broken, tools).clock.now()).rejects.toThrow("no connection");
});

it("needs no `this`, and cannot be changed", async () => {
  const client = typedClient(recorder, tools);
  const { now } = client.clock;
  expect(await now()).toEqual(["Clock.Now", {}, undefined]);
  expect(() => Object.assign(client.clock, { now: 1 })).toThrow(TypeError);
  expect(() => Object.assign(client, { clock: 1 })).toThrow(TypeError);
});

it("has the members of the table and no others, so that it is not taken for a promise", async () => {
  const client = typedClient(recorder, tools);
  expect(Object.keys(client)).toEqual(["math", "clock"]);
  expect("then" in client).toBe(false);
  expect(await client).toBe(client);
});
