/** Every mistake in a tool ends the build with a message that names the file, the problem and the fix. */
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bundleAll } from "../../../src/discovery/read/bundle.ts";
import { evaluate, type Job } from "../../../src/discovery/read/evaluate.ts";
import { formatProblems, problemIn } from "../../../src/discovery/read/problem.ts";
import { mayStart, spawnSync } from "../../support/node/processes.ts";
import { project, ROOT, tool } from "../../support/node/project.ts";
import { isSlow } from "../../support/tier.ts";

// Discovery without a folder for temporary files.
mayStart(1);

interface Mistake {
  readonly files: Record<string, string>;
  /** The file or folder in the message. */
  readonly file: string;
  readonly problem: string;
  readonly fix: string;
}

const RATE_10 = '[[ratelimits]]\nname = "RATE_10"\nnamespace_id = "1"\nsimple = { limit = 10, period = 60 }\n';

/** Never lets the thread go on, like any loop without an end, but leaves the processor to others. */
const LOOP = "for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);";

/** A mistake in the one file `kit/add.ts`, perhaps on a line such as `:2`. */
const inAdd = (text: string, problem: string, fix: string, line = ""): Mistake => ({
  files: { "kit/add.ts": text },
  file: `tools/kit/add.ts${line}`,
  problem,
  fix,
});
/** A mistake in the one file `worker.ts`, on a line such as `:2`. */
const inWorker = (text: string, line: string, problem: string, fix: string): Mistake => ({
  files: { "worker.ts": text },
  file: `tools/worker.ts${line}`,
  problem,
  fix,
});
const schema = (name: "input" | "output", text: string, problem: string, fix = "use types that JSON has"): Mistake =>
  inAdd(tool({ [name]: text }), problem, fix);
/** An input with the parameter `p`. */
const parameter = (text: string, problem: string, fix?: string) =>
  schema("input", `v.object({ p: ${text} })`, problem, fix);

/** An input written as JSON Schema, with the parameter `p`. */
const written = (text: string, problem: string, fix = "correct what the message names") =>
  inAdd(
    tool({ input: `jsonSchema({ type: "object", properties: { p: { description: "P.", ${text} } } })` }).replace(
      "{ defineTool }",
      "{ defineTool, jsonSchema }",
    ),
    problem,
    fix,
  );

