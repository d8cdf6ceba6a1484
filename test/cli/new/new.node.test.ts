/** `npm run new`: what it writes passes the checks and its own test as it is, and what it refuses it says why. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../../src/cli/new/make-new.ts";
import { outboxLines } from "../../../src/discovery/settings/available.ts";
import { type Copy, copyProject } from "../../support/node/copy.ts";
import { testSettings } from "../../support/node/fork.ts";
import { mayStart } from "../../support/node/processes.ts";
import { type Exited, runMain, runProgram } from "../../support/node/script.ts";
import { isSlow } from "../../support/tier.ts";

// The command, twice; and the formatter, twice.
mayStart(4);

const FIND_ALL = `import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  name: "find_messages",
  description: "Finds all messages.",
  annotations: { readOnly: true },
  run: () => [],
});
`;

/** Brings its tool from an OpenTool server. */
const TIDES = `import { defineToolkit, fromOpenTool } from "#tool";

const server = {
  call: async () => 6.9,
  load: async () => ({
    info: { version: "1.0.0" },
    functions: [{ name: "get_high_tide", description: "Tells how high the water gets, in metres." }],
  }),
};

export default defineToolkit({ tools: fromOpenTool(server) });
`;

let copy: Copy;
beforeAll(() => {
  copy = copyProject();
  copy.write("wrangler.toml", `${testSettings()}\n${outboxLines("wrangler.toml")}\n`);
  copy.write(
    "tools/sms/toolkit.ts",
    'import { defineToolkit } from "#tool";\n\nexport default defineToolkit({ name: "SMS" });\n',
  );
  // Its name is its own, and its view must know it.
  copy.write("tools/sms/find-all.ts", FIND_ALL);
  copy.write("tools/tides/toolkit.ts", TIDES);
});
afterAll(() => copy.remove());

function run(args: readonly string[]): Promise<Exited> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|NODE_ENV$|MODE$|DEV$|PROD$|npm_)/i.test(name),
  );
  return runProgram(copy, process.execPath, args, Object.fromEntries(own));
}

const script = (name: string) => join(copy.root, "node_modules", name);
const BIOME = "@biomejs/biome/bin/biome";

/** Files that are not formatted yet. */
const unformatted: string[] = [];
/** Runs the command, but neither the formatter nor discovery, which the tests run once for all files. */
const make = (args: readonly string[], env: Record<string, string> = {}) =>
  runMain(main, copy, args, {
    env,
    node([path, ...words]) {
      if (path === script(BIOME)) unformatted.push(...words.slice(2));
      else expect([path, ...words]).toEqual(["src/discovery/cli.ts"]);
      return { status: 0, stdout: "", stderr: "" };
    },
  });
/** The command as a process. */
const spawned = (args: readonly string[]) => run(["src/cli/new.ts", ...args]);

/** One of each, all combinations of what a tool can need, and the longest names there are. */
const LONG = `${"l".repeat(31)}/${"n".repeat(32)}`;
const ALL = [
  "--secret",
  "A_RATHER_LONG_NAME_OF_A_SECRET_KEY",
  "--authorization",
  "a-long-id-of-a-service",
  "--session",
];
type Asked = readonly [path: string, ...options: string[]];
/** Views whose tools are not there yet. */
const VIEWS_WITH_TOOLS: readonly Asked[] = [
  ["plain/shown", "--view"],
  ["plain/shown-session", "--view", "--session"],
  ["plain/shown-secret", "--view", "--secret", "API_KEY"],
];
const MADE: readonly Asked[] = [
  ["plain/echo"],
  ["plain/with-secret", "--secret", "API_KEY"],
  ["plain/with-token", "--authorization", "google"],
  ["plain/with-session", "--session"],
  ["plain/with-both", "--secret", "API_KEY", "--authorization", "my-service"],
  ["plain/secret-session", "--secret", "API_KEY", "--session"],
  ["plain/token-session", "--authorization", "google", "--session"],
  ["plain/echo", "--prompt"],
  ["plain/echo", "--resource"],
  ["plain/echo", "--event"],
  ["sms/send-all"],
  ["tools/weather/forecast.ts"],
  // Views of tools that are there, and views with a new tool.
  ["plain/echo", "--view"],
  ["sms/find-all", "--view"],
  ["tides/get-high-tide", "--view"],
  ...VIEWS_WITH_TOOLS,
  // A skill of a toolkit, one that is the toolkit's own, and one of a toolkit without tools.
  ["plain/echo-check", "--skill"],
  ["tools/plain/", "--skill"],
  ["alone/7-steps", "--skill"],
  [LONG, ...ALL],
  [LONG, "--prompt"],
  [LONG, "--resource"],
  [LONG, "--event"],
  [LONG, "--view"],
  [LONG, "--skill"],
];
/** Each has a test of its own, but a skill. A view of a new tool comes with the tool's. */
const TEST_FILES = MADE.length + VIEWS_WITH_TOOLS.length - MADE.filter(([, kind]) => kind === "--skill").length;

