/** One fork with all tools of the documentation: type-checked, discovered, built and served. */

import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "../support/node/build.ts";
import { type Ran, runTests } from "../support/node/copy.ts";
import { type Fork, makeFork, type ServedBuilt, serveDist, testSettings } from "../support/node/fork.ts";
import { execFile, execFileSync } from "../support/node/processes.ts";
import { type Block, blocksIn, ROOT } from "./blocks.ts";
import { commandsIn, isQuick } from "./commands.ts";
import { isAdditive, merged, needsAccount } from "./settings.ts";

/** The address that the documentation gives, of `npm start`. */
export const WRITTEN_URL = /http:\/\/(127\.0\.0\.1|localhost):8787/g;

/** Blocks without a file of their own are the body of a tool's `run`. */
const FRAGMENTS = "src/fragments";

/** Files that a tool imports as text, skills, and migrations. */
const textBlocks = () => [...blocksIn("html"), ...blocksIn("md"), ...blocksIn("sql")];
export const tsBlocks = () => blocksIn("ts");

export interface Documented extends ServedBuilt {
  readonly fork: Fork;
  /** What the type checker says, by the place of the block that it is about; others under "". */
  readonly typeErrors: ReadonlyMap<string, string>;
  /** What each quick command printed. */
  readonly printed: ReadonlyMap<string, string>;
}

export async function serveDocumented(): Promise<Documented> {
  const fork = makeFork("test/fixtures/samples");
  const blocks = tsBlocks();
  try {
    const printed = await runQuick(fork);
    for (const block of blocks) {
      if (block.path === undefined) fork.write(fragmentOf(block), asFragment(block.text));
      else fork.write(block.path, block.text);
    }
    for (const { path, text } of textBlocks()) if (path !== undefined) fork.write(path, text);
    if (testFiles().length > 0) {
      const filter = (path: string) => !/\/(generated|node_modules)$/.test(path);
      cpSync(join(ROOT, "test"), join(fork.root, "test"), { recursive: true, filter });
    }
    const additive = textsOf("toml").filter(isAdditive);
    // As under `npm start -- --var LONG_WAIT_SECONDS:1` (docs/tasks.md).
    const here = [
      'LOCAL = "true"',
      'LONG_WAIT_SECONDS = "1"',
      ...additive.filter((text) => !needsAccount(text)),
    ].reduce(merged, testSettings());
    fork.write("wrangler.toml", additive.reduce(merged, here));
    execFileSync(process.execPath, ["src/discovery/cli.ts"], { cwd: fork.root, stdio: ["ignore", "pipe", "pipe"] });
    const typeErrors = check(fork, blocks);
    await build(fork);
    const served = await serveDist(fork, here);
    await fillDatabases(served);
    return {
      ...served,
      fork,
      typeErrors,
      printed,
      async stop() {
        await served.stop();
        fork.remove();
      },
    };
  } catch (error) {
    fork.remove();
    throw located(error as Error, blocks);
  }
}

/** Runs the quick commands, each once, before the blocks are written: they may write files that a block then changes. */
async function runQuick(fork: Fork): Promise<Map<string, string>> {
  const quick = new Set(blocksIn("sh").flatMap(({ text }) => commandsIn(text).filter(isQuick)));
  const printed = new Map<string, string>();
  for (const command of quick) {
    const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: fork.root });
    printed.set(command, stdout);
  }
  return printed;
}

/** Applies the migrations as `npm start` would, whose databases are files: here they are in memory. */
async function fillDatabases({ bindings }: ServedBuilt): Promise<void> {
  const { DB } = (await bindings()) as { readonly DB?: D1 };
  for (const sql of textsOf("sql")) await DB?.exec(sql.replaceAll(/\s*\n\s*/g, " ").replaceAll("; ", ";\n"));
}

interface D1 {
  exec(sql: string): Promise<unknown>;
}

const textsOf = (language: string) => blocksIn(language).map(({ text }) => text);

const fragmentOf = ({ page, line }: Block) => `${FRAGMENTS}/${page.replaceAll(/\W/g, "-")}-${line}.ts`;

function asFragment(text: string): string {
  if (/^(import|export) /m.test(text)) return text;
  return `import type { ToolContext } from "#tool";
export async function run(ctx: ToolContext<string, string, string, string>) {
${text}}
`;
}

/** Runs the type checker over the fork. Its sources are checked too, which takes hardly longer than the tools alone. */
function check(fork: Fork, blocks: readonly Block[]): Map<string, string> {
  const errors = new Map<string, string>();
  try {
    execFileSync(join(fork.root, "node_modules/.bin/tsc"), ["-p", ".", "--pretty", "false"], {
      cwd: fork.root,
      encoding: "utf8",
    });
  } catch (error) {
    for (const message of (error as { stdout: string }).stdout.split(/\n(?=\S)/)) {
      const [, file = ""] = /^(\S+?)\(/.exec(message) ?? [];
      // A fragment shows how a value is got, and not what is done with it.
      if (file.startsWith(FRAGMENTS) && message.includes("error TS6133")) continue;
      const at = blocks.find((block) => (block.path ?? fragmentOf(block)) === file)?.at ?? "";
      errors.set(at, `${errors.get(at) ?? ""}${message}\n`);
    }
  }
  return errors;
}

function testFiles(): string[] {
  const files = tsBlocks().flatMap(({ path }) => (path?.endsWith(".test.ts") ? [path] : []));
  return [...new Set(files)];
}

/** Runs the blocks that are tests of tools, with the project's own runner. */
export async function runTestBlocks({ fork }: Documented): Promise<Ran | undefined> {
  const files = testFiles();
  return files.length === 0 ? undefined : runTests(fork.root, files);
}

/** Adds to an error which blocks the files are that it names. */
function located(error: Error, blocks: readonly Block[]): Error {
  const text = error.message;
  const places = blocks.filter(({ path }) => path !== undefined && text.includes(path));
  return new Error(`${text}\n${places.map(({ path, at }) => `${path} is the block at ${at}`).join("\n")}`);
}

export interface ListedTool {
  readonly id: string;
  readonly input_schema: { readonly parameters: object };
  readonly requirements?: {
    readonly secrets?: readonly { readonly id: string }[];
    readonly authorization?: readonly { readonly id: string }[];
    readonly user_id?: boolean;
  };
}

/** Whether a tool has a binding that is only there with an account. */
export function isOfAccount({ id }: ListedTool): boolean {
  const [path = ""] = id.toLowerCase().replace(".", "/").split("@");
  const block = tsBlocks().find((block) => block.path?.replaceAll("-", "") === `tools/${path}.ts`);
  const bindings = textsOf("toml")
    .filter(needsAccount)
    .join("\n")
    .matchAll(/^binding = (".+")$/gm);
  return [...bindings].some(([, name = ""]) => block?.text.includes(name));
}

/** A context with a value for everything that a tool requires. */
export function contextFor({ requirements = {} }: ListedTool): object {
  const { secrets = [], authorization = [], user_id } = requirements;
  return {
    ...(secrets.length > 0 && { secrets: secrets.map(({ id }) => ({ id, value: "value" })) }),
    ...(authorization.length > 0 && { authorization: authorization.map(({ id }) => ({ id, token: "token" })) }),
    ...(user_id && { user_id: "ada" }),
  };
}