const MISTAKES: Record<string, Mistake> = {
  // Names and places
  "a file name in PascalCase": {
    files: { "kit/GetEmails.ts": tool() },
    file: "tools/kit/GetEmails.ts",
    problem: '"GetEmails" is not a tool name',
    fix: "rename the file to get-emails.ts",
  },
  "a file name with an underscore": {
    files: { "kit/get_emails.ts": tool() },
    file: "tools/kit/get_emails.ts",
    problem: '"get_emails" is not a tool name',
    fix: "rename the file to get-emails.ts",
  },
  "a file name that begins with a digit": {
    files: { "kit/2fa.ts": tool() },
    file: "tools/kit/2fa.ts",
    problem: '"2fa" is not a tool name',
    fix: "rename the file to fa.ts",
  },
  "a folder name in PascalCase": {
    files: { "MyKit/add.ts": tool() },
    file: "tools/MyKit",
    problem: '"MyKit" is not a toolkit name',
    fix: "rename the folder to my-kit",
  },
  "a reserved toolkit name": {
    files: { "mcp/add.ts": tool() },
    file: "tools/mcp",
    problem: '"mcp" is reserved',
    fix: "rename the folder",
  },
  "a tool outside any toolkit": {
    files: { "add.ts": tool() },
    file: "tools/add.ts",
    problem: "a tool lives in the folder of its toolkit",
    fix: "move it to tools/<toolkit>/add.ts",
  },
  "a folder in a toolkit": {
    files: { "kit/deep/add.ts": tool() },
    file: "tools/kit/deep",
    problem: "toolkits do not nest",
    fix: "move its tools to tools/kit/",
  },
  "a JavaScript file": {
    files: { "kit/add.js": tool() },
    file: "tools/kit/add.js",
    problem: "only .ts files are tools",
    fix: "rename it to add.ts",
  },
  "a name of more than 64 characters": {
    files: { [`kit/${"long-".repeat(15)}name.ts`]: tool() },
    file: `tools/kit/${"long-".repeat(15)}name.ts`,
    problem: "is longer than 64 characters",
    fix: "shorten",
  },
  "two folders with one toolkit name": {
    files: { "a1/add.ts": tool(), "a-1/add.ts": tool() },
    file: "tools/a1/add.ts",
    problem: "its toolkit is called A1, and so is that of tools/a-1/add.ts",
    fix: "rename one of the two folders",
  },
  "two folders with one toolkit name, by an override": {
    files: {
      "s-ms/toolkit.ts": 'export default { name: "SMS" };',
      "s-ms/send.ts": tool(),
      "sms/toolkit.ts": 'export default { name: "SMS" };',
      "sms/send.ts": tool(),
    },
    file: "tools/sms/send.ts",
    problem: "its toolkit is called SMS, and so is that of tools/s-ms/send.ts",
    fix: "rename one of the two folders",
  },
  "two spellings of one tool, though of two versions": {
    files: { "kit/get-1.ts": tool(), "kit/get1.ts": tool({ version: '"2.0.0"' }) },
    file: "tools/kit/get1.ts",
    problem: "it is called Kit.Get1, and so is tools/kit/get-1.ts",
    fix: "rename one of them",
  },
  "two files with one id": {
    files: { "kit/add.ts": tool(), "kit/add@1.ts": tool() },
    file: "tools/kit/add@1.ts",
    problem: "it is Kit.Add@1.0.0, and so is tools/kit/add.ts",
    fix: "give one of them another version",
  },
  "two files with one id, one of them broken elsewhere": {
    files: { "kit/add.ts": tool({ description: undefined }), "kit/add@1.ts": tool() },
    file: "tools/kit/add@1.ts",
    problem: "it is Kit.Add@1.0.0, and so is tools/kit/add.ts",
    fix: "give one of them another version",
  },

  // worker.ts
  "a worker.ts in JavaScript": {
    files: { "worker.js": "export default { routes() {} };" },
    file: "tools/worker.js",
    problem: "only worker.ts is served",
    fix: "rename it to worker.ts",
  },
  "a worker.ts without default export": inWorker(
    'import { defineWorker } from "#tool";\ndefineWorker({ routes() {} });',
    "",
    "it has no default export",
    "export default defineWorker(",
  ),
  "a worker.ts that exports something else": inWorker(
    "export default { scheduled() {} };\nexport class Counter {}",
    ":2",
    "it exports Counter, and only its default export is served",
    "move it to a file of its own",
  ),
  "a worker that is nothing": inWorker("\nexport default {};", ":2", "defines no part of a Worker", "routes(app)"),
  "a worker that is a function": inWorker("export default () => {};", ":1", "defines no part of", "routes(app)"),
  "a worker with an unknown member": inWorker(
    "export default {\n  routes() {},\n  async shedule() {},\n};",
    ":3",
    'a worker has no member "shedule"',
    "write one of routes, scheduled, queue, email",
  ),
  "a handler that is no function": inWorker(
    "export default {\n  queue: true,\n};",
    ":2",
    "its queue is not a function",
    "write queue() {",
  ),
  "routes that wait": inWorker(
    'export default {\n  async routes(app: any) { await 0; app.get("/a", () => {}); },\n};',
    ":2",
    'its "routes" is async',
    "register all before it returns",
  ),
  "routes that throw": inWorker(
    "export default {\n  routes(app: any) { app.gett(); },\n};",
    ":2",
    "app.gett is not a function",
    "correct what the message names",
  ),
  "a route without a handler": inWorker(
    'export default {\n  routes(app: any) { app.get("/a", undefined); },\n};',
    ":2",
    "its route GET /a has no handler",
    "add a handler",
  ),
  "a route for HEAD, which Hono asks GET for": inWorker(
    'export default {\n  routes(app: any) { app.on("HEAD", "/a", () => {}); },\n};',
    ":2",
    "its route HEAD /a would never run",
    "write app.get",
  ),
  "a route of an app that was joined already": inWorker(
    'import { Hono } from "hono";\nconst more = new Hono();\nexport default {\n' +
      '  routes(app: any) { app.route("/more", more); more.get("/a", () => {}); },\n};',
    ":4",
    'after app.route("/more", …)',
    "call app.route last",
  ),
  "a handler for what is not found": inWorker(
    "export default {\n  routes(app: any) { app.notFound(() => {}); },\n};",
    ":2",
    "app.notFound would never run",
    "correct what the message names",
  ),
  "a worker.ts that does not load": inWorker('throw new Error("no luck");', ":1", "Error: no luck", "correct what"),

  // Versions
  "a version of two integers": inAdd(tool({ version: '"1.0"' }), '"1.0" is not three integers', 'version: "1.0.0"'),
  "a version with a tag": inAdd(tool({ version: '"1.0.0-beta"' }), "is not three integers", 'version: "1.0.0"'),
  "a version with a leading zero": inAdd(tool({ version: '"1.01.0"' }), "is not three integers", 'version: "1.0.0"'),
  "a version that is a number": inAdd(tool({ version: "1" }), "its version 1 is not", 'version: "1.0.0"'),
  "no version": inAdd(tool({ version: undefined }), "it has no version", 'version: "1.0.0"'),
  "a suffix that disagrees with the version": {
    files: { "kit/add@1.ts": tool({ version: '"2.1.0"' }) },
    file: "tools/kit/add@1.ts",
    problem: "the file's name says @1, its version says 2.1.0",
    fix: "rename the file to add@2.ts, or correct the version",
  },
  "a suffix that only begins like the version": {
    files: { "kit/add@1.ts": tool({ version: '"10.0.0"' }) },
    file: "tools/kit/add@1.ts",
    problem: "the file's name says @1, its version says 10.0.0",
    fix: "add@10.ts",
  },
  "a suffix that is no version": {
    files: { "kit/add@next.ts": tool() },
    file: "tools/kit/add@next.ts",
    problem: "the part after the @ is not a version",
    fix: "add@1.ts",
  },

  // Modules
  "a module that throws": inAdd(
    tool({}, 'throw new RangeError("no luck");'),
    "RangeError: no luck",
    "correct what",
    ":3",
  ),
  "a module that throws what is no error": inAdd(tool({}, "throw null;"), "cannot be loaded: null", "correct what"),
  "a syntax error": inAdd("export default {", "found end of file (tools/kit/add.ts:1:16)", "correct what", ":1"),
  "a missing file": inAdd(tool({}, 'import "./_absent.ts";'), 'Could not resolve "./_absent.ts"', "correct what", ":3"),
  "a missing package": inAdd(
    tool({}, 'import "no-such-package";'),
    'imports "no-such-package"',
    "npm install no-such-package",
    ":3",
  ),
  "a missing export": {
    files: { "kit/add.ts": tool({}, 'import { nope } from "./_help.ts"; nope();'), "kit/_help.ts": "export {};" },
    file: "tools/kit/add.ts:3",
    problem: 'No matching export in "tools/kit/_help.ts" for import "nope"',
    fix: "correct what",
  },
  "what #tool does not have": inAdd(
    tool({}, 'import { nope } from "#tool"; nope();'),
    '#tool has no "nope"',
    "correct",
    ":3",
  ),
  "a definer by a name of others": inAdd(
    'import { createTool } from "#tool";\nexport default createTool({});',
    '#tool has no "createTool": did you mean defineTool?',
    'write import { defineTool } from "#tool"',
    ":1",
  ),
  "a definer as the default of #tool": inAdd(
    'import tool from "#tool";\nexport default tool({});',
    "#tool has no default export: did you mean defineTool?",
    'write import { defineTool } from "#tool"',
    ":1",
  ),
  "a definer that is not imported": inAdd(
    "\nexport default definePrompt({});",
    "definePrompt is not defined: did you mean definePrompt?",
    'write import { definePrompt } from "#tool"',
    ":2",
  ),
  "a definer that is misspelled": inAdd(
    "export default tool({});",
    "tool is not defined: did you mean defineTool?",
    'write import { defineTool } from "#tool"',
    ":1",
  ),
  "helpers that import each other": {
    files: {
      "kit/add.ts": tool({}, 'import { words } from "./_a.ts";\nwords.join();'),
      "kit/_a.ts": 'import { list } from "./_b.ts";\nexport const words = list();\nexport const first = "x";',
      "kit/_b.ts": 'import { first } from "./_a.ts";\nexport const list = () => [first.trim()];',
    },
    file: "tools/kit/add.ts",
    problem: "(tools/kit/_b.ts:2), in a cycle of imports: tools/kit/_b.ts → tools/kit/_a.ts → tools/kit/_b.ts",
    fix: "move what they share to a helper",
  },
  "a helper that throws": {
    files: { "kit/add.ts": tool({}, 'import "./_help.ts";'), "kit/_help.ts": 'throw new Error("helpless");' },
    file: "tools/kit/add.ts",
    problem: "Error: helpless",
    fix: "correct what",
  },
  "a module that loops": inAdd(tool({}, LOOP), "does not finish loading within 20 seconds", "quickly"),
  "a module that waits for a timer": inAdd(
    tool({}, "await new Promise((done) => setTimeout(done, 60_000));"),
    "does not finish loading within 20 seconds",
    "quickly",
  ),
  "a module that waits for nothing": inAdd(tool({}, "await new Promise(() => {});"), "never settles", "quickly"),
  "a module that ends its process": inAdd(tool({}, "process.exit(0);"), "exits the process while it loads", "correct"),
  "a rejection that nobody handles": inAdd(
    tool({}, 'Promise.reject(new Error("left alone"));'),
    "Error: left alone",
    "correct what",
  ),

  // Definitions
  "no default export": inAdd(
    'export const add = { version: "1.0.0" };',
    "it has no default export (it exports add)",
    "export default defineTool(",
  ),
  "an empty file": inAdd("", "it has no default export", "export default defineTool("),
  "a default export that is a function": inAdd("export default () => 1;", "is not a tool definition", "defineTool("),
  "a default export that is a list": inAdd("export default [];", "is not a tool definition", "defineTool("),
  "no run": inAdd(tool({ run: undefined }), "it has no function run", "add run(input, ctx)"),
  "a run that is no function": inAdd(tool({ run: '"now"' }), "it has no function run", "add run(input, ctx)"),
  "a member that does not exist": inAdd(tool({ descripton: '"x"' }), 'no member "descripton"', "description"),
  "no description": inAdd(tool({ description: undefined }), "it has no description", "add description:"),
  "a blank description": inAdd(tool({ description: '"  "' }), "it has no description", "add description:"),
  "a title that is no string": inAdd(tool({ title: "1" }), "its title is not a string", "title:"),
  "attachments that are no boolean": inAdd(tool({ attachments: '"yes"' }), "not true or false", "attachments: true"),
  "a trace that is no choice": inAdd(tool({ trace: "true" }), "its trace is not", 'trace: "all"'),
  "long in words": inAdd(
    tool({ long: '"yes"' }),
    'its long is not true, false or "tasks-only"',
    "write long: true, or leave it out",
    ":10",
  ),
  "a long tool that would take more than a day": inAdd(
    tool({ long: "true", timeoutMs: "86_400_001" }),
    "its timeoutMs is more than a day (86400000)",
    "do the work in several calls",
    ":11",
  ),
  "a prepare of a tool that is not long": inAdd(
    tool({ prepare: "() => 1" }),
    "it has a prepare, which only long tools have",
    "write long: true, or do this in run",
    ":10",
  ),
  "a prepare that is not a function": inAdd(
    tool({ long: "true", prepare: "{}" }),
    "its prepare is not a function",
    "write prepare(input, ctx) { … }, or leave it out",
    ":11",
  ),
  "a time limit of nothing": inAdd(tool({ timeoutMs: "0" }), "its timeoutMs is not", "timeoutMs: 30_000"),
  "a time limit in words": inAdd(tool({ timeoutMs: '"30s"' }), "its timeoutMs is not", "timeoutMs: 30_000"),
  "a time limit that no timer can hold": inAdd(tool({ timeoutMs: "2 ** 31" }), "its timeoutMs is not", "30_000"),
  "scopes that are no list": inAdd(tool({ scopes: '"a"' }), 'its "scopes" is not a list', "scopes:"),
  "a scope with a blank": inAdd(tool({ scopes: '["a b"]' }), 'its "scopes" is not a list', "scopes:"),
  "a scope that means all": inAdd(tool({ scopes: '["*"]' }), 'its "scopes" is not a list', "scopes:"),
  "an older version that anyone may call": {
    files: {
      "kit/add.ts": tool({ version: '"2.0.0"', scopes: '["kit:add", "kit:all"]' }),
      "kit/add@1.ts": tool({ version: '"1.0.0"', scopes: '["kit:add"]' }),
    },
    file: "tools/kit/add@1.ts",
    problem: "the newest Kit.Add demands the scopes kit:add, kit:all",
    fix: 'add "kit:all"',
  },
  "a rate that nothing counts": {
    files: { "kit/add.ts": tool({ rate: "7" }), "../wrangler.toml": RATE_10 },
    file: "tools/kit/add.ts",
    problem: "wrangler.toml has no rate limiter RATE_7",
    fix: "write a rate of 10",
  },
  "a rate of nothing": inAdd(tool({ rate: "0" }), "its rate is not a whole number", "rate: 10"),
  "an annotation that does not exist": inAdd(
    tool({ annotations: "{ readonly: true }" }),
    'there is no annotation "readonly"',
    "readOnly: true",
  ),
  "a title among the annotations": inAdd(
    tool({ annotations: '{ title: "Add" }' }),
    "its title is among its annotations",
    "write title beside annotations",
  ),
  "an annotation in words": inAdd(tool({ annotations: '{ readOnly: "yes" }' }), '"readOnly" is not true', "readOnly"),
  "annotations that are a list": inAdd(tool({ annotations: "[]" }), 'its "annotations" is not an object', "readOnly"),
  "an env that is one name": inAdd(tool({ env: '"KV"' }), 'its "env" is not a list', 'env: ["MY_BINDING"]'),
  "an env with an empty name": inAdd(tool({ env: '[""]' }), 'its "env" is not a list', 'env: ["MY_BINDING"]'),
  "a requirement that does not exist": inAdd(
    tool({ requirements: '{ secret: ["K"] }' }),
    "requirements.secret",
    "secrets",
  ),
  "secrets as objects": inAdd(
    tool({ requirements: '{ secrets: [{ id: "K" }] }' }),
    "requirements.secrets",
    "secrets: [",
  ),
  "a secret from nobody": inAdd(
    tool({ requirements: '{ secrets: ["A", { id: "K", from: "anyone" }] }' }),
    "requirements.secrets",
    "secrets: [",
  ),
  "an authorization from nobody": inAdd(
    tool({ requirements: '{ authorization: [{ id: "a", from: "anyone" }] }' }),
    "requirements.authorization[0]",
    'id: "google"',
  ),
  "a keep in words": inAdd(tool({ keep: '"no"' }), "its keep is not true or false", "keep: false"),
  "an authorization without id": inAdd(
    tool({ requirements: '{ authorization: [{ id: "a" }, { oauth2: {} }] }' }),
    "requirements.authorization[1]",
    'id: "google"',
  ),
  "an authorization with a typo": inAdd(
    tool({ requirements: '{ authorization: [{ id: "a", oauth: {} }] }' }),
    "requirements.authorization[0]",
    "oauth2:",
  ),
  "scopes that are one string": inAdd(
    tool({ requirements: '{ authorization: [{ id: "a", oauth2: { scopes: "all" } }] }' }),
    "requirements.authorization[0]",
    "scopes: [",
  ),
  "a user id in words": inAdd(tool({ requirements: '{ userId: "yes" }' }), "requirements.userId", "userId: true"),
  "a toolkit of another name": {
    files: { "fax/send.ts": tool(), "fax/toolkit.ts": 'export default { name: "Texts" };' },
    file: "tools/fax/toolkit.ts",
    problem: 'does not spell "fax"',
    fix: 'defineToolkit({ name: "FAX" })',
  },
  "a toolkit without a default export": {
    files: { "mms/send.ts": tool(), "mms/toolkit.ts": 'export const name = "MMS";' },
    file: "tools/mms/toolkit.ts",
    problem: 'does not spell "mms"',
    fix: 'defineToolkit({ name: "MMS" })',
  },
  "a toolkit with an unknown member": {
    files: { "rcs/send.ts": tool(), "rcs/toolkit.ts": 'export default { name: "RCS", title: "Texts" };' },
    file: "tools/rcs/toolkit.ts",
    problem: 'a toolkit has no member "title"',
    fix: "remove it, or write one of name, instructions",
  },

  // Types that JSON lacks, or clients do not accept
  "an icon whose sizes are one text": inAdd(
    tool({ icons: '[{ src: "https://x.example/i.png", sizes: "48x48" }]' }),
    'its "icons" is not a list of icons',
    "write icons: [",
  ),
  "an icon whose kind is a number": inAdd(
    tool({ icons: '[{ src: "https://x.example/i.png", mimeType: 5 }]' }),
    'its "icons" is not a list of icons',
    "write icons: [",
  ),
  "an icon for a theme that there is not": inAdd(
    tool({ icons: '[{ src: "https://x.example/i.png", theme: "pink" }]' }),
    'its "icons" is not a list of icons',
    "write icons: [",
  ),
  "an icon with a bigint": inAdd(
    tool({ icons: '[{ src: "https://x.example/i.png", more: 1n }]' }),
    'its "icons" is not a list of icons',
    "write icons: [",
  ),
  "an icon with a function": inAdd(
    tool({ icons: '[{ src: "https://x.example/i.png", more: () => 1 }]' }),
    'its "icons" is not a list of icons',
    "write icons: [",
  ),
  "a meta with a bigint": inAdd(
    tool({ meta: "{ 'x.y/n': 1n }" }),
    'its "meta" is not an object that JSON can represent',
    "write meta: {",
  ),
  "a meta with a function": inAdd(
    tool({ meta: "{ 'x.y/n': [() => 1] }" }),
    'its "meta" is not an object that JSON can represent',
    "write meta: {",
  ),
  "a meta with a date": inAdd(
    tool({ meta: "{ 'x.y/n': new Date(0) }" }),
    'its "meta" is not an object that JSON can represent',
    "write meta: {",
  ),
  "a meta that is part of itself": inAdd(
    tool({ meta: "loop" }, "const loop: any = {}; loop.again = loop;"),
    'its "meta" is not an object that JSON can represent',
    "write meta: {",
  ),

  // Schemas
  "valibot's includes, of a list": parameter(
    'v.pipe(v.array(v.number()), v.includes(7), v.description("P."))',
    "its input cannot become a JSON Schema",
    "for a list, write v.check((list) => list.includes(…)) instead of v.includes(…)",
  ),
  "a parameter without description": parameter("v.string()", '"p" has no description', "write p: v.pipe("),
  "a parameter with a blank description": parameter(
    'v.pipe(v.string(), v.description(" "))',
    '"p" has no description',
    "write p:",
  ),
  "an input that is a string": schema("input", "v.string()", "its input is not an object", "v.object({"),
  "an input that is a list": schema("input", "v.array(v.string())", "its input is not an object", "v.object({"),
  "an input that may be null": schema("input", "v.nullable(v.object({}))", "is not an object", "v.object({"),
  "an input that is no schema": schema("input", "{ a: v.string() }", "its input is not a schema", "v.object({"),
  "an output that is no schema": schema("output", "() => true", "its output is not a schema", "null for no output"),
  "an input that is nested without end": inAdd(
    tool(
      { input: "jsonSchema({ type: 'object', properties: { a: deep } })" },
      "let deep: any = { type: 'string', description: 'D' }; for (let i = 0; i < 9_000; i++) deep = { type: 'array', items: deep };",
    ).replace("{ defineTool", "{ defineTool, jsonSchema"),
    "it is nested over 256 levels deep",
    "use types that JSON has, inline",
  ),
  "an input that doubles with each reference": inAdd(
    tool(
      { input: "jsonSchema({ type: 'object', properties: { a: { description: 'A', $ref: '#/$defs/s0' } }, $defs })" },
      "const $defs: any = { s30: { type: 'string' } }; for (let i = 0; i < 30; i++) $defs['s' + i] = { anyOf: [{ $ref: '#/$defs/s' + (i + 1) }, { type: 'array', items: { $ref: '#/$defs/s' + (i + 1) } }] };",
    ).replace("{ defineTool", "{ defineTool, jsonSchema"),
    "without references, it has over 100000 parts",
    "use types that JSON has, inline",
  ),
  "a recursive input": inAdd(
    tool(
      { input: "Node" },
      "const Node: any = v.object({ kids: v.pipe(v.array(v.lazy(() => Node)), v.description('K')) });",
    ),
    '"$ref": "#/$defs/0" is recursive, and cannot be listed flat',
    "inline",
  ),
  "a recursive zod output": inAdd(
    tool({ output: "Node" }, "const Node = z.object({ get kids() { return z.array(Node); } });"),
    "cannot be listed flat",
    "inline",
  ),
  "a zod parameter without a description": schema("input", "z.object({ p: z.string() })", "no", 'p: ….describe("'),
  "a parameter of JSON Schema without a description": inAdd(
    tool({ input: 'jsonSchema({ properties: { p: { type: "string" } } })' }).replace(
      "{ defineTool }",
      "{ defineTool, jsonSchema }",
    ),
    'the parameter "p" has no description',
    'p: { …, description: "What it is for." }',
  ),
  "a schema of zod 3": inAdd(
    tool({ input: "z3.object({})" }, 'import { z as z3 } from "zod/v3";'),
    "zod schemas of this version cannot give a JSON Schema",
    "install zod 4",
  ),
  "a recursive arktype input": schema(
    "input",
    'type.module({ node: { "next?": "node" } }).node',
    "is recursive, and cannot be listed flat",
  ),
  "the reserved parameter task_id": schema(
    "input",
    'v.object({ task_id: v.pipe(v.string(), v.description("Whose result.")) })',
    '"task_id" is reserved',
    "give the parameter another name",
  ),
  "the reserved parameter idempotency_key": schema(
    "input",
    'v.object({ idempotency_key: v.pipe(v.string(), v.description("K")) })',
    '"idempotency_key" is reserved',
    "another name",
  ),
  "the reserved parameter attachments": schema(
    "input",
    'z.object({ attachments: z.string().describe("A") })',
    '"attachments" is reserved',
    "another name",
  ),
  "the parameter __proto__": schema(
    "input",
    'v.object({ ["__proto__"]: v.pipe(v.string(), v.description("P")) })',
    'a parameter cannot be called "__proto__"',
    "another name",
  ),
  "the parameter __proto__, which JavaScript takes for the prototype": schema(
    "input",
    'v.object({ __proto__: v.pipe(v.string(), v.description("P")) })',
    'a parameter cannot be called "__proto__"',
    "another name",
  ),
  "the zod parameter __proto__": schema(
    "input",
    'z.object({ ["__proto__"]: z.string().describe("P") })',
    'a parameter cannot be called "__proto__"',
    "another name",
  ),
  "the arktype parameter __proto__": schema(
    "input",
    'type({ ["__proto__"]: "string" })',
    'a parameter cannot be called "__proto__"',
    "another name",
  ),
  "a JSON Schema with a type that there is not": written(
    'type: "text"',
    "its input is not a valid JSON Schema (draft 2020-12)",
  ),
  "a JSON Schema with a pattern that is none": written('type: "string", pattern: "["', "Invalid regular expression"),
  "a JSON Schema with a length that is none": written("minLength: -1", "its input is not a valid JSON Schema"),
  "a JSON Schema that requires what is no name": written("required: [1]", "its input is not a valid JSON Schema"),
  "a JSON Schema that refers to itself": written(
    'items: { $ref: "#" }',
    '"$ref": "#" is recursive, and cannot be listed flat',
    "use types that JSON has, inline",
  ),
  "a JSON Schema of no object": inAdd(
    tool({ input: 'jsonSchema({ type: "array" })' }).replace("{ defineTool }", "{ defineTool, jsonSchema }"),
    "its input is not an object of parameters",
    'jsonSchema({ type: "object", properties',
  ),
  "a date": parameter("v.date()", '"p": The "date" schema cannot be converted', "v.pipe(v.string(), v.isoTimestamp())"),
  "a date in a list of objects": parameter(
    "v.nullable(v.array(v.object({ at: v.pipe(v.date(), v.readonly()) })))",
    '"p.[].at": The "date" schema cannot be converted',
    "v.isoTimestamp()",
  ),
  "a big integer": parameter("v.bigint()", 'The "bigint" schema cannot be converted', "v.pipe(v.string(), v.digits())"),
  "a set": parameter("v.set(v.string())", 'The "set" schema cannot be converted', "v.array(…)"),
  "a map": parameter("v.map(v.string(), v.string())", 'The "map" schema cannot be', "v.record(v.string(), …)"),
  "a file": parameter("v.file()", 'The "file" schema cannot be', "attachments: true"),
  "a blob": parameter("v.blob()", 'The "blob" schema cannot be', "attachments: true"),
  "a custom type": parameter("v.custom<string>(() => true)", 'The "custom" schema cannot be converted'),
  "a zod date": schema("input", 'z.object({ p: z.date().describe("P") })', '"p": Date cannot', "z.iso.datetime()"),
  "a zod date in a list": schema(
    "input",
    'z.object({ p: z.array(z.object({ at: z.date() })).optional().describe("P") })',
    '"p.[].at": Date cannot be represented',
    "z.iso.datetime()",
  ),
  "a zod file": schema("input", 'z.object({ p: z.file().describe("P") })', '"p": File cannot', "attachments: true"),
  "a zod map": schema("output", "z.map(z.string(), z.string())", "Map cannot", "z.record(z.string(), …)"),
  "an arktype date": schema(
    "input",
    'type({ p: type({ "at?": "Date" }).describe("P") })',
    '"p.at": JSON has no type for date',
    "string.date.iso",
  ),
  "an arktype big integer": schema("output", 'type("bigint")', "JSON has no type for bigint", '"string.integer"'),
  "a transform without output type": schema(
    "output",
    "v.pipe(v.string(), v.transform(Number))",
    'The "transform" action cannot be converted',
  ),
  "a zod transform without output type": schema(
    "output",
    "z.string().transform(Number)",
    "Transforms cannot be",
    ".pipe(z.string())",
  ),
  "an output that may be undefined": schema("output", "v.optional(v.string())", "may be undefined", "v.nullable("),
  "an object as output that may be undefined": schema(
    "output",
    "v.undefinedable(v.object({ a: v.string() }))",
    "may be undefined",
    "v.nullable(",
  ),
  "an output of zod that may be undefined": schema(
    "output",
    "z.string().optional()",
    "may be undefined",
    ".nullable()",
  ),
  "an output of undefined": schema("output", "v.undefined()", '"undefined" schema cannot', "output: null if"),
};