describe("what it writes", () => {
  it("passes discovery, the formatter and the linter, as it is", async () => {
    const printed: string[] = [];
    for (const args of MADE.slice(0, -1)) {
      const { code, stdout, stderr } = await make(args);
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: "" });
      printed.push(stdout);
    }
    // Runs discovery on them all. The longest names are allowed, and advised against.
    const last = await spawned(MADE.at(-1) ?? []);
    expect(last).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Wrote tools\/l+\/skills\/n+\/SKILL\.md\.\n/),
    });
    const warned = last.stderr.match(/^tools\/\S+/gm) ?? [];
    expect(warned.length).toBeGreaterThan(0);
    expect(warned.filter((file) => !file.startsWith(`tools/${LONG.split("/")[0]}/`))).toEqual([]);
    expect(printed[0]).toContain("Plain.Echo over OXP, and Plain_Echo over MCP and OpenTool");
    expect(printed[0]).toContain("npm test -- tools/plain");
    expect(printed[1]).toContain("npx wrangler secret put API_KEY");
    expect(printed[10]).toContain("SMS.SendAll");
    expect(printed[11]).toContain("Wrote tools/weather/forecast.ts and tools/weather/forecast.test.ts");

    expect(await run([script(BIOME), "check", "--write", ...unformatted])).toMatchObject({ code: 0 });
    const checked = await run([script(BIOME), "check", "tools"]);
    expect(checked).toMatchObject({ code: 0 });
  });

  it.runIf(isSlow)("passes the type checker and its own test, as it is", async () => {
    const { code, stdout, stderr } = await run(["src/cli/test.ts"]);
    expect(code, stdout + stderr).toBe(0);
    expect(stripVTControlCharacters(stdout)).toContain(`Test Files  ${TEST_FILES} passed (${TEST_FILES})`);
  });

  it("says what it is, and what is next", async () => {
    const view = await make(["told/tale", "--view"]);
    expect(
      view.stdout,
    ).toBe(`Wrote tools/told/tale.ts, tools/told/tale.test.ts, tools/told/tale.view.html and tools/told/tale.view.test.ts.
It is Told.Tale over OXP, and Told_Tale over MCP and OpenTool, with a view for hosts that show one.

Next: npm test -- tools/told
      npm start   (docs/views.md says how to see the view)
`);
    const other = await make(["told/other"]);
    expect(other.stdout).toContain(
      "Wrote tools/told/other.ts and tools/told/other.test.ts.\nIt is Told.Other over OXP",
    );
    const added = await make(["told/other", "--view"]);
    expect(added.stdout).toContain(
      "Wrote tools/told/other.view.html and tools/told/other.view.test.ts.\nIt is the view of Told.Other, for hosts that show views.",
    );
    const skill = await make(["told/story-check", "--skill"]);
    expect(skill.stdout).toBe(`Wrote tools/told/skills/story-check/SKILL.md.
It is the skill story-check over MCP.

Next: say in it what it is for, and how the job is done (docs/listings.md)
      npm run discover
`);
  });

  it("names tools as MCP clients see them", () => {
    const read = (path: string) => readFileSync(join(copy.root, "tools", path), "utf8");
    expect(read("sms/find-all.view.html")).toContain('openView("find_messages")');
    const known = readFileSync(join(copy.root, "src/generated/view-tools.d.ts"), "utf8");
    for (const view of ["plain/echo", "plain/shown", "sms/find-all", "tides/get-high-tide"]) {
      const [, name] = /openView\("(.*)"\)/.exec(read(`${view}.view.html`)) ?? [];
      expect(known).toContain(`"${name}": {`);
    }
    expect(existsSync(join(copy.root, "tools/tides/get-high-tide.ts"))).toBe(false);
    expect(read("plain/skills/echo-check/SKILL.md")).toContain("`Plain_Echo`, `Plain_SecretSession`");
    expect(read("plain/SKILL.md")).toMatch(/^---\nname: plain\n/);
    expect(read("alone/skills/7-steps/SKILL.md")).toContain("# 7 steps\n");
  });

  it("is never written over a file, nor beside a test of that name", async () => {
    const before = readFileSync(join(copy.root, "tools/plain/echo.ts"), "utf8");
    expect(await spawned(["plain/echo", "--session"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "tools/plain/echo.ts exists already, and is left as it is: choose another name, or edit it.\n",
    });
    expect(readFileSync(join(copy.root, "tools/plain/echo.ts"), "utf8")).toBe(before);
    copy.write("tools/plain/other.test.ts", "");
    expect(await make(["plain/other"])).toMatchObject({ code: 1, stderr: expect.stringContaining("other.test.ts") });
    expect(existsSync(join(copy.root, "tools/plain/other.ts"))).toBe(false);
    // Nor does a view get a tool with it then.
    expect(await make(["plain/other", "--view"])).toMatchObject({ code: 1 });
    expect(existsSync(join(copy.root, "tools/plain/other.view.html"))).toBe(false);
    copy.write("tools/seen/page.ts", FIND_ALL.replace("find_messages", "see_page"));
    copy.write("tools/seen/page.view.ts", "");
    const isThere = (file: string) => ({ code: 1, stderr: expect.stringContaining(`${file} exists already`) });
    expect(await make(["seen/page", "--view"])).toMatchObject(isThere("tools/seen/page.view.ts"));
    expect(await make(["plain", "--skill"])).toMatchObject(isThere("tools/plain/SKILL.md"));
    const again = await make(["plain/skills/echo-check/SKILL.md", "--skill"]);
    expect(again).toMatchObject(isThere("tools/plain/skills/echo-check/SKILL.md"));
    // Hosts tell skills apart by their names.
    expect(await make(["seen/echo-check", "--skill"])).toMatchObject({
      code: 1,
      stderr: "tools/plain/skills/echo-check/SKILL.md is the skill echo-check already: choose another name.\n",
    });
    expect(existsSync(join(copy.root, "tools/seen/skills"))).toBe(false);
  });

  it("takes no --session if the tool is there", async () => {
    expect(await make(["plain/with-token", "--view", "--session"])).toEqual({
      code: 1,
      stdout: "",
      stderr:
        "tools/plain/with-token.ts is there already, and a view takes no --session: see `npm run new -- --help`.\n",
    });
    expect(existsSync(join(copy.root, "tools/plain/with-token.view.html"))).toBe(false);
  });
});

