/** Listings that hosts refuse are a build error, each with its rule; what they drop or cut is a warning. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { RULES } from "../../../src/discovery/listing/rules.ts";
import { project, ROOT } from "../../support/node/project.ts";
import { PUBLIC } from "./public-servers.ts";

interface Sample {
  /** Members of the definition. */
  readonly breaks: Record<string, string>;
  readonly problem: string;
  /** As close to the rule as a listing may be. */
  readonly keeps: readonly Record<string, string>[];
}

const input = (properties: object, more: object = {}) => ({
  input: `jsonSchema(${JSON.stringify({ type: "object", properties, ...more })})`,
});
const P = { description: "A parameter." };
/** An input with the parameter `p`. */
const p = (schema: object) => input({ p: { ...P, ...schema } });
const LONG = "a".repeat(64);

const SAMPLES: Record<string, Sample> = {
  "parameter-name": {
    breaks: input({ "a b/c": { ...P, type: "string" }, [`${LONG}a`]: { ...P, type: "string" } }),
    problem: 'Claude refuses every tool of a server with a parameter named "a b/c" (and 1 more)',
    keeps: [
      input({ [LONG]: { ...P, type: "string" }, "a.b-c_D9": { ...P, type: "string" } }),
      // Only the tool's own parameters are checked.
      p({ type: "object", properties: { "@odata.type": { type: "string" } } }),
    ],
  },
  "top-level-union": {
    breaks: input({ a: { ...P, type: "string" } }, { anyOf: [{ required: ["a"] }] }),
    problem: "Claude refuses every tool of a server with anyOf at the top level of an input",
    keeps: [
      p({ anyOf: [{ type: "string" }, { type: "null" }] }),
      input({ anyOf: { ...P, type: "string" } }),
      {
        input:
          'v.variant("by", [v.object({ by: v.pipe(v.literal("id"), v.description("How.")) }), v.object({ by: v.pipe(v.literal("name"), v.description("How.")) })])',
      },
    ],
  },
  tuple: {
    breaks: p({ type: "object", properties: { at: { type: "array", prefixItems: [{ type: "number" }] } } }),
    problem: 'Gemini refuses every tool of a server with a tuple, such as "p.at"',
    keeps: [
      p({ type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 }),
      { output: "v.tuple([v.string()])" },
    ],
  },
  "array-items": {
    breaks: p({ anyOf: [{ type: ["array", "null"] }, { type: "string" }] }),
    problem: 'Gemini and OpenAI refuse every tool of a server with a list without items, such as "p"',
    keeps: [p({ type: ["array", "null"], items: { type: "string" } }), p({ type: "string", enum: ["array"] })],
  },
  "long-name": {
    breaks: { name: `"${"a".repeat(41)}"` },
    problem:
      "has 41 characters, which leaves 18 for the server's name: Cursor drops a tool if the two have over 59 together",
    keeps: [{ name: `"${"a".repeat(40)}"` }],
  },
  "long-description": {
    breaks: { description: `"${"a".repeat(4_097)}"` },
    problem: "its description has 4097 characters: Claude Code may cut it at 4096",
    keeps: [{ description: `"${"a".repeat(4_096)}"` }],
  },
  "no-type": {
    breaks: p({ type: "object", properties: { any: {} } }),
    problem: '"p.any" has no type: some hosts refuse it with Gemini, others guess',
    keeps: [
      p({ anyOf: [{ type: "string" }, { type: "null" }] }),
      p({ enum: ["a"] }),
      p({ type: "object", additionalProperties: true }),
      input({ p: { ...P, $ref: "#/$defs/p" } }, { $defs: { p: { type: "string" } } }),
      input({ a: { ...P, type: "string" } }, { if: { required: ["a"] } }),
      { output: "v.unknown()" },
    ],
  },
  lookaround: {
    breaks: p({ type: "array", items: { type: "string", pattern: "^(?!\\.).+$" } }),
    problem: 'the pattern of "p.[]" looks ahead or behind: OpenAI refuses such tools where it enforces schemas',
    keeps: [p({ type: "string", pattern: "^(?:a|b)(?<year>[0-9]+)\\(?=[(?=]$" })],
  },
  "exploding-pattern": {
    breaks: p({ type: "string", pattern: "^(\\w+ ?)*$" }),
    problem: 'the pattern ^(\\w+ ?)*$ of "p" repeats a repetition: for some texts, it takes longer than a call may',
    keeps: [p({ type: "string", pattern: "^\\w+( \\w+)*$" })],
  },
  "choice-of-values": {
    breaks: p({ anyOf: [{ enum: [1, 2] }, { const: true }] }),
    problem: 'the choices of "p" are not texts, which Gemini refuses',
    keeps: [p({ enum: ["1", "2", null] })],
  },
  "empty-choice": {
    breaks: p({ type: "string", enum: ["", "a"] }),
    problem: '"p" has an empty text among its choices, which Gemini refuses: it is not listed',
    keeps: [p({ type: "string", enum: [" ", "a"] })],
  },
  reference: {
    breaks: input({ p: { ...P, $ref: "#/$defs/p" } }, { $defs: { p: { type: "string" } } }),
    problem: "",
    keeps: [],
  },
  const: { breaks: p({ const: "a" }), problem: "", keeps: [input({ const: { ...P, type: "string" } })] },
  "type-list": { breaks: p({ type: ["string", "null"] }), problem: "", keeps: [p({ type: ["string"] })] },
  "exclusive-bound": {
    breaks: p({ type: "number", exclusiveMinimum: 0 }),
    problem: "",
    keeps: [p({ type: "number", minimum: 0 })],
  },
  "names-of-members": {
    breaks: p({ type: "object", patternProperties: { "^x-": { type: "string" } } }),
    problem: "",
    keeps: [p({ type: "object", additionalProperties: { type: "string" } })],
  },
  format: {
    breaks: p({ type: "string", format: "uri" }),
    problem: "",
    keeps: [p({ type: "string", format: "date-time" })],
  },
};

