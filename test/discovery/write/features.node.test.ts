/** A fork bundles nothing of a feature that it does not use, and all of one that it does. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundle } from "../../support/node/bundle.ts";
import { type Fork, makeFork, testSettings } from "../../support/node/fork.ts";
import { OUTBOX } from "../../support/node/outbox.ts";
import { PAGE } from "../../support/node/page.ts";
import { execFileSync, mayStart } from "../../support/node/processes.ts";
import { tool } from "../../support/node/project.ts";
import { isSlow } from "../../support/tier.ts";

// wrangler, which every other bundle here imitates.
mayStart(1);

const WRANGLER = join(import.meta.dirname, "../../../node_modules/wrangler/bin/wrangler.js");
const WORKFLOW = '[[workflows]]\nname = "acme-long"\nbinding = "LONG"\nclass_name = "LongRun"\n';

const SESSIONS = `
[[durable_objects.bindings]]
name = "SESSIONS"
class_name = "Sessions"
[[migrations]]
tag = "sessions"
new_sqlite_classes = ["Sessions"]
`;
const FILES = '[[r2_buckets]]\nbinding = "FILES"\n';

/** What only toolkits that bring tools need. */
const OF_TOOLKIT_TOOLS = /^src\/(from-opentool|core\/catalog\/toolkit-tools)\.ts$/;
/** What only features need: their folders, and what a few of them share. */
const OF_FEATURES =
  /^src\/(features\/|core\/call\/(long-context|prompts|resources|completion|serve-primitive|uri-template)|core\/catalog\/skill-file|generated\/(skills|views)|protocols\/oxp\/message\.ts|protocols\/mcp\/methods\/(announcing|resources))/;
/** The libraries of sign-in and tokens. */
const LIBRARIES = /^node_modules\/(jose|@cloudflare\/workers-oauth-provider)\//;
const TASK_FINISHED = "src/features/outbox/events/task-finished.ts";

