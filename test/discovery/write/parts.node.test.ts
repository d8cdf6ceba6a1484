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
const OF_BROUGHT = /^src\/(from-opentool|core\/catalog\/brought-tools)\.ts$/;
/** What only files need. */
const OF_FILES = /^src\/(files|core\/files)\//;
/** What tools that take attachments need, whether files are stored or not. */
const ATTACHMENTS = ["src/features/files/with-attachments.ts", "src/features/files/read-host-files.ts"];
/** What only long tools need. */
const OF_TASKS =
  /^src\/(tasks\/|core\/tasks\/|core\/run\/long-run|protocols\/mcp\/methods\/(long-tools|render-task)|protocols\/mcp\/dialects\/modern\/tasks\/)/;
/** A file of each of these rooms. */
const ROOMS = [
  ...[
    "src/features/tasks/claims-with-tasks.ts",
    "src/features/tasks/workflow.ts",
    "src/features/tasks/with-tasks.ts",
    "src/features/tasks/execute-with-tasks.ts",
  ],
  ...["src/core/call/long-context.ts", "src/features/tasks/mcp/long-tools.ts"],
  ...["src/features/tasks/mcp/render-task.ts", "src/features/tasks/mcp/era.ts"],
];

const OF_OUTBOX =
  /^src\/(outbox\/|core\/(outbox|events)\/|protocols\/oxp\/message\.ts|protocols\/mcp\/dialects\/modern\/events\/)/;
/** What only skills need. */
const OF_SKILLS =
  /^src\/(protocols\/mcp\/(skills\/|dialects\/skills\.ts)|core\/catalog\/skill-file|generated\/skills\/)/;
/** What only views need. Their helper `#view` is no part of the Worker: it is in the text of a view. */
const OF_VIEWS = /^src\/(protocols\/mcp\/(views\/|dialects\/views\.ts)|view\/|generated\/views)/;
/** What only extensions need that add methods: tasks, skills and views. */
const OF_EXTENSIONS = /^src\/protocols\/mcp\/(dialects\/extend|methods\/announcing)\.ts/;
const VIEW_ROOMS = [
  ...["src/features/views/capability.ts", "src/features/views/methods.ts"],
  ...["src/features/views/eras.ts", "src/generated/views.ts", "src/generated/views/kit.add.ts"],
];
/** What hides the tools that only views may call. */
const APP_TOOLS = "src/features/app-tools/app-tools.ts";
/** What only sessions in objects need. */
const OF_SESSIONS = /^src\/(session-objects|stores\/(object-)?sessions)\.ts/;
/** What only the page at / needs. The page itself is no part of the Worker. */
const OF_PAGE = /^src\/(pages\/front-page\.ts|front-page\/)/;
/** What only resources with operators in their URIs need. */
const OF_OPERATORS = /^src\/core\/uri-templates\//;
/** What only the Worker's own sign-in, and the check of tokens, need. */
const OF_CREDENTIALS = /^(src\/(sign-in|tokens)\/|node_modules\/(jose|@cloudflare\/workers-oauth-provider)\/)/;
const TASK_FINISHED = "src/features/outbox/events/task-finished.ts";
const OUTBOX_ROOMS = [
  ...[
    "src/features/outbox/object/object.ts",
    "src/features/outbox/with-outbox.ts",
    "src/features/outbox/equip.ts",
    "src/features/outbox/with-callbacks.ts",
  ],
  ...["src/features/outbox/object/lanes.ts", "src/features/outbox/object/matches.ts", "src/protocols/oxp/message.ts"],
  ...[
    "src/features/outbox/events/emit.ts",
    "src/features/outbox/events/match-event.ts",
    "src/features/outbox/events/publish-events.ts",
  ],
  ...["src/features/outbox/mcp/methods.ts", "src/features/outbox/mcp/stream.ts"],
];

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

it("a fork without long tools, files, outbox, views, skills, page, OpenTool tools and operators has none of them", async () => {
  const files = await deployed({}, "", {
    "kit/toolkit.ts": 'export default { name: "KIT" };',
    "kit/plain.resource.ts": resource("kit://{plain}"),
  });
  expect(files).toEqual(expect.arrayContaining(["src/claims.ts", "src/core/call/execute.ts"]));
  const ofFeatures = [
    OF_TASKS,
    OF_FILES,
    new RegExp(ATTACHMENTS.join("|")),
    OF_OUTBOX,
    OF_SESSIONS,
    OF_VIEWS,
    OF_SKILLS,
    OF_EXTENSIONS,
    OF_PAGE,
    OF_BROUGHT,
    OF_OPERATORS,
    OF_CREDENTIALS,
  ];
  expect(files.filter((file) => ofFeatures.some((feature) => feature.test(file)))).toEqual([]);
});

