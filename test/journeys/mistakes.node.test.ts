/**
 * The mistakes that a new author meets first, in definitions, in settings and on command lines: each message names the
 * file, the line where there is one, and what to do. Those at run time are in test/cli/start/start.node.test.ts, and all
 * others in definitions in test/discovery/read/mistakes.node.test.ts.
 */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../src/cli/keys/manage-keys.ts";
import { runDiscovery } from "../support/node/discovery.ts";
import type { Fork } from "../support/node/fork.ts";
import { makeFork } from "../support/node/fork.ts";
import { tool } from "../support/node/project.ts";
import { type Message, RUNS } from "../support/node/run-mistakes.ts";
import { runMain } from "../support/node/script.ts";

const imported = (line: string) => `${line}\n${tool()}`;
/** Files in a folder of their own, and what discovery says about them. */
const DEFINITIONS: Record<string, readonly [files: Record<string, string>, ...Message]> = {
  "a file with an underscore in its name": [
    { "get_mail.ts": tool() },
    "get_mail.ts",
    '"get_mail" is not a tool name',
    "rename the file to get-mail.ts",
  ],
  "a JavaScript file": [{ "add.js": tool() }, "add.js", "only .ts files are tools", "rename it to add.ts"],
  "no default export": [
    { "add.ts": "export const add = 1;" },
    "add.ts",
    "it has no default export (it exports add)",
    "write export default defineTool(",
  ],
  "a misspelled member": [
    { "add.ts": tool({ descripton: '"Adds."' }) },
    "add.ts:10",
    'a tool has no member "descripton"',
    "write description, or remove it, or write one of name, version, description",
  ],
  "a misspelled member of a toolkit": [
    { "add.ts": tool(), "toolkit.ts": 'export default {\n  nmae: "KIT",\n};\n' },
    "toolkit.ts:2",
    'a toolkit has no member "nmae"',
    "write name, or remove it, or write one of name, instructions",
  ],
  "an option of another type": [
    { "add.ts": tool({ timeoutMs: '"5 s"' }) },
    "add.ts:10",
    "its timeoutMs is not a number of milliseconds",
    "write an integer",
  ],
  "a secret whose name cannot be that of a variable": [
    { "add.ts": tool({ requirements: '{ secrets: ["my key"] }' }) },
    "add.ts:10",
    'its secret "my key" cannot be the name of an environment variable',
    "write letters, digits and _",
  ],
  "no version": [{ "add.ts": tool({ version: undefined }) }, "add.ts:4", "it has no version", 'write version: "1.0.0"'],
  "a parameter without a description": [
    { "add.ts": tool({ input: "v.object({ a: v.string() })" }) },
    "add.ts:7",
    'the parameter "a" has no description',
    "write a: v.pipe(…, v.description(",
  ],
  "an input that is not an object": [
    { "add.ts": tool({ input: "v.string()" }) },
    "add.ts:7",
    "its input is not an object of parameters",
    "write input: v.object({ … })",
  ],
  "a plain JSON Schema": [
    { "add.ts": tool({ input: '{ type: "object", properties: {} }' }) },
    "add.ts:7",
    "its input is a plain JSON Schema",
    "write input: jsonSchema({ … })",
  ],
  "a type that JSON lacks": [{ "add.ts": tool({ output: "v.date()" }) }, "add.ts:8", "its output", "v.isoTimestamp()"],
  "a syntax error": [
    { "add.ts": "\nexport default {" },
    "add.ts:2",
    "it cannot be loaded",
    "correct what the message names",
  ],
  "a package that is not installed": [
    { "add.ts": imported('import get from "@missing/package/get";') },
    "add.ts:1",
    'it imports "@missing/package/get", which is not installed',
    "run npm install @missing/package",
  ],
  "a helper that is not there": [
    { "add.ts": imported('import { help } from "./_help.ts";\nhelp();') },
    "add.ts:1",
    'Could not resolve "./_help.ts"',
    "correct what the message names",
  ],
  "an exception while it loads": [
    { "add.ts": tool({}, "\nconst list: string[] = [];\nlist[0]!.trim();") },
    "add.ts:5",
    "TypeError: Cannot read properties of undefined (reading 'trim')",
    "correct what the message names",
  ],
  "an exception in a helper while it loads": [
    { "add.ts": imported('import "./_help.ts";'), "_help.ts": '\nthrow new Error("no help");' },
    "add.ts",
    "Error: no help (tools/KIT/_help.ts:2)",
    "correct what the message names",
  ],
  "two tools that import each other": [
    {
      "add.ts": tool({ run: "() => two" }, 'import { two } from "./two.ts";\nexport const one = "1";'),
      "two.ts": tool({ run: "() => one" }, 'import { one } from "./add.ts";\nexport const two = "2";'),
    },
    "add.ts",
    "in a cycle: tools/KIT/add.ts → tools/KIT/two.ts → tools/KIT/add.ts",
    "move what they share to a helper",
  ],
  "two files with one version": [
    { "add.ts": tool(), "add@1.ts": tool() },
    "add@1.ts",
    "and so is tools/KIT/add.ts",
    "give one of them another version",
  ],
};