describe("a mistake is one sentence with the rule, and nothing is written", () => {
  it.each([
    [["forecast"], /"forecast" is not TOOLKIT\/NAME.*npm run new -- weather\/forecast/],
    [["a/b/c"], /TOOLKIT\/NAME/],
    [
      ["Weather/forecast"],
      /"Weather" is not a toolkit name: .*lower-case words joined by dashes: rename the folder to weather\./,
    ],
    [["weather/getForecast"], /"getForecast" is not a tool name.*get-forecast\.ts/],
    [["mcp/forecast"], /"mcp" is reserved/],
    [["weather/toolkit"], /tools\/weather\/toolkit\.ts is the toolkit's own file.*: choose another name\./],
    [["weather/toolkit.ts"], /the toolkit's own file/],
    [["weather/worker"], /tools\/worker\.ts/],
    [["weather/instructions"], /tools\/instructions\.md/],
    [["weather/index"], /each file is a tool/],
    [["worker/forecast"], /tools\/worker\.ts/],
    [["instructions/forecast"], /tools\/instructions\.md/],
    [["weather/forecast@2"], /a further version begins as a copy/],
    [["weather/_helper"], /not a tool name/],
    [[`${"x".repeat(40)}/${"y".repeat(30)}`], /longer than 64 characters/],
    [["weather/a", "b"], /one TOOLKIT\/NAME/],
    [["weather/a", "--secret", "my key"], /--secret: "my key" is not the name of a secret/],
    [["weather/a", "--authorization", "Google!"], /--authorization: "Google!"/],
    [["weather/a", "--prompt", "--resource"], /--prompt, --resource, --event, --view or --skill/],
    [["weather/a", "--view", "--skill"], /only one of these/],
    [["weather/a", "--prompt", "--session"], /A prompt takes no --session/],
    [["weather/a", "--skill", "--secret", "KEY"], /A skill takes no --secret/],
    [["weather/a", "--page"], /Unknown option '--page'/],
    [["weather", "--view"], /"weather" is not TOOLKIT\/NAME/],
    [["weather/a@1", "--view"], /a view has no versions/],
    [["weather/toolkit", "--view"], /the toolkit's own file/],
    [["weather/getForecast", "--view"], /"getForecast" is not a view name/],
    [
      ["a/b/c", "--skill"],
      /"a\/b\/c" is neither TOOLKIT\/NAME nor TOOLKIT.*npm run new -- weather\/storm-check --skill/,
    ],
    [["weather/Storm_Check", "--skill"], /"Storm_Check" is not the name of a skill.*weather\/skills\/storm-check\./],
    [["mcp/storm-check", "--skill"], /"mcp" is reserved/],
    [["mcp", "--skill"], /"mcp" is reserved/],
    [["worker", "--skill"], /tools\/worker\.ts/],
  ])("%j", async (args, sentence) => {
    const ended = await make(args);
    expect(ended).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(sentence) });
    expect(ended.stderr).toMatch(/^[^\n]+\n$/);
    expect(existsSync(join(copy.root, "tools/weather/a.ts"))).toBe(false);
  });

  it("so is an option that npm consumed", async () => {
    expect(await make(["hello/there"], { npm_config_secret: "API_KEY" })).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("npm kept --secret for itself: write `npm run new -- hello/there --secret …`"),
    });
  });

  it("help is none, nor is an option of npm's own", async () => {
    const help = { code: 0, stderr: "", stdout: expect.stringContaining("weather/forecast --view") };
    expect(await make([])).toEqual(help);
    expect(await make([], { npm_config_viewer: "browser" })).toEqual(help);
    expect(await make([], { npm_config_view: "true" })).toMatchObject({ code: 1 });
  });
});