const source = (members: Record<string, string>) =>
  `import * as v from "valibot";
import { defineTool, jsonSchema } from "#tool";

export default defineTool({
${Object.entries({ version: '"1.0.0"', description: '"A tool."', run: "() => 1", ...members })
  .map(([name, text]) => `  ${name}: ${text},\n`)
  .join("")}} as any);
`;
const allowing = (...rules: string[]) => ({ listing: JSON.stringify({ allow: rules }) });
const samples = Object.entries(SAMPLES);
/** Allowed by tools that do not need it: a rule that refuses, one that warns, and one that rewrites. */
const NEEDLESS = ["tuple", "empty-choice", "const"];
const refused = samples.filter(([rule]) => RULES[rule as keyof typeof RULES].effect === "refused");
const warned = samples.filter(([rule]) => RULES[rule as keyof typeof RULES].effect === "warned");

it("every rule has a sample here, and a line in docs/listings.md with its host and a source", () => {
  expect(Object.keys(SAMPLES)).toEqual(Object.keys(RULES));
  const rows = readFileSync(join(ROOT, "docs/listings.md"), "utf8").matchAll(/^\| `([a-z-]+)` \|(.*)\|$/gm);
  const documented = [...rows].map(([, rule = "", cells = ""]) => [rule, /\]\(https:\/\/\S+\)/.test(cells)] as const);
  expect(documented).toEqual(Object.keys(RULES).map((rule) => [rule, true]));
});

describe("a tool that hosts refuse", () => {
  let report: { code: number; stderr: string };
  beforeAll(async () => {
    report = await project(
      Object.fromEntries(refused.map(([rule, { breaks }]) => [`kit/${rule}.ts`, source(breaks)])),
    ).discover();
  });

  it.each(refused)("is a build error: %s", (rule, { problem }) => {
    expect(report.code).toBe(1);
    const [, lines = ""] = report.stderr.split(`tools/kit/${rule}.ts\n`);
    expect(lines).toMatch(/^ {2}problem: .*\n {2}fix: {5}.*; or write listing/);
    expect(lines.split("\n")[0]).toContain(problem);
    expect(lines.split("\n")[1]).toContain(`or write listing: { allow: ["${rule}"] } (docs/listings.md)`);
  });
});