const SETTINGS = `[vars]
PUBLIC = "yes"
ALLOWED_HOSTS = "https://intranet.example"
ALLOWED_ORIGINS = "https://app.example.com/"
RATE_PER_MINUTE = "45"
TASK_LEASE_SECONDS = "soon"
`;
/** What wrangler cannot read, and a setting that another part of the file is about. */
const INVALID: readonly (readonly [text: string, ...Message])[] = [
  ["[vars]\nPUBLIC = yes\n", "wrangler.toml:2", "Invalid TOML document: ", "correct this line"],
  ['[vars]\nA = ""\n\n[vars]\nB = ""\n', "wrangler.toml:4", "Invalid TOML document: ", "correct this line"],
  [
    '[vars]\n\nJWT_ISSUER = "https://a.test"\n',
    "wrangler.toml:3",
    "JWT_ISSUER is set in [vars]",
    'write TOKENS = "true" in [vars]',
  ],
  ['[dev]\nport = 1\nhost = "a.test"\n', "wrangler.toml:3", "host in [dev] hides", "remove it"],
  ['kv_namespaces = 5\nname = "x"\n', "wrangler.toml", '"kv_namespaces" should be an array', "correct what"],
  ['[env.a.vars]\n# \nREGISTRY_NAME = "x"\n', "wrangler.toml:3", "REGISTRY_NAME is", "write a domain of yours"],
];
const LOCAL_SETTINGS = '# Mine.\nLOG_CALLS="on"\n';
const IN_SETTINGS: readonly Message[] = [
  ["wrangler.toml:2", 'PUBLIC is "yes" in [vars]', 'write "true" or "false"'],
  ["wrangler.toml:3", "ALLOWED_HOSTS is", "without https:// and without a path"],
  ["wrangler.toml:4", "ALLOWED_ORIGINS is", "without a path or a slash at the end"],
  ["wrangler.toml:5", "there is no rate limiter RATE_45", 'write "" for no limit, or add [[ratelimits]]'],
  ["wrangler.toml:6", 'TASK_LEASE_SECONDS is "soon"', "write seconds as a whole number from 1 to 3600"],
  [".dev.vars:2", 'LOG_CALLS is "on"', 'write "true" or "false"'],
];

/** A command line, and the sentence that it prints. */
const COMMANDS: readonly (readonly [args: string[], problem: string, fix: string])[] = [
  [["keys", "create"], "create needs the NAME of a key", "npm run keys -- --help"],
  [["keys", "create", "a", "--toolkits", "kitt"], 'there is no folder "kitt" in tools/', "it has kit"],
  [["keys", "create", "a", "--expires", "soon"], '"soon" is none of', "30d, 12h, 90m"],
  [["keys", "creat", "a"], 'There is no command "creat"', "npm run keys -- --help"],
  [["discover", "--tool", "x"], "Unknown option '--tool'", "npm run discover -- --help"],
];