/** These take 20 s to load. */
const SLOW = ["a module that loops", "a module that waits for a timer"];
/** If one file does not bundle, discovery bundles each alone, which takes a second for a hundred. */
const UNBUNDLED = ["a syntax error", "a missing file", "a missing package", "a missing export"];
/** Discovery looks for these if there are no others. */
const LATER = ["an older version that anyone may call", "a rate that nothing counts"];
const isOfWorker = ({ files }: Mistake) => "worker.ts" in files;
/** Each run of discovery takes a seventh of a second, and reports the mistakes of all files. */
const TOGETHER = Object.entries(MISTAKES).filter(
  ([name, mistake]) => !isOfWorker(mistake) && ![...SLOW, ...UNBUNDLED, ...LATER].includes(name),
);
const WORKERS = Object.entries(MISTAKES).filter(([, mistake]) => isOfWorker(mistake));
const named = (names: readonly string[]) => names.map((name) => [name, MISTAKES[name] as Mistake] as const);

/** The mistake in a toolkit of its own, `kit-7`, beside which there may be others. */
function moved({ files, file, problem, fix }: Mistake, at: number): Mistake {
  const move = (text: string) =>
    text.replace(/(?<![\w-])kit(?![\w:-])/g, `kit-${at}`).replace(/(?<![\w-])Kit(?![\w-])/g, `Kit${at}`);
  return {
    files: Object.fromEntries(Object.entries(files).map(([path, text]) => [move(path), text])),
    file: move(file),
    problem: move(problem),
    fix: move(fix),
  };
}

