/**
 * The samples as somebody runs them who has copied them from the page: with sh and curl, Node, npm and Python, against a
 * Worker that demands a key. Type-checked against the clients. test/docs/function-calling.slow.test.ts runs those by models.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../../../src/client/oxp/types.ts";
import { OxpClient } from "../../../../../src/client/oxp.ts";
import type { Call, Sample } from "../../../../../src/features/page/browser/code/sample.ts";
import { samples } from "../../../../../src/features/page/browser/code/samples.ts";
import { build } from "../../../../support/node/build.ts";
import { type Deployed, runAll } from "../../../../support/node/deployed.ts";
import { type Fork, makeFork } from "../../../../support/node/fork.ts";
import { execFile, spawnSync } from "../../../../support/node/processes.ts";
import { typeErrors } from "../../../../support/node/type-errors.ts";
import { callOf, NASTY } from "./calls.ts";

const ROOT = resolve(import.meta.dirname, "../../../../..");

/** Returns its input as the text of its JSON, so that every protocol and every program shows it alike. */
const BACK = `import * as v from "valibot";
import { defineTool } from "#tool";
export default defineTool({
  version: "1.0.0",
  description: "Returns its input as JSON.",
  listing: { allow: ["no-type"] },
  input: v.object({ value: v.pipe(v.optional(v.unknown()), v.description("Anything.")) }),
  output: v.string(),
  run: (input) => JSON.stringify(input),
});
`;
const version = (number: string) => `import { defineTool } from "#tool";
import * as v from "valibot";
export default defineTool({ version: "${number}", description: "Says its version.", output: v.string(), run: () => "${number}" });
`;
const NEEDY = `import { defineTool } from "#tool";
import * as v from "valibot";
export default defineTool({
  version: "1.0.0",
  description: "Says how long what it needs is.",
  requirements: { secrets: ["API_KEY"], authorization: [{ id: "carrier-login" }], userId: true },
  output: v.string(),
  run: (_, ctx) => [ctx.secrets.API_KEY, ctx.authorization["carrier-login"], ctx.userId].map((text) => text.length).join(),
});
`;