it("a fork with an outbox and sessions in objects has all of them, with long tools or without", async () => {
  const plain = await deployed({}, OUTBOX + SESSIONS);
  expect(plain).toEqual(
    expect.arrayContaining([
      "src/features/session-objects/sessions.ts",
      "src/features/session-objects/object-sessions.ts",
    ]),
  );
  expect(plain).toEqual(expect.arrayContaining(OUTBOX_ROOMS));
  expect(plain.filter((file) => OF_TASKS.test(file) || file === TASK_FINISHED)).toEqual([]);
  // With a view besides: below.
  if (!isSlow) return;
  expect(await deployed({ long: "true" }, OUTBOX + WORKFLOW)).toEqual(
    expect.arrayContaining([...ROOMS, ...OUTBOX_ROOMS, TASK_FINISHED]),
  );
});

it("a fork has the sign-in and tokens if any environment asks for them, and each only then", async () => {
  const signIn = await deployed({}, '[env.staging.vars]\nSIGN_IN = "true"\nTOKENS = "false"\n');
  expect(signIn).toEqual(expect.arrayContaining(["src/features/sign-in/server.ts", "src/features/sign-in/page.ts"]));
  expect(signIn.filter((file) => file.startsWith("src/features/tokens/"))).toEqual([]);
  const tokens = await deployed({}, '[env.staging.vars]\nTOKENS = "true"\n');
  expect(tokens).toContain("src/features/tokens/jwt.ts");
  expect(tokens.filter((file) => file.startsWith("src/features/sign-in/"))).toEqual([]);
});

it("a fork with a long tool has all of it", async () => {
  expect(await deployed({ long: "true" }, WORKFLOW)).toEqual(expect.arrayContaining(ROOMS));
});

it("a fork with the workflow and no long tool can be deployed: wrangler demands the workflow's class", async () => {
  expect(await deployed({}, WORKFLOW)).toEqual(expect.arrayContaining(ROOMS));
});

it("a fork with a binding of files has all of files, and nothing of tasks", async () => {
  const rooms = [
    "src/features/files/store/records.ts",
    "src/features/files/endpoints.ts",
    "src/features/files/with-files.ts",
    ...ATTACHMENTS,
  ];
  const files = await deployed({}, FILES);
  expect(files).toEqual(expect.arrayContaining(rooms));
  expect(files.filter((file) => OF_TASKS.test(file))).toEqual([]);
});

it("a fork with a tool that takes attachments, and no binding of files, has only what refuses them", async () => {
  const files = await deployed({ attachments: "true" });
  expect(files).toEqual(expect.arrayContaining(ATTACHMENTS));
  expect(files.filter((file) => OF_FILES.test(file))).toEqual([]);
});

it("a fork with a view has all of views, beside tasks and the outbox, and nothing of #view", async () => {
  const view = { "kit/add.view.ts": 'import { openView } from "#view";\nopenView("Kit_Add");\n' };
  const files = await deployed({ long: "true" }, OUTBOX + WORKFLOW, view);
  expect(files).toEqual(expect.arrayContaining([...VIEW_ROOMS, ...ROOMS, ...OUTBOX_ROOMS, TASK_FINISHED]));
  expect(files.filter((file) => file.startsWith("src/features/views/browser/") || file === APP_TOOLS)).toEqual([]);
});

it("a fork whose tools say who may call them, and have no view, has the same but the page", async () => {
  const files = await deployed({ visibility: '["model"]' });
  const [page, ...others] = VIEW_ROOMS.toReversed();
  expect(files).toEqual(expect.arrayContaining(others));
  for (const missing of [page, APP_TOOLS]) expect(files).not.toContain(missing);
});

it("a fork with a tool that only views may call has what hides it, and a fork with views alone has not", async () => {
  expect(await deployed({ visibility: '["app"]' })).toContain(APP_TOOLS);
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
  expect(files.filter((file) => OF_PAGE.test(file))).toEqual(["src/features/page/front-page.ts"]);
});

it("a fork with a skill has what serves it, and its files", async () => {
  const files = await withSmall("", SKILL_FILES);
  expect(files.filter((file) => OF_SKILLS.test(file)).sort()).toEqual([
    "src/core/catalog/skill-file.ts",
    "src/generated/skills/kit.ts",
    "src/features/skills/eras.ts",
    "src/features/skills/methods.ts",
  ]);
});

it("a fork with a resource whose URI has an operator has what reads it", async () => {
  const files = await withSmall("", OPERATOR_FILES);
  expect(files.filter((file) => OF_OPERATORS.test(file)).sort()).toEqual(
    ["match", "query"].map((name) => `src/features/uri-templates/${name}.ts`),
  );
});

it("a fork with an OpenTool tool has what mounts it", async () => {
  const files = await withSmall("", OPENTOOL_FILES);
  expect(files.filter((file) => OF_BROUGHT.test(file))).toHaveLength(2);
});