const saying = ({ file, problem, fix }: Mistake) => ({
  file: placed(file),
  problem: expect.stringContaining(problem),
  fix: expect.stringContaining(fix),
});

describe.each([
  ["", [...TOGETHER, ...WORKERS.slice(0, 1)]],
  [" of one that cannot be bundled", named(UNBUNDLED)],
  [" of the tools together", named(LATER)],
])("a mistake%s is a build error", (_, mistakes) => {
  const all = mistakes.map(([name, mistake], at) => [name, moved(mistake, at)] as const);
  let reported: ReturnType<typeof said>;
  beforeAll(async () => {
    const files = all.flatMap(([, mistake]) => Object.entries(mistake.files));
    expect(new Set(files.map(([path]) => path)).size).toBe(files.length);
    const { discover, out } = project(Object.fromEntries(files));
    const { code, stderr } = await discover();
    expect(code).toBe(1);
    expect(existsSync(out)).toBe(false);
    reported = said(stderr);
  });

  it.each(all)("%s", (_, mistake) => {
    expect(reported).toContainEqual(saying(mistake));
  });
});

describe("a mistake in a worker.ts is a complaint about it", () => {
  let reported: ReturnType<typeof said>[];
  beforeAll(async () => {
    // A fork has one worker.ts, so discovery would have to run for each.
    const { folder, tools, write } = project();
    const pathOf = (at: number) => `${at}/tools/worker.ts`;
    write(Object.fromEntries(WORKERS.map(([, { files }], at) => [pathOf(at), files["worker.ts"] ?? ""])));
    const paths = WORKERS.map((_, at) => join(tools, pathOf(at)));
    const bundled = await bundleAll(paths, join(folder, "bundles"), folder, new Map());
    const jobs = bundled.map((one, at): Job => {
      if (!("bundle" in one)) throw new Error(one.error);
      return { bundle: one.bundle, source: { kind: "worker", file: "tools/worker.ts", path: paths[at] as string } };
    });
    reported = (await evaluate(jobs)).map(({ complaints }) =>
      said(formatProblems(complaints.map((complaint) => problemIn("tools/worker.ts", complaint)))),
    );
  });

  it.each(WORKERS.map(([name, mistake], at) => ({ name, mistake, at })))("$name", ({ mistake, at }) => {
    expect(reported[at]).toContainEqual(saying(mistake));
  });
});

