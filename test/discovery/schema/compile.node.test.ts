/** Checks that discovery compiles to code, for tools that need one and no others. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { describe, expect, it } from "vitest";
import { type StandardSchema, validate } from "../../../src/core/model/schema.ts";
import { described, type Project, project, ROOT, tool } from "../../support/node/project.ts";

const NESTED = tool({ input: `v.object({ filter: ${described("v.object({})")} })` });
const WRITTEN = `import { defineTool, jsonSchema } from "#tool";
export default defineTool({
  version: "1.0.0",
  description: "Takes one of everything.",
  input: jsonSchema({
    type: "object",
    $defs: { one: { const: { a: [1] } } },
    properties: {
      a: { description: "A.", allOf: [{ $ref: "#/$defs/one" }], anyOf: [true], oneOf: [{}, false], not: { const: 1 } },
      b: { description: "B.", type: "string", minLength: 2, maxLength: 9, pattern: "^eval\\\\(|require\\\\(", format: "uri" },
      c: { description: "C.", type: ["number", "null"], minimum: 1, exclusiveMaximum: 9, multipleOf: 0.5 },
      d: { description: "D.", prefixItems: [true], items: false, contains: {}, maxContains: 2, uniqueItems: true, minItems: 1 },
      e: { description: "E.", propertyNames: { pattern: "^a" }, patternProperties: { b: { enum: [{}, []] } }, maxProperties: 3 },
      f: { description: "F.", if: { type: "object" }, then: { minProperties: 1 }, else: false, unevaluatedProperties: false },
      g: { description: "G.", dependentRequired: { a: ["b"] }, dependentSchemas: { a: {} }, unevaluatedItems: false },
    },
  }),
  listing: { allow: ["tuple"] },
  run: (input) => input,
});
`;

const checksOf = (made: Project) => {
  const folder = join(dirname(made.out), "checks");
  return existsSync(folder) ? readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8")) : [];
};

async function discovered(files: Record<string, string>): Promise<Project> {
  const made = project(files);
  const { code, stderr } = await made.discover();
  expect(code, stderr).toBe(0);
  return made;
}

/** The files and the text of the Worker's bundle. */
async function bundled(made: Project): Promise<{ files: string[]; text: string }> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [made.out],
    bundle: true,
    write: false,
    format: "esm",
    // Its own parts, and not those that the tools of this repository need.
    alias: { "#tool": join(ROOT, "src/tool.ts"), "#features": join(dirname(made.out), "features.ts") },
    metafile: true,
  });
  return { files: Object.keys(metafile.inputs), text: outputFiles[0]?.text ?? "" };
}

async function refuses(made: Project, id: string, input: object): Promise<boolean> {
  const entry = (await made.catalog()).entries.find((one) => one.id === id);
  const schema = (await entry?.load())?.default.input as StandardSchema;
  return (await validate(schema, input)).issues !== undefined;
}

describe.concurrent("a fork whose tools need no check", () => {
  it("has none, and no code that checks", async () => {
    const text = 'p: v.pipe(v.string(), v.minLength(1), v.maxLength(9), v.description("P"))';
    const made = await discovered({
      "kit/add.ts": tool(),
      "kit/values.ts": tool({
        input: `v.object({ ${text}, q: v.optional(${described("v.array(v.picklist(['a']))")}, ["a"]) })`,
      }),
      "kit/none.ts": tool({ input: undefined }),
      "kit/zod.ts": tool({ input: 'z.object({ p: z.number().min(1).describe("P") })' }),
      "kit/own.ts": `import { defineTool, jsonSchema } from "#tool";
        const input = jsonSchema({ type: "object", properties: { p: { type: "object", description: "P." } } }, (value) => ({ value }));
        export default defineTool({ version: "1.0.0", description: "Own.", input, run: () => 1 });`,
    });
    expect(checksOf(made)).toEqual([]);
    const { files, text: code } = await bundled(made);
    expect(files.filter((file) => /core\/check\.ts|\/checks\/|ajv/.test(file))).toEqual([]);
    expect(files.some((file) => file.endsWith("core/catalog/generated-catalog.ts"))).toBe(true);
    expect(code).not.toContain("Must not contain an item twice");
  });
});

