/** The client against servers that are wrong in every way that we know, in all runtimes: the cases of `cases.ts`. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { typeErrors } from "../../support/node/type-errors.ts";
import { type Replaying, serveReplies } from "../support/replaying.ts";
import { RUNTIMES } from "../support/runtimes.ts";
import { CASES, REPLIES } from "./cases.ts";

const HERE = import.meta.dirname;
let server: Replaying;
beforeAll(async () => {
  server = await serveReplies(REPLIES);
});
afterAll(() => server?.stop());

const named = (outcomes: readonly unknown[]) =>
  Object.fromEntries(CASES.map(({ name }, index) => [name, outcomes[index]]));

it("every case has a name of its own", () => {
  expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  expect(CASES.length).toBeGreaterThan(200);
});

it.each(RUNTIMES)("every answer has the same outcome in $name", async (runtime) => {
  const { url } = server;
  const outcomes = (await runtime.run(join(HERE, "cases.ts"), { url }, url)) as unknown[];
  expect(named(outcomes)).toEqual(named(CASES.map(({ outcome }) => outcome)));
});

it("no request has followed a redirect", () => {
  expect(server.strays).toEqual([]);
});

describe("has types for", () => {
  it.each([
    ["browsers", "es2022,dom", ""],
    ["Node", "es2022", "node"],
    ["Workers", "es2022", "@cloudflare/workers-types"],
  ])("%s", (_, lib, types) => expect(typeErrors(join(HERE, "../../../src/client/opentool.ts"), lib, types)).toBe(""));
});