it("the place of what a function of ours throws is the line that calls it", async () => {
  const text = tool({}, 'import { retryAfterMs } from "#tool";\nretryAfterMs(null as never);');
  const { stderr } = await project({ "kit/add.ts": text }).discover();
  expect(stderr).toMatch(/^tools\/kit\/add\.ts:4\n +problem: it cannot be loaded: TypeError: .*'headers'\)\n/m);
});

describe.concurrent("a file that does not end is a build error", () => {
  it.each(named(SLOW))("%s", async (_, { files, ...mistake }) => {
    const { discover, out } = project(files);
    const { code, stderr } = await discover();
    expect(code).toBe(1);
    expect(said(stderr)).toContainEqual(saying({ files, ...mistake }));
    expect(existsSync(out)).toBe(false);
  });

  it.runIf(isSlow)("a module that keeps the processor busy, and the mistakes after it are found", async () => {
    const busy = tool({}, "for (let count = 0; ; count++) Math.sqrt(count);");
    const { discover, out } = project({ "kit/add.ts": busy, "kit/sub.ts": tool({ version: '"1"' }) });
    const { code, stderr } = await discover();
    expect(code).toBe(1);
    const problem = "it cannot be loaded: it does not finish loading within 20 seconds";
    expect(said(stderr)).toEqual([
      { file: "tools/kit/add.ts", problem, fix: expect.stringContaining("quickly") },
      { file: "tools/kit/sub.ts:5", problem: expect.stringContaining("three integers"), fix: expect.any(String) },
    ]);
    expect(existsSync(out)).toBe(false);
  });
});