describe.concurrent("a fork with a tool that needs a check", () => {
  it("has it for that tool alone, until the tool is deleted", async () => {
    const made = await discovered({ "kit/add.ts": tool(), "kit/nested.ts": NESTED });
    expect(checksOf(made)).toHaveLength(1);
    expect(readFileSync(made.out, "utf8").match(/checked\(import\(/g)).toHaveLength(1);
    expect(await refuses(made, "Kit.Nested", { filter: [] })).toBe(true);
    expect(await refuses(made, "Kit.Nested", { filter: {} })).toBe(false);
    rmSync(join(made.tools, "kit/nested.ts"));
    await made.discover();
    expect(checksOf(made)).toEqual([]);
    expect(readFileSync(made.out, "utf8")).not.toContain("compiled-check.ts");
  });

  it("includes the code, but neither ajv nor anything that evaluates strings", async () => {
    const made = await discovered({ "kit/written.ts": WRITTEN });
    const [check = ""] = checksOf(made);
    // As code: these words also appear in a parameter's pattern.
    const code = check.replace(/"(?:[^"\\\n]|\\.)*"/g, '""');
    expect(code).not.toMatch(/\beval\b|\bFunction\b|\brequire\b|\bimport\(/);
    expect(check.match(/^import .*$/gm)).toEqual([
      expect.stringMatching(/ from "[./]*\/src\/core\/catalog\/compiled-check\.ts";$/),
    ]);
    const { files } = await bundled(made);
    // Hono belongs to the app, which the catalog imports so that a fork can extend it.
    expect(files.filter((file) => /node_modules\/(?!hono\/)/.test(file))).toEqual([]);
    expect(await refuses(made, "Kit.Written", { b: "require(" })).toBe(false);
    expect(await refuses(made, "Kit.Written", { b: "other(" })).toBe(true);
  });

  it("keeps an author's texts as they are, also those that look like what is removed", async () => {
    const choices = [
      "a,schemaPath:",
      "b",
      ',schemaPath:"#/c"',
      'const schema1 = require("ajv/dist/runtime/equal").default',
    ];
    const input = { type: "object", properties: { p: { description: "P.", type: ["string", "null"], enum: choices } } };
    const made = await discovered({
      "kit/texts.ts": WRITTEN.replace(/jsonSchema\(\{.*?\n {2}\}\)/s, `jsonSchema(${JSON.stringify(input)})`),
    });
    expect(checksOf(made)).toHaveLength(1);
    for (const p of choices) expect(await refuses(made, "Kit.Texts", { p })).toBe(false);
    expect(await refuses(made, "Kit.Texts", { p: "ab" })).toBe(true);
  });

  it("has it also if tools are bundled by toolkit, one check per tool", async () => {
    const names = Array.from({ length: 101 }, (_, index) => `t${String(index).padStart(3, "0")}`);
    const files = names.map((name) => [`kit/${name}.ts`, tool()]);
    const made = await discovered({ ...Object.fromEntries(files), "kit/t040.ts": NESTED, "kit/t042.ts": WRITTEN });
    expect(checksOf(made)).toHaveLength(1);
    expect(await refuses(made, "Kit.T040", { filter: [] })).toBe(true);
    expect(await refuses(made, "Kit.T040", { filter: {} })).toBe(false);
    expect(await refuses(made, "Kit.T041", { a: "" })).toBe(false);
    expect(await refuses(made, "Kit.T042", { c: "1" })).toBe(true);
    expect(await refuses(made, "Kit.T042", { c: 1 })).toBe(false);
    expect(await refuses(made, "Kit.T000", { a: 1 })).toBe(true);
  });
});