/** The features that a bundle has code of, sorted. */
function featuresIn(files: readonly string[]): string[] {
  return [...new Set(files.flatMap((file) => /^src\/features\/([\w-]+)\//.exec(file)?.[1] ?? []))].sort();
}

let fork: Fork;
beforeAll(() => {
  fork = makeFork({});
});
afterAll(() => fork?.remove());

/** Gives the fork these tools and settings in place of those of the test before. */
function become(changes: Record<string, string>, toml = "", more: Record<string, string> = {}): void {
  for (const folder of ["tools", "src/generated"]) rmSync(join(fork.root, folder), { recursive: true, force: true });
  for (const [path, text] of Object.entries({ "kit/add.ts": tool(changes), ...more }))
    fork.write(`tools/${path}`, text);
  // Minified, a bundle has the same files, and takes longer.
  fork.write("wrangler.toml", `${testSettings().replace("minify = true", "minify = false")}\n${toml}`);
}

/** The files that a bundle has code of. */
function filesOf({ outputs }: Pick<Metafile, "outputs">): string[] {
  // A fork's packages are a link to this project's, which wrangler follows.
  const inFork = (path: string) => path.replace(/^.*\/(?=node_modules\/)/, "");
  return Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs).map(inFork));
}

/** @returns the files that a deployment of such a fork has code of, and its modules */
async function deployed(...given: Parameters<typeof become>): Promise<string[]> {
  become(...given);
  return filesOf(await bundle(fork.root, join(fork.root, "dist")));
}

it.runIf(isSlow)("the bundles of these tests have the files that wrangler's have", async () => {
  const view = { "kit/add.view.ts": 'import { openView } from "#view";\nopenView("Kit_Add");\n' };
  const ours = await deployed({ long: "true", attachments: "true" }, OUTBOX + WORKFLOW + FILES, view);
  const metafile = join(fork.root, "meta.json");
  execFileSync(process.execPath, [WRANGLER, "deploy", "--dry-run", "--outdir", "uploaded", "--metafile", metafile], {
    cwd: fork.root,
    stdio: "pipe",
  });
  const wranglers = filesOf(JSON.parse(readFileSync(metafile, "utf8")));
  expect(ours.length).toBeGreaterThan(100);
  expect(ours.toSorted()).toEqual(wranglers.toSorted());
});

const resource = (uri: string) => `export default { uri: "${uri}", description: "One.", read: () => "" };\n`;

it("a fork that uses no feature has code of none", async () => {
  const files = await deployed({}, "", {
    "kit/toolkit.ts": 'export default { name: "KIT" };',
  });
  expect(files).toEqual(expect.arrayContaining(["src/claims-on-kv.ts", "src/core/call/execute.ts"]));
  const others = [OF_FEATURES, OF_TOOLKIT_TOOLS, LIBRARIES];
  const found = files.filter((file) => others.some((other) => other.test(file)));
  // The documents are there unless they are turned off.
  expect(found.filter((file) => !file.startsWith("src/features/documents/"))).toEqual([]);
});

it.each<[string, Record<string, string>, string, readonly string[]]>([
  ["an outbox and sessions in objects", {}, OUTBOX + SESSIONS, ["outbox", "session-objects"]],
  ["a long tool", { long: "true" }, WORKFLOW, ["tasks"]],
  ["the workflow, whose class wrangler demands, and no long tool", {}, WORKFLOW, ["tasks"]],
  ["a binding of files", {}, FILES, ["attachments", "files"]],
  ["a tool that takes attachments, and no binding of files", { attachments: "true" }, "", ["attachments"]],
  ["tools that say who may call them", { visibility: '["model"]' }, "", ["views"]],
  ["a tool that only views may call", { visibility: '["app"]' }, "", ["app-tools", "views"]],
  ["sign-in in some environment", {}, '[env.staging.vars]\nSIGN_IN = "true"\nTOKENS = "false"\n', ["sign-in"]],
  ["tokens in some environment", {}, '[env.staging.vars]\nTOKENS = "true"\n', ["tokens"]],
])("a fork with %s has that, and nothing else", async (_, changes, toml, features) => {
  const files = await deployed(changes, toml);
  expect(featuresIn(files)).toEqual([...features, "documents"].sort());
  expect(files).not.toContain(TASK_FINISHED);
});

it("a fork with a view, long tools and an outbox has all three, the event of an end, and nothing of #view", async () => {
  const view = { "kit/add.view.ts": 'import { openView } from "#view";\nopenView("Kit_Add");\n' };
  const files = await deployed({ long: "true" }, OUTBOX + WORKFLOW, view);
  expect(featuresIn(files)).toEqual(["documents", "outbox", "resources", "tasks", "views"]);
  expect(files).toEqual(expect.arrayContaining([TASK_FINISHED, "src/generated/views/kit.add.ts"]));
  expect(files.filter((file) => file.startsWith("src/features/views/browser/"))).toEqual([]);
});

const SKILL_FILES = { "kit/SKILL.md": "---\nname: kit\ndescription: About it.\n---\n" };
const OPERATOR_FILES = { "kit/all.resource.ts": resource("kit://{+path}") };
const OPENTOOL_FILES = {
  "acts/toolkit.ts": `import { defineToolkit, fromOpenTool } from "#tool";
const described = { name: "act", description: "Acts." };
const load = () => ({ info: { version: "1.0.0" }, functions: [described] });
export default defineToolkit({ tools: fromOpenTool({ call: () => ({}), load }) });
`,
};
let all: Promise<string[]> | undefined;
/** One small feature: in the slow tier alone, and in the fast one beside the other three. */
function withSmall(toml: string, files: Record<string, string>): Promise<string[]> {
  if (isSlow) return deployed({}, toml, files);
  all ??= deployed({}, PAGE, { ...SKILL_FILES, ...OPERATOR_FILES, ...OPENTOOL_FILES });
  return all;
}

it("a fork with the page has the file that serves it, and no more", async () => {
  const files = await withSmall(PAGE, {});
  expect(files.filter((file) => file.startsWith("src/features/page/"))).toEqual(["src/features/page/index.ts"]);
});

it("a fork with a skill has what serves it, and its files", async () => {
  const files = await withSmall("", SKILL_FILES);
  expect(featuresIn(files)).toContain("skills");
  const others = ["src/core/catalog/skill-file.ts", "src/generated/skills/kit.ts"];
  expect(files).toEqual(expect.arrayContaining(others));
});

it("a fork with a resource whose URI has an operator has what reads it", async () => {
  expect(featuresIn(await withSmall("", OPERATOR_FILES))).toContain("uri-templates");
});

it("a fork with an OpenTool tool has what mounts it", async () => {
  const files = await withSmall("", OPENTOOL_FILES);
  expect(files.filter((file) => OF_TOOLKIT_TOOLS.test(file))).toHaveLength(2);
});