it("reports the mistakes of all files at once, in the files' order", async () => {
  const { discover, out } = project({
    "kit/b.ts": tool({ version: '"1"', description: undefined }),
    "kit/Case.ts": tool({ description: undefined }),
    "kit/a.ts": tool({}, LOOP),
    "kit/c.ts": "export default {",
    "kit/fine.ts": tool(),
    "kit/toolkit.ts": "export default {};",
    "a-kit/z.ts": tool({ input: "v.string()", output: "v.date()" }),
  });
  const { code, stderr } = await discover();
  expect(code).toBe(1);
  expect(stderr).toMatch(/^9 problem\(s\) in tools:\n/);
  expect(said(stderr).map(({ file }) => file)).toEqual([
    "tools/a-kit/z.ts:7",
    "tools/a-kit/z.ts:8",
    "tools/kit/Case.ts",
    "tools/kit/Case.ts:4",
    "tools/kit/a.ts",
    "tools/kit/b.ts:4",
    "tools/kit/b.ts:5",
    "tools/kit/c.ts:1",
    "tools/kit/toolkit.ts:1",
  ]);
  expect(existsSync(out)).toBe(false);
});

it("keeps the last good catalog after a mistake", async () => {
  const { discover, write, catalog } = project({ "kit/add.ts": tool() });
  expect((await discover()).code).toBe(0);
  const { revision } = await catalog();
  write({ "kit/sub.ts": "" });
  expect((await discover()).code).toBe(1);
  expect((await catalog()).revision).toBe(revision);
});