describe("a tool that hosts take", () => {
  let report: { code: number; stdout: string; stderr: string };
  beforeAll(async () => {
    const files: [string, string][] = [
      ...warned.map(([rule, { breaks }]): [string, string] => [`warned/${rule}.ts`, source(breaks)]),
      ...samples.map(([rule, { breaks }]): [string, string] => [
        `allowed/${rule}.ts`,
        source({ ...breaks, ...allowing(rule), ...(breaks.name && { name: breaks.name.replace("a", "b") }) }),
      ]),
      ...samples.flatMap(([rule, { keeps }]) =>
        keeps.map((members, at): [string, string] => [`kept/${rule}-${at}.ts`, source(members)]),
      ),
      ...NEEDLESS.map((rule): [string, string] => [`needless/${rule}.ts`, source(allowing(rule))]),
      ["needless/nothing.ts", source({ listing: "{}" })],
    ];
    report = await project(Object.fromEntries(files)).discover();
  });

  it.each(warned)("is served with a warning: %s", (rule, { problem }) => {
    const [, lines = ""] = report.stderr.split(`tools/warned/${rule}.ts\n`);
    expect(lines.split("\n")[0]).toContain(problem);
    expect(lines.split("\n")[1]).toContain(`or write listing: { allow: ["${rule}"] } (docs/listings.md)`);
  });

  it("no rule applies to a tool that allows it, or that comes close; an allow that allows nothing is told", () => {
    const files = [...report.stderr.matchAll(/^(tools\/.*)$/gm)].map(([, file]) => file);
    const needless = NEEDLESS.map((rule) => `tools/needless/${rule}.ts`);
    expect(files).toEqual([...warned.map(([rule]) => `tools/warned/${rule}.ts`), ...needless].sort());
    for (const rule of NEEDLESS)
      expect(report.stderr).toContain(`its listing allows "${rule}", and nothing in it needs`);
    expect(report.stderr).toMatch(new RegExp(`^${files.length} warning\\(s\\) in tools:\n`));
    expect(report).toMatchObject({ code: 0, stdout: expect.stringContaining("discovered ") });
  });
});

it("the server's name counts: a long one leaves less for the tool's", async () => {
  const made = project({ "kit/a.ts": source({ name: `"${"a".repeat(30)}"` }) });
  const { writeFileSync } = await import("node:fs");
  const saidOf = async (length: number) => {
    writeFileSync(
      join(made.folder, "wrangler.toml"),
      `name = "x"\ncompatibility_date = "2026-10-01"\n[vars]\nSERVER_NAME = "${"s".repeat(length)}"\n`,
    );
    return (await made.discover()).stderr;
  };
  expect(await saidOf(30)).toContain("write a name of up to 29 characters");
  expect(await saidOf(60)).toMatch(/leaves 29 for the server's name: .*\n {2}fix: {5}shorten SERVER_NAME/);
});

describe("a listing of another form is a mistake", () => {
  const FORMS = ['["tuples"]', '"tuple"', "true", "{ allow: 1 }", '{ permit: ["tuple"] }'];
  let report: { code: number; stderr: string };
  beforeAll(async () => {
    const files = FORMS.map((listing, at) => [`kit/a-${at}x.ts`, source({ listing })]);
    report = await project(Object.fromEntries(files)).discover();
  });

  it.each(FORMS.map((listing, at) => ({ listing, at })))("$listing", ({ at }) => {
    expect(report.code).toBe(1);
    const [, said = ""] = report.stderr.split(new RegExp(`^tools/kit/a-${at}x\\.ts.*\n`, "m"));
    const [problem, fix] = said.split("\n");
    expect(problem).toContain("its listing does not say which rules to allow");
    expect(fix).toContain('write listing: { allow: […] } with some of "parameter-name"');
  });
});

it("schemas of ten public servers give no alarm", async () => {
  expect(PUBLIC.length).toBeGreaterThanOrEqual(10);
  const files = PUBLIC.map(({ server, name, description, schema }) => [
    `${server}/tool.ts`,
    source({
      name: `"${name}"`,
      description: JSON.stringify(description),
      input: `jsonSchema(${JSON.stringify(schema)})`,
    }),
  ]);
  expect(await project(Object.fromEntries(files)).discover()).toMatchObject({ code: 0, stderr: "" });
});
