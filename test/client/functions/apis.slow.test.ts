/**
 * The examples of docs/function-calling.md, as they are written: type-checked with the official SDKs, and run with them
 * against a server that plays the APIs of models, with the tools of a real server of ours.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropicTools } from "../../../src/client/functions/anthropic.ts";
import { geminiTools } from "../../../src/client/functions/gemini.ts";
import { openaiTools } from "../../../src/client/functions/openai.ts";
import { OxpClient } from "../../../src/client/oxp.ts";
import { blocksOf, ROOT } from "../../docs/blocks.ts";
import { type Fork, makeFork, type Served, serveBuilt } from "../../support/node/fork.ts";
import { type ModelApis, playModels, type Result, type Wanted } from "../../support/node/model-apis.ts";
import { execFile, spawnSync } from "../../support/node/processes.ts";
import { installedSdks } from "../../support/node/sdks.ts";
import { typeErrors } from "../../support/node/type-errors.ts";
import { RUNTIMES } from "../support/runtimes.ts";
import { refusals } from "./refusals.ts";

const sdks = installedSdks("a part of test/client/functions/apis.slow.test.ts");

let fork: Fork;
let served: Served;
beforeAll(async () => {
  fork = makeFork("test/fixtures/tools");
  // A tool has it in its `env`.
  fork.write(".dev.vars.example", "FIXTURE_SETTING=\n");
  served = await serveBuilt(fork);
});
afterAll(async () => {
  await served?.stop();
  fork?.remove();
});

it("every tool that our server lists is accepted by every API", async () => {
  const client = new OxpClient({ url: served.url });
  const definitions = await client.list();
  expect(definitions.length).toBeGreaterThan(30);
  const anthropic = anthropicTools(definitions, client).tools.map(({ input_schema, ...tool }) => ({
    ...tool,
    parameters: input_schema,
  }));
  const gemini = geminiTools(definitions, client).tools.flatMap(({ functionDeclarations }) =>
    functionDeclarations.map(({ parametersJsonSchema, ...tool }) => ({ ...tool, parameters: parametersJsonSchema })),
  );
  expect(refusals("OpenAI", openaiTools(definitions, client).tools)).toEqual([]);
  expect(refusals("Anthropic", anthropic)).toEqual([]);
  expect(refusals("Gemini", gemini)).toEqual([]);
});

describe.each(RUNTIMES)("in $name", (runtime) => {
  it("each API's answers tell of results and errors in its own form", async () => {
    const invalid = "Some input parameters are invalid\na: Must be a number\nb: Is required";
    const texts = [
      "42",
      "No such thing",
      invalid,
      'There is no tool named "__proto__". Call one of those you were given.',
    ];
    const marked = texts.map((text, at) => [`${at}`, at === 0 ? text : `Error: ${text}`]);
    const run = resolve(import.meta.dirname, "run.ts");
    expect(await runtime.run(run, { url: served.url }, served.url)).toEqual({
      responses: marked,
      chat: marked,
      anthropic: texts.map((text, at) => [`${at}`, text, at > 0]),
      gemini: texts.map((error, at) => (at === 0 ? { output: 42 } : { error })),
      aiSdk: [42, "No such thing"],
    });
  });
});

describe.each(["openai", "anthropic", "gemini", "ai-sdk"])("functions/%s.ts has types for", (name) => {
  it.each([
    ["browsers", "es2022,dom", ""],
    ["Node", "es2022", "node"],
    ["Workers", "es2022", "@cloudflare/workers-types"],
  ])("%s", (_, lib, types) => {
    expect(typeErrors(join(ROOT, `src/client/functions/${name}.ts`), lib, types)).toBe("");
  });
});

/** The examples, by the word after `ts` on their fence. */
const EXAMPLES = ["openai", "openai-chat", "anthropic", "gemini", "ai-sdk"];
const TEXTS = blocksOf("docs/function-calling.md").flatMap(({ language, text }) => (language === "ts" ? [text] : []));

/** Everything that the SDKs have to accept and to give besides what the examples use. */
const TYPES = `
import type Anthropic from "@anthropic-ai/sdk";
import type { Content, GenerateContentResponse, Part, ToolListUnion } from "@google/genai";
import { jsonSchema, type ToolSet } from "ai";
import type OpenAI from "openai";
import { aiSdkTools } from "trivet/functions/ai-sdk";
import { anthropicTools } from "trivet/functions/anthropic";
import { geminiTools } from "trivet/functions/gemini";
import { openaiChatTools, openaiTools } from "trivet/functions/openai";
import type { OxpClient, ToolDefinition } from "trivet/oxp";

declare const definitions: readonly ToolDefinition[];
declare const client: OxpClient;
export async function responses(response: OpenAI.Responses.Response) {
  const { tools, run } = openaiTools(definitions, client);
  tools satisfies OpenAI.Responses.Tool[];
  (await run(response)) satisfies OpenAI.Responses.ResponseInput;
  (await run(response.output)) satisfies OpenAI.Responses.ResponseInputItem.FunctionCallOutput[];
}
export async function chat(completion: OpenAI.ChatCompletion, message: OpenAI.ChatCompletionMessage) {
  const { tools, run } = openaiChatTools(definitions, client);
  tools satisfies OpenAI.ChatCompletionTool[];
  (await run(completion)) satisfies OpenAI.ChatCompletionMessageParam[];
  (await run(message)) satisfies OpenAI.ChatCompletionToolMessageParam[];
}
export async function messages(message: Anthropic.Message) {
  const { tools, run } = anthropicTools(definitions, client);
  tools satisfies Anthropic.ToolUnion[];
  (await run(message)) satisfies Anthropic.MessageParam[];
  (await run(message.content)) satisfies Anthropic.MessageParam[];
}
export async function gemini(response: GenerateContentResponse, content: Content, parts: Part[]) {
  const { tools, run } = geminiTools(definitions, client);
  tools satisfies ToolListUnion;
  (await run(response)) satisfies Content[];
  (await run(content)) satisfies Content[];
  (await run(parts)) satisfies Content[];
}
export const { tools } = aiSdkTools(definitions, client, { jsonSchema });
tools satisfies ToolSet;
`;