/** Discovers the fork's tools. @returns what it prints */
async function discover({ root }: Fork, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await runDiscovery(join(root, "tools"), join(root, "generated/catalog.ts"), args);
  return stderr + stdout;
}

it("the table has thirty mistakes or more", () => {
  const all = [...Object.keys(DEFINITIONS), ...Object.keys(RUNS), ...IN_SETTINGS, ...INVALID, ...COMMANDS];
  expect(all.length).toBeGreaterThanOrEqual(30);
});

describe("in a definition", () => {
  const cases = Object.entries(DEFINITIONS).map(([name, entry], at) => ({ name, entry, kit: `kit-${at + 10}` }));
  let fork: Fork;
  let printed: string;
  beforeAll(async () => {
    fork = makeFork({});
    for (const { entry, kit } of cases) {
      for (const [file, text] of Object.entries(entry[0])) fork.write(`tools/${kit}/${file}`, text);
    }
    printed = await discover(fork);
  });
  afterAll(() => fork.remove());

  it.each(cases)("$name", ({ entry: [, file, problem, fix], kit }) => {
    const messages = printed.split(/\n(?=tools\/)/).filter((text) => text.startsWith(`tools/${kit}/`));
    const message = messages.find((text) => text.includes(problem.replaceAll("KIT", kit)));
    expect(message?.split("\n")).toEqual([
      `tools/${kit}/${file}`,
      expect.stringContaining(problem.replaceAll("KIT", kit)),
      expect.stringContaining(fix),
      ...(message?.endsWith("\n") ? [""] : []),
    ]);
  });

  it("npm start says the same, and no more: wrangler is not started", async () => {
    const said = await discover(fork, "--starting");
    expect(said).toBe(printed);
  });
});

describe("in a setting", () => {
  let fork: Fork;
  let printed: string;
  beforeAll(async () => {
    fork = makeFork({ "kit/add.ts": tool() }, { settings: SETTINGS });
    fork.write(".dev.vars", LOCAL_SETTINGS);
    printed = await discover(fork, "--starting");
  });
  afterAll(() => fork.remove());

  it.each(IN_SETTINGS)("%s: %s", (where, problem, fix) => {
    const message = printed.split(/\n(?=wrangler\.toml|\.dev\.vars)/).find((text) => text.startsWith(`${where}\n`));
    expect(message).toContain(problem);
    expect(message).toContain(fix);
  });

  it.each(INVALID)("%j", async (text, where, problem, fix) => {
    const invalid = makeFork({ "kit/add.ts": tool() }, { settings: text });
    try {
      const [title, ...message] = (await discover(invalid, "--starting")).trimEnd().split("\n");
      expect(title).toBe("1 problem(s) in settings:");
      expect(message).toEqual([where, expect.stringContaining(problem), expect.stringContaining(fix)]);
    } finally {
      invalid.remove();
    }
  });

  it("each is told before the server starts, and once", () => {
    expect(printed).toMatch(new RegExp(`^${IN_SETTINGS.length} problem\\(s\\) in settings:\n`));
  });
});

describe("on a command line", () => {
  let fork: Fork;
  beforeAll(() => {
    fork = makeFork({ "kit/add.ts": tool() });
  });
  afterAll(() => fork.remove());

  it.each(COMMANDS)("%j", async ([command, ...words], problem, fix) => {
    const keys = async () => (await runMain(main, fork, words)).stderr;
    const said = (await (command === "keys" ? keys() : discover(fork, ...words))).trimEnd();
    expect(said).toContain(problem);
    expect(said).toContain(fix);
    expect(said.split("\n")).toHaveLength(1);
  });

  it("discover --help prints how it is called", async () => {
    const said = await discover(fork, "--help");
    expect(said).toMatch(/^npm run discover\n( {4}--\w+ .+\n)+/m);
  });
});
