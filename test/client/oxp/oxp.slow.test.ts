/**
 * The client against our server, and against one that misbehaves, over real HTTP: the same cases in each runtime. And
 * its types, as programs of each platform see them.
 */
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { now, SECRET, shared } from "../../support/node/attacks/tokens.ts";
import { type Long, serveLong } from "../../support/node/long.ts";
import { type OddServer, serveOddly } from "../../support/node/odd-oxp.ts";
import { typeErrors } from "../../support/node/type-errors.ts";
import { RUNTIMES } from "../support/runtimes.ts";
import { ODD_CASES } from "./odd-cases.ts";
import type { Input } from "./run.ts";
import { SERVER_CASES } from "./server-cases.ts";

const CASES = [...SERVER_CASES, ...ODD_CASES];
/** Of the page that calls, in a browser. */
const ORIGIN = "http://localhost";

let server: Long;
let odd: OddServer;
/** What came of each case, by the name of the runtime. */
let outcomes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
beforeAll(async () => {
  server = await serveLong({
    closed: true,
    tools: "test/client/oxp/tools",
    vars: { JWT_SECRET: SECRET, LONG_WAIT_SECONDS: "0" },
    change: (settings) =>
      settings
        .replace('ALLOWED_ORIGINS = ""', `ALLOWED_ORIGINS = "${ORIGIN}"`)
        .replace(/(RATE_PER_MINUTE = )"\d+"/, '$1"6000"'),
  });
  odd = await serveOddly(server.url);
  const token = shared({ sub: "ada", scope: "tools" });
  const expired = shared({ sub: "ada", scope: "tools", exp: now() - 3_600 });
  const input: Input = { server: server.url, odd: odd.url, token, expired };
  const cases = resolve(import.meta.dirname, "run.ts");
  // All at once, because most of the time they wait.
  const ran = RUNTIMES.map(async (runtime) => [runtime.name, await runtime.run(cases, input, ORIGIN)] as const);
  outcomes = Object.fromEntries(await Promise.all(ran)) as never;
});
afterAll(async () => {
  await odd?.stop();
  await server?.stop();
});

describe.each(RUNTIMES)("in $name", (runtime) => {
  const outcomeOf = (name: string) => outcomes[runtime.name]?.[name];

  it("runs every case", () => {
    expect(Object.keys(outcomes[runtime.name] ?? {}).sort()).toEqual(CASES.map(({ name }) => name).sort());
  });

  it.each(SERVER_CASES)("our server: $name", ({ name, expected }) => expect(outcomeOf(name)).toEqual(expected));

  it.each(ODD_CASES)("a server that misbehaves: $name", ({ name, expected }) => {
    expect([outcomeOf(name)]).toMatchObject([expected]);
  });
});

const browser = RUNTIMES.find(({ name }) => name === "Chromium");
it.skipIf(!browser)("gives calls different ids in a page that did not come over https", async () => {
  const module = resolve(import.meta.dirname, "insecure.ts");
  const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
  const ids = [expect.stringMatching(UUID), expect.stringMatching(UUID)];
  const outcome = await browser?.run(module, undefined, "http://insecure.example");
  expect(outcome).toEqual({ hasRandomUUID: false, ids });
  expect(new Set((outcome as { ids: string[] }).ids).size).toBe(2);
});

describe("has types for", () => {
  const SOURCE = resolve(import.meta.dirname, "../../../src/client/oxp.ts");
  it.each([
    ["browsers", "es2022,dom", ""],
    ["Node", "es2022", "node"],
    ["Workers", "es2022", "@cloudflare/workers-types"],
  ])("%s", (_, lib, types) => expect(typeErrors(SOURCE, lib, types)).toBe(""));
});