let fork: Fork;
let deployed: Deployed;
let environment: NodeJS.ProcessEnv;
let definitions: readonly ToolDefinition[];
/** Inside the project, so that the compiler finds the types of Node. */
let folder: string;
beforeAll(async () => {
  fork = makeFork(
    {
      "echo/back.ts": BACK,
      "versions/number@1.ts": version("1.0.0"),
      "versions/number@2.ts": version("2.0.0"),
      "needs/all.ts": NEEDY,
    },
    { closed: true },
  );
  await build(fork);
  [deployed] = (await runAll(fork, [(env) => env])) as [Deployed];
  const key = (await deployed.makeKey({ name: "samples" })).text;
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  // Lengths of 8, 5 and 3.
  const values = { TRIVET_KEY: key, API_KEY: "s3cr et$", CARRIER_LOGIN: "to'ke", TRIVET_USER_ID: "ada" };
  environment = { ...Object.fromEntries(own), ...values };
  definitions = await new OxpClient({ url: deployed.url, apiKey: key }).list();
  mkdirSync(join(ROOT, ".wrangler/tests"), { recursive: true });
  folder = mkdtempSync(join(ROOT, ".wrangler/tests/samples-"));
});
afterAll(async () => {
  await deployed?.stop();
  fork?.remove();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const INPUT = { value: NASTY };
const call = (id: string, more: Partial<Call> = {}) =>
  callOf(definitions, id, { base: deployed.url, isOpen: false, ...more });
const needy = () =>
  call("Needs.All", { needs: definitions.find(({ id }) => id.startsWith("Needs."))?.requirements ?? {} });
function sampleOf(made: Call, id: string): Sample {
  const sample = samples(made).find((one) => one.id === id);
  if (sample === undefined) throw new Error(`there is no sample ${id}`);
  return sample;
}

/** The Worker answers in this process, so no call may wait for a program. */
const started = promisify(execFile);
async function run(command: string, ...args: string[]): Promise<string> {
  const options = { cwd: fork.root, env: environment, maxBuffer: 1 << 26 };
  const { stdout } = await started(command, args, options);
  return stdout;
}

/** Runs lines as if they were pasted. From a file, because an argument has a limit. */
function paste(lines: string, shell = "sh"): Promise<string> {
  writeFileSync(join(folder, "lines.sh"), lines);
  return run(shell, join(folder, "lines.sh"));
}

/** What a tool returned, in the response of any protocol. */
function resultIn(response: string): unknown {
  const { result } = JSON.parse(response);
  return result.value ?? result.structuredContent?.value;
}

describe.each([["sh"], ["bash"]])("curl in %s", (shell) => {
  const answer = (sample: Sample) => paste(sample.text, shell).then(resultIn);

  it.each(["curl-oxp", "curl-mcp", "curl-opentool"])("%s: the tool gets exactly what was written", async (id) => {
    const got = await answer(sampleOf(call("Echo.Back", { input: INPUT }), id));
    expect(JSON.parse(got as string)).toEqual(INPUT);
    expect(got).toBe(JSON.stringify(INPUT));
  });

  it.each(["curl-oxp", "curl-mcp", "curl-opentool"])("%s: also what is too long for an argument", async (id) => {
    const input = { value: `it's ${"🍞".repeat(50_000)}\n` };
    const sample = sampleOf(call("Echo.Back", { input }), id);
    expect(await answer(sample)).toBe(JSON.stringify(input));
  });

  it("sends what the tool requires, from variables", async () => {
    expect(await answer(sampleOf(needy(), "curl-oxp"))).toBe("8,5,3");
  });

  it("calls the version that was chosen", async () => {
    expect(await answer(sampleOf(call("Versions.Number@1.0.0"), "curl-oxp"))).toBe("1.0.0");
    expect(await answer(sampleOf(call("Versions.Number"), "curl-oxp"))).toBe("2.0.0");
  });
});

it("the first part of a sample sets the variables that the call reads", async () => {
  const [first] = samples(needy());
  expect(first?.id).toBe("curl-oxp-variables");
  const text = `${first?.text}\necho "$TRIVET_KEY $API_KEY $CARRIER_LOGIN $TRIVET_USER_ID"`;
  expect(await paste(text)).toBe("trivet_… … … …\n");
});

it("npm run call", async () => {
  const shown = await paste(sampleOf(call("Echo.Back", { input: INPUT }), "clients-shell").text);
  expect(JSON.parse(shown)).toEqual(INPUT);
  expect(await paste(sampleOf(needy(), "clients-shell").text)).toBe("8,5,3\n");
  const older = sampleOf(call("Versions.Number@1.0.0"), "clients-shell").text;
  expect(await paste(older)).toBe("1.0.0\n");
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;
if (!hasPython)
  console.warn("There is no python3 here: a part of test/features/page/browser/code/samples.slow.test.ts is skipped.");
it.skipIf(!hasPython)("Python", async () => {
  const result = async (made: Call) => run("python3", "-c", sampleOf(made, "clients-python").text);
  expect(await result(needy())).toContain("'value': '8,5,3'");
  expect(await result(call("Versions.Number@1.0.0"))).toContain("'value': '1.0.0'");
  const text = sampleOf(call("Echo.Back", { input: INPUT }), "clients-python").text;
  const shown = await run("python3", "-c", text.replace(/print\((.*)\)$/, 'print($1["value"])'));
  expect(JSON.parse(shown)).toEqual(INPUT);
});

describe("TypeScript", () => {
  const echo = () => call("Echo.Back", { input: INPUT });
  /** Programs, each with a line that it prints. */
  const programs = (): readonly (readonly [Call, string, string])[] => [
    ...["clients-oxp", "clients-typed"].map((id) => [echo(), id, JSON.stringify(INPUT)] as const),
    [echo(), "clients-opentool", JSON.stringify(INPUT)],
    ...["clients-oxp", "clients-typed"].map((id) => [needy(), id, "8,5,3"] as const),
    ...["clients-oxp", "clients-typed"].map((id) => [call("Versions.Number@1.0.0"), id, "1.0.0"] as const),
    [call("Versions.Number"), "clients-typed", "2.0.0"],
  ];
  /** A program that imports the clients from their sources. */
  const write = (name: string, text: string) =>
    writeFileSync(
      join(folder, name),
      text
        .replace(/"trivet\/([a-z/-]+)"/g, (_, path) => JSON.stringify(join(ROOT, `src/client/${path}.ts`)))
        // Of an object, console.log shows a part.
        .replace("console.log(result)", "console.log(result.value)"),
    );
  const typeErrorsOf = (files: readonly string[]) => {
    write("all.ts", files.map((file) => `import "./${file}";`).join("\n"));
    return typeErrors(join(folder, "all.ts"), "es2022,dom", "node");
  };
  /** The lines that the programs print, one after the other. */
  const printed = async (files: readonly string[]) => {
    write("run.ts", files.map((file) => `await import("./${file}");\n`).join(""));
    return (await run(process.execPath, join(folder, "run.ts"))).trimEnd().split("\n");
  };

  it("of the clients has no mistake in its types, and runs", async () => {
    const client = [join(ROOT, "src/cli/client.ts"), "--url", deployed.url, "--out", join(folder, "tools.ts")];
    await run(process.execPath, ...client);
    write("tools.ts", readFileSync(join(folder, "tools.ts"), "utf8"));
    const files = programs().map(([made, id], at) => {
      write(`client${at}.ts`, sampleOf(made, id).text);
      return `client${at}.ts`;
    });
    expect(typeErrorsOf(files)).toBe("");
    expect(await printed(files)).toEqual(programs().map(([, , line]) => line));
  });
});
