/**
 * Schemas of public servers, as JSON Schema, in zod and in valibot: listed, called, and taken by every host. Where they
 * come from, and under which licence, is in their files in test/fixtures/real-schemas.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inlined } from "../../../src/discovery/schema/flatten-schema.ts";
import { type Fork, makeFork, type ServedBuilt, serveBuilt } from "../../support/node/fork.ts";
import { postJson } from "../../support/node/http.ts";
import { ROOT } from "../../support/node/project.ts";
import { isSlow } from "../../support/tier.ts";
import { HOSTS, type Listed } from "./hosts.ts";
import { inputsFor } from "./real-inputs.ts";

type JsonSchema = Readonly<Record<string, unknown>>;
interface Source {
  readonly source: string;
  readonly licence: string;
  readonly tools: readonly { readonly name: string; readonly schema: JsonSchema }[];
}

const FOLDER = join(ROOT, "test/fixtures/real-schemas");
const SOURCES = readdirSync(FOLDER).map((file) => JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as Source);
const ALL = SOURCES.flatMap(({ tools }) => tools);
const OMITTED = ["$schema", "anyOf", "oneOf", "allOf", "dependentRequired"];
/** In the fast tier, every tenth. */
const TOOLS = ALL.filter((_, at) => isSlow || at % 10 === 0).map(({ name, schema }) => {
  const flat = inlined(schema);
  const properties = Object.entries(flat.properties as Record<string, JsonSchema>).map(([parameter, property]) => {
    return [parameter, { ...property, description: "What it is for." }];
  });
  // A union at the top is refused, whoever lists it; and no library has a word for dependencies.
  const left = Object.entries(flat).filter(([keyword]) => !OMITTED.includes(keyword));
  return { name, schema: { ...Object.fromEntries(left), type: "object", properties: Object.fromEntries(properties) } };
});

/** The three spellings of a schema, each in a toolkit of its own. */
const SPELLINGS: Readonly<Record<string, readonly [imports: string, input: (schema: string) => string]>> = {
  own: ['import { defineTool, jsonSchema } from "#tool";', (schema) => `jsonSchema(${schema})`],
  zod: [
    'import { defineTool } from "#tool";\nimport { z } from "zod";',
    (schema) => `z.fromJSONSchema(${schema} as never) as z.ZodObject`,
  ],
  valibot: [
    'import { defineTool } from "#tool";\nimport { valibotOf } from "./_valibot-of.ts";',
    (schema) => `valibotOf(${schema}) as never`,
  ],
};

function files(): Record<string, string> {
  const tools = Object.entries(SPELLINGS).flatMap(([toolkit, [imports, input]]) =>
    TOOLS.map(({ schema }, at) => [
      `${toolkit}/t${at}.ts`,
      `${imports}\nexport default defineTool({\n  version: "1.0.0",\n  description: "A tool.",\n` +
        `  input: ${input(JSON.stringify(schema))},\n  run: (input: unknown) => input as never,\n});\n`,
    ]),
  );
  const helper = readFileSync(join(import.meta.dirname, "valibot-of.ts"), "utf8");
  return { ...Object.fromEntries(tools), "valibot/_valibot-of.ts": helper };
}

let fork: Fork;
let served: ServedBuilt;
beforeAll(async () => {
  fork = makeFork(files());
  served = await serveBuilt(fork);
});
afterAll(async () => {
  await served?.stop();
  fork?.remove();
});

it("there are two hundred, each with its source and licence", () => {
  expect(ALL.length).toBeGreaterThanOrEqual(200);
  for (const { source, licence } of SOURCES) {
    expect(source).toMatch(/(commit [0-9a-f]{40}|version [\d.]+)$/);
    expect(licence).toMatch(/^(MIT|Apache-2\.0|MIT and Apache-2\.0)$/);
  }
});

const COUNT = TOOLS.length * Object.keys(SPELLINGS).length;

async function listed(): Promise<Listed[]> {
  const found: Listed[] = [];
  for (let cursor: string | undefined, first = true; first || cursor; first = false) {
    const { body } = await postJson(`${served.url}/mcp`, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/list",
      params: { cursor },
    });
    found.push(...body.result.tools);
    cursor = body.result.nextCursor;
  }
  return found;
}

it("all are listed over the three protocols", async () => {
  expect(await listed()).toHaveLength(COUNT);
  const oxp = (await (await fetch(`${served.url}/tools`)).json()) as { tools: unknown[] };
  expect(oxp.tools).toHaveLength(COUNT);
  const opentool = (await (await fetch(`${served.url}/opentool/load`)).json()) as { functions: unknown[] };
  expect(opentool.functions).toHaveLength(COUNT);
});

describe.each(Object.entries(HOSTS))("%s", (_, refused) => {
  it("takes them all", async () => {
    const found = (await listed()).flatMap((tool) => [...refused(tool)].map((what) => `${tool.name}: ${what}`));
    expect(found).toEqual([]);
  });
});

describe.each(Object.keys(SPELLINGS))("written as %s", (toolkit) => {
  const id = (at: number) => `${toolkit[0]?.toUpperCase()}${toolkit.slice(1)}.T${at}`;
  const isTaken = async (at: number, input: object) => {
    const { status, body } = await postJson(`${served.url}/tools/call`, { request: { tool_id: id(at), input } });
    expect([200, 422], JSON.stringify(body)).toContain(status);
    return status === 200;
  };

  it("they take good inputs", async () => {
    let calls = 0;
    for (const [at, { name, schema }] of TOOLS.entries()) {
      for (const input of inputsFor(schema).good) {
        calls++;
        expect(await isTaken(at, input), `${name} ${JSON.stringify(input)}`).toBe(true);
      }
    }
    expect(calls).toBeGreaterThan(TOOLS.length);
  });

  it("they refuse bad ones", async () => {
    const taken: string[] = [];
    let calls = 0;
    for (const [at, { name, schema }] of TOOLS.entries()) {
      for (const input of inputsFor(schema).bad) {
        calls++;
        if (await isTaken(at, input)) taken.push(`${name} ${JSON.stringify(input)}`);
      }
    }
    expect(taken).toEqual([]);
    expect(calls).toBeGreaterThan(2 * TOOLS.length);
  });
});

it("over MCP and OpenTool, the same are taken and refused", async () => {
  for (const [at, { schema }] of TOOLS.entries()) {
    const { good, bad } = inputsFor(schema);
    for (const [input, isGood] of [
      [good[0], true],
      [bad[0], false],
    ] as const) {
      if (input === undefined) continue;
      const call = { jsonrpc: "2.0", id: "1" };
      const opentool = await postJson(`${served.url}/opentool/call`, { ...call, method: `Own_T${at}`, params: input });
      expect(opentool.body.error === null).toBe(isGood);
      const params = { name: `Own_T${at}`, arguments: input };
      const mcp = await postJson(`${served.url}/mcp`, { ...call, method: "tools/call", params });
      expect(mcp.body.error === undefined).toBe(isGood);
    }
  }
});