describe.concurrent("a setting that would silently close or open a server", () => {
  const RATES = `${RATE_10}[[ratelimits]]\nname = "RATE_600"\nnamespace_id = "2"\nsimple = { limit = 600, period = 60 }\n`;

  it.each([
    ["the host of [dev]", '[dev]\nip = "127.0.0.1"\nhost = "localhost"\n', "any web page could call it", "remove"],
    ["the host of dev on one line", 'dev = { port = 1, host = "localhost" }\n', "any web page could call", "remove"],
    ["the host of dev with a dot", 'dev.host = "localhost"\n', "any web page could call it", "remove"],
    ["the host of dev in quotes", '["dev"]\n"\\u0068ost" = "localhost"\n', "any web page could call it", "remove"],
    [
      "a rate without limiter",
      `${RATES}[vars]\nRATE_PER_MINUTE = "100"\n`,
      'RATE_PER_MINUTE is "100" in [vars], and there is no rate limiter RATE_100',
      'write "10", "600", or ""',
    ],
    [
      "a rate without limiter in an environment, which inherits none",
      `${RATES}[env.a.vars]\n"RATE_PER_MINUTE" = "600"\n`,
      "in [env.a.vars], and there is no rate limiter RATE_600",
      'write "" for no limit',
    ],
    [
      "an identity provider whose tokens nothing checks",
      '[vars]\nJWT_ISSUER = "https://login.example.com"\nSIGN_IN = "true"\n',
      "JWT_ISSUER is set in [vars], but the part of the Worker that checks tokens is not turned on",
      'write TOKENS = "true" in [vars]',
    ],
    [
      "tokens that are turned off by name",
      '[vars]\nJWT_SECRET = "a secret of 32 characters or more"\nTOKENS = "false"\n',
      "JWT_SECRET is set in [vars], but the part of the Worker that checks tokens is not turned on",
      'write TOKENS = "true" in [vars]',
    ],
    [
      "a rate that is no number",
      `${RATES}[vars]\nRATE_PER_MINUTE = "600 per minute"\n`,
      'RATE_PER_MINUTE is "600 per minute" in [vars]',
      "write requests a minute as a whole number",
    ],
    [
      "a number with underscores in an environment",
      `[env.a.vars]\nMAX_BODY_BYTES = "1_000_000"\n`,
      'MAX_BODY_BYTES is "1_000_000" in [env.a.vars]',
      "write bytes as a whole number from 1 to 100000000",
    ],
    [
      "a time of milliseconds, that KV would refuse at each call",
      `[vars]\nIDEMPOTENCY_TTL_SECONDS = "2592000000"\n`,
      'IDEMPOTENCY_TTL_SECONDS is "2592000000" in [vars]',
      "write seconds as a whole number from 60 to 31536000",
    ],
    [
      "a wait of words for long tools",
      '[vars]\nLONG_WAIT_SECONDS = "45 s"\n',
      'LONG_WAIT_SECONDS is "45 s" in [vars]',
      "write seconds as a whole number from 0 to 3600",
    ],
    [
      "no tasks at all",
      '[env.a.vars]\nTASKS_PER_PRINCIPAL = "0"\n',
      'TASKS_PER_PRINCIPAL is "0" in [env.a.vars]',
      "write tasks as a whole number from 1 to 100000",
    ],
    ["what wrangler does not read", "[dev\n", "Invalid", "correct this line"],
  ])("%s", async (name, settings, problem, fix) => {
    const made = project({ "kit/add.ts": tool(), "../wrangler.toml": settings });
    // A server that has not built yet ends.
    made.write({ "../generated/catalog.ts": "export default {};" });
    const { code, stderr } = await made.discover({ WRANGLER_COMMAND: "dev" });
    expect(code).toBe(1);
    expect(said(stderr)).toEqual([
      {
        // Without the line of what only a parser finds.
        file: expect.stringMatching(/on one line|in quotes/.test(name) ? /^wrangler\.toml$/ : /^wrangler\.toml:\d+$/),
        problem: expect.stringContaining(problem),
        fix: expect.stringContaining(fix),
      },
    ]);
  });

  it("other settings are allowed", async () => {
    const settings = `${RATES}[dev]\nport = 1\n# host = "x"\n[vars]\nhost = "x"\nRATE_PER_MINUTE = "10"\n[env.a.vars]\nRATE_PER_MINUTE = ""\n`;
    expect(await project({ "kit/add.ts": tool(), "../wrangler.toml": settings }).discover()).toMatchObject({ code: 0 });
  });
});