/** What a model calls, and what it is to read of that. */
const CALLS: readonly (Wanted & { readonly error: boolean; readonly reads: RegExp })[] = [
  { name: "Math_Add", input: { a: 17, b: 25 }, error: false, reads: /^42$/ },
  { name: "Failing_Faults", input: { how: "plain" }, error: true, reads: /No such thing$/ },
  { name: "Math_Add", input: { a: "17" }, error: true, reads: /a: Must be a number\nb: Is required/ },
  { name: "Math_Subtract", input: {}, error: true, reads: /Math_Subtract/ },
];
/** Only of APIs that send arguments as text. */
const BROKEN = { name: "Math_Add", input: '{"a": 17, "b', error: true, reads: /JSON/ };

describe.skipIf(!sdks)("with the official SDKs", () => {
  let folder: string;
  let models: ModelApis;
  beforeAll(async () => {
    models = await playModels();
    folder = mkdtempSync(join(sdks as string, "examples-"));
    for (const [at, name] of EXAMPLES.entries()) writeFileSync(join(folder, `${name}.ts`), TEXTS[at] ?? "");
    writeFileSync(join(folder, "types.ts"), TYPES);
  });
  afterAll(() => {
    models?.stop();
    rmSync(folder, { recursive: true });
  });

  it("there is an example for each API", () => expect(TEXTS).toHaveLength(EXAMPLES.length));

  it("the examples have no mistake in their types, and what we give fits those of the SDKs", () => {
    const compilerOptions = {
      ...{ noEmit: true, strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{
        target: "es2022",
        module: "esnext",
        moduleResolution: "bundler",
        lib: ["es2022", "dom"],
        skipLibCheck: true,
      },
      ...{ allowImportingTsExtensions: true, types: ["node"], typeRoots: [join(ROOT, "node_modules/@types")] },
      paths: { "trivet/*": [join(ROOT, "src/client/*.ts")] },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const { stdout, stderr } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder], { encoding: "utf8" });
    expect(stdout + stderr).toBe("");
  });

  it.each(EXAMPLES)("%s: asks, runs the tools, and asks again", async (name) => {
    const sendsText = name.startsWith("openai") || name === "ai-sdk";
    const calls = sendsText ? [...CALLS, BROKEN] : CALLS;
    models.want(calls);
    expect(await printedBy(name)).toBe("The answer is 42.\n");
    const results = models.results();
    expect(results).toHaveLength(calls.length);
    for (const [at, { error, reads }] of calls.entries()) {
      expect(readBy(results[at]), `call ${at}`).toMatch(reads);
      // The AI SDK's provider has its own form for errors, and answers calls of unknown tools itself.
      if (name !== "ai-sdk") expect(results[at]?.error, `call ${at}`).toBe(error);
    }
  });

  /** Runs an example, and returns what it prints. */
  async function printedBy(name: string): Promise<string> {
    const outfile = join(folder, `${name}.mjs`);
    const alias = {
      "trivet/oxp": join(ROOT, "src/client/oxp.ts"),
      "trivet/functions": join(ROOT, "src/client/functions"),
    };
    await build({
      entryPoints: [join(folder, `${name}.ts`)],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      alias,
      packages: "external",
    });
    const keys = { OPENAI_API_KEY: "none", ANTHROPIC_API_KEY: "none", GEMINI_API_KEY: "none" };
    const urls = {
      OPENAI_BASE_URL: `${models.url}/v1`,
      ANTHROPIC_BASE_URL: models.url,
      GOOGLE_GEMINI_BASE_URL: models.url,
    };
    const env = { PATH: process.env.PATH, TOOLS_URL: served.url, ...keys, ...urls };
    return (await promisify(execFile)(process.execPath, [outfile], { env })).stdout;
  }
});

/** The text of a result. The AI SDK's provider for OpenAI sends errors as JSON. */
function readBy(result: Result | undefined): string {
  const text = String(result?.value);
  return text.startsWith('{"error":') ? JSON.parse(text).error : text;
}
