/** `npm run new`: what it writes passes the checks and its own test as it is, and what it refuses it says why. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OUTBOX_LINES } from "../../../src/build/settings/available.ts";
import { type Copy, copyProject } from "../../support/node/copy.ts";
import { testSettings } from "../../support/node/fork.ts";

let copy: Copy;
beforeAll(() => {
  copy = copyProject();
  copy.write("wrangler.toml", `${testSettings()}\n${OUTBOX_LINES}\n`);
  copy.write(
    "tools/sms/toolkit.ts",
    'import { defineToolkit } from "#tool";\n\nexport default defineToolkit({ name: "SMS" });\n',
  );
});
afterAll(() => copy.remove());

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], more: Record<string, string> = {}): Promise<Ended> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|TEST$|NODE_ENV$|MODE$|DEV$|PROD$|npm_)/i.test(name),
  );
  return new Promise((ended) => {
    execFile(
      process.execPath,
      args,
      { cwd: copy.root, env: { ...Object.fromEntries(own), ...more }, maxBuffer: 2 ** 26 },
      (error, stdout, stderr) => ended({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

const make = (args: readonly string[], more?: Record<string, string>) => run(["src/cli/new/cli.ts", ...args], more);
const script = (name: string) => join(copy.root, "node_modules", name);

/** One of each, all combinations of what a tool can need, and the longest names there are. */
const LONG = `${"l".repeat(31)}/${"n".repeat(32)}`;
const ALL = [
  "--secret",
  "A_RATHER_LONG_NAME_OF_A_SECRET_KEY",
  "--authorization",
  "a-long-id-of-a-service",
  "--session",
];
const MADE: readonly (readonly [path: string, ...options: string[]])[] = [
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
  [LONG, ...ALL],
  [LONG, "--prompt"],
  [LONG, "--resource"],
  [LONG, "--event"],
];

describe("what it writes", () => {
  it("passes the formatter, the linter, the type checker and its own test, as it is", async () => {
    const printed: string[] = [];
    for (const args of MADE) {
      const { code, stdout, stderr } = await make(args);
      expect({ args, code }).toEqual({ args, code: 0 });
      // The longest names are allowed, and advised against.
      if (args[0] !== LONG) expect(stderr).toBe("");
      printed.push(stdout);
    }
    expect(printed[0]).toContain("Plain.Echo over OXP, and Plain_Echo over MCP and OpenTool");
    expect(printed[0]).toContain("npm test -- tools/plain");
    expect(printed[1]).toContain("npx wrangler secret put API_KEY");
    expect(printed[10]).toContain("SMS.SendAll");
    expect(printed[11]).toContain("Wrote tools/weather/forecast.ts and tools/weather/forecast.test.ts");

    const checked = await run([script("@biomejs/biome/bin/biome"), "check", "tools"]);
    expect(checked).toMatchObject({ code: 0 });
    // `npm test`: discovery, the types, and the tests.
    const { code, stdout, stderr } = await run(["src/cli/test/cli.ts"]);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    expect(stripVTControlCharacters(stdout)).toContain(`Test Files  ${MADE.length} passed (${MADE.length})`);
  });

  it("is never written over a file, nor beside a test of that name", async () => {
    const before = readFileSync(join(copy.root, "tools/plain/echo.ts"), "utf8");
    expect(await make(["plain/echo", "--session"])).toEqual({
      code: 1,
      stdout: "",
      stderr: "tools/plain/echo.ts exists already, and is left as it is: choose another name, or edit it.\n",
    });
    expect(readFileSync(join(copy.root, "tools/plain/echo.ts"), "utf8")).toBe(before);
    copy.write("tools/plain/other.test.ts", "");
    expect(await make(["plain/other"])).toMatchObject({ code: 1, stderr: expect.stringContaining("other.test.ts") });
    expect(existsSync(join(copy.root, "tools/plain/other.ts"))).toBe(false);
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
    [["weather/a", "--prompt", "--resource"], /--prompt, --resource or --event/],
    [["weather/a", "--prompt", "--session"], /A prompt takes no --session/],
    [["weather/a", "--view"], /Unknown option '--view'/],
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

  it("help is none", async () => {
    expect(await make([])).toEqual({ code: 0, stderr: "", stdout: expect.stringContaining("weather/forecast") });
  });
});
