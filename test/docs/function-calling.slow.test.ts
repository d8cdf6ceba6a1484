/**
 * The programs of docs/clients.md, which are those that the page at / shows: type-checked with the SDKs of the
 * vendors, and run with them, against a server that plays the APIs of models and a Worker that demands a key.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client, StreamableHTTPClientTransport, type Tool } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { samples } from "../../src/features/page/browser/code/samples.ts";
import { callOf, definition, NASTY } from "../features/page/browser/code/calls.ts";
import { build } from "../support/node/build.ts";
import { type Deployed, runAll } from "../support/node/deployed.ts";
import { type Fork, makeFork } from "../support/node/fork.ts";
import { type ModelApis, playModels } from "../support/node/model-apis.ts";
import { execFile, spawnSync } from "../support/node/processes.ts";
import { installed } from "../support/node/sdks.ts";
import { blocksOf, ROOT } from "./blocks.ts";

const SDKS = ["openai", "anthropic", "gemini", "ai-sdk"];
const TEXTS = blocksOf("docs/clients.md").flatMap(({ note, text }) =>
  note?.includes("function-calling.slow.test.ts") ? [text] : [],
);
const BASE = "http://127.0.0.1:8787";

/** The programs of the page at /, by the names in {@link SDKS}. */
function shown(isOpen: boolean, input: Readonly<Record<string, unknown>> = {}): ReadonlyMap<string, string> {
  const call = callOf([definition("Math.Add@1.0.0")], "Math.Add", { base: BASE, isOpen, input });
  const own = samples(call).filter(({ group, id }) => group === "models" && !id.endsWith("-variables"));
  return new Map(own.map(({ id, text }) => [id.replace("models-", ""), `${text}\n`]));
}

it("the page's programs are those of the page at /, with another question", () => {
  const asked = [...shown(false).values()].map((text) =>
    text.replace('"Call Math_Add with {}."', '"How much is 17 and 25?"'),
  );
  expect([...shown(false).keys()]).toEqual(SDKS);
  expect(TEXTS).toEqual(asked);
});

const TOOL = `import * as v from "valibot";
import { defineTool, ToolError } from "#tool";
const number = v.pipe(v.number(), v.description("A number."));
`;
const ADD = `${TOOL}
export default defineTool({
  version: "1.0.0",
  description: "Adds two numbers.",
  input: v.object({ a: number, b: number }),
  output: v.number(),
  run: ({ a, b }) => a + b,
});
`;
const ROOT_OF = `${TOOL}
export default defineTool({
  version: "1.0.0",
  description: "Takes the square root of a number.",
  input: v.object({ a: number }),
  output: v.number(),
  run: ({ a }) => {
    if (a < 0) throw new ToolError("There is no such root", { additionalPromptContent: "Give 0 or more." });
    return Math.sqrt(a);
  },
});
`;

/** What a model calls, and what it is to read of that. */
const CALLS = [
  { name: "Math_Add", input: { a: 17, b: 25 }, reads: /\b42\b/ },
  { name: "Math_Root", input: { a: -1 }, reads: /There is no such root.*Give 0 or more\./ },
  { name: "Math_Add", input: { a: "17" }, reads: /a: Must be a number.*b: Is required/ },
];

/** Some of the SDKs say of themselves whether there may be other parameters. The server checks each call anyhow. */
const asOffered = ({ name, description, inputSchema: { $schema: _, ...inputSchema } }: Tool) => ({
  ...{ name, description },
  parameters: expect.objectContaining(inputSchema),
});

const sdks = installed("test/docs/sdks", "The SDKs of models", "a part of test/docs/function-calling.slow.test.ts");

describe.skipIf(!sdks)("with the SDKs", () => {
  let fork: Fork;
  let deployed: Deployed;
  let models: ModelApis;
  let key: string;
  /** As MCP lists the tools. */
  let listed: readonly Tool[];
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(sdks as string, "programs-"));
    fork = makeFork({ "math/add.ts": ADD, "math/root.ts": ROOT_OF }, { closed: true });
    await build(fork);
    [deployed] = (await runAll(fork, [(env) => env])) as [Deployed];
    key = (await deployed.makeKey({ name: "agent" })).text;
    const client = new Client({ name: "test", version: "1.0.0" });
    const requestInit = { headers: { Authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", deployed.url), { requestInit }));
    listed = (await client.listTools()).tools;
    await client.close();
    models = await playModels();
  });
  afterAll(async () => {
    models?.stop();
    await deployed?.stop();
    fork?.remove();
    rmSync(folder, { recursive: true });
  });

  it("the programs have no mistake in their types", () => {
    const programs = { keyed: shown(false), open: shown(true), nasty: shown(false, { value: NASTY }) };
    for (const [kind, texts] of Object.entries(programs)) {
      expect(texts.size).toBe(SDKS.length);
      for (const [name, text] of texts) writeFileSync(join(folder, `${name}-${kind}.ts`), text);
    }
    const compilerOptions = {
      ...{ noEmit: true, strict: true, noUncheckedIndexedAccess: true, skipLibCheck: true },
      ...{ target: "es2022", module: "esnext", moduleResolution: "bundler", lib: ["es2022", "dom"] },
      ...{ types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const { stdout, stderr } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
    expect(stdout + stderr).toBe("");
  });

  it.each(SDKS)("%s: gives the tools to the model, runs its calls, and tells it of errors", async (name) => {
    models.want(CALLS);
    expect(await printedBy(name)).toBe("The answer is 42.\n");
    expect(models.offered()).toEqual(listed.map(asOffered));
    const results = models.results();
    expect(results).toHaveLength(CALLS.length);
    for (const [at, { reads }] of CALLS.entries()) expect(JSON.stringify(results[at])).toMatch(reads);
    // The vendor has no use for it.
    expect(models.sent()).not.toContain(key);
  });

  /** Runs a program of the page, and returns what it prints. */
  async function printedBy(name: string): Promise<string> {
    // Node takes no TypeScript in node_modules.
    const file = join(folder, `${name}.mjs`);
    const text = TEXTS[SDKS.indexOf(name)] ?? "";
    writeFileSync(file, stripTypeScriptTypes(text.replace(BASE, deployed.url)));
    const keys = { OPENAI_API_KEY: "none", ANTHROPIC_API_KEY: "none", GEMINI_API_KEY: "none", TRIVET_KEY: key };
    const urls = {
      OPENAI_BASE_URL: `${models.url}/v1`,
      ANTHROPIC_BASE_URL: models.url,
      GOOGLE_GEMINI_BASE_URL: models.url,
    };
    // The Agents SDK sends traces to OpenAI.
    const env = { PATH: process.env.PATH, OPENAI_AGENTS_DISABLE_TRACING: "1", ...keys, ...urls };
    return (await promisify(execFile)(process.execPath, [file], { env })).stdout;
  }
});