it("keeps a server running if discovery itself fails", async () => {
  const made = project({ "kit/add.ts": tool() });
  expect((await made.discover({ WRANGLER_COMMAND: "dev" })).code).toBe(0);
  const nowhere = join(made.folder, "nowhere");
  const env = { ...process.env, WRANGLER_COMMAND: "dev", TMPDIR: nowhere, TEMP: nowhere };
  const args = ["src/discovery/cli.ts", "--tools", made.tools, "--out", made.out];
  const { status: code, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: "utf8" });
  expect(stderr).toContain("The server keeps running with the previous tools");
  expect([code, (await made.catalog()).revision]).toEqual([0, expect.any(String)]);
});

it("a running server also keeps the previous code of a toolkit that is a symbolic link", async () => {
  const made = project({ "kit/add.ts": tool(), "../elsewhere/far.ts": `import "./_how.ts";\n${tool()}` });
  made.write({ "../elsewhere/_how.ts": 'globalThis.linked = "as it was";\n' });
  symlinkSync(join(made.folder, "elsewhere"), join(made.tools, "linked"));
  expect(await made.discover({ WRANGLER_COMMAND: "dev" })).toMatchObject({ code: 0, stderr: "" });
  made.write({ "../elsewhere/_how.ts": 'globalThis.linked = "changed";\n' });
  const entry = (await made.catalog()).entries.find(({ id }) => id === "Linked.Far");
  await entry?.load();
  expect(globalThis).toMatchObject({ linked: "as it was" });
});

/** A file in a message, with or without a line, unless it has one. */
function placed(file: string): string {
  return /:\d+$/.test(file) ? file : expect.stringMatching(new RegExp(`^${RegExp.escape(file)}(:\\d+)?$`));
}

/** Parses the messages on stderr. */
function said(stderr: string): { file: string; problem: string; fix: string }[] {
  return [...stderr.matchAll(/^(\S.*)\n {2}problem: (.*)\n {2}fix: {5}(.*)$/gm)].map(
    ([, file = "", problem = "", fix = ""]) => ({ file, problem, fix }),
  );
}
