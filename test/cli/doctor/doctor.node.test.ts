/** `npm run doctor` on forks in several states of health, with a simulated account and without one. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMPATIBILITY_DATE } from "../../../src/cli/doctor/check-settings.ts";
import { tooLarge } from "../../../src/cli/doctor/check-size.ts";
import { type Cloudflare, startCloudflare, TOKEN } from "../../support/node/cloudflare.ts";
import { type Fork, makeFork, testSettings } from "../../support/node/fork.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

const TOOL = (members: string, description = "Tells the time.") => `import { defineTool } from "#tool";
export default defineTool({ version: "1.0.0", description: "${description}", output: null, run() {}, ${members} });
`;
/** What a careful owner has. */
const HEALTHY = testSettings({ closed: true }).replaceAll('"trivet"', '"acme"');

const forks: Fork[] = [];
let cloudflare: Cloudflare;
beforeAll(async () => {
  cloudflare = await startCloudflare("acme");
});
afterAll(() => {
  cloudflare.close();
  for (const fork of forks) fork.remove();
});

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function doctor({ root }: Fork, args: readonly string[], more: Record<string, string> = {}): Promise<Ended> {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_config_|CLOUDFLARE_|CF_|WRANGLER_)/i.test(name));
  const home = { HOME: root, XDG_CONFIG_HOME: join(root, "config") };
  return new Promise((ended) => {
    execFile(
      process.execPath,
      ["src/cli/doctor/cli.ts", ...args],
      { cwd: root, env: { ...Object.fromEntries(own), ...home, ...more } },
      (error, stdout, stderr) => ended({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

const online = (fork: Fork) =>
  doctor(fork, [], {
    CLOUDFLARE_API_BASE_URL: cloudflare.url,
    CLOUDFLARE_API_TOKEN: TOKEN,
    CLOUDFLARE_ACCOUNT_ID: "an-account",
  });

function fork(tools: Record<string, string>, settings: string): Fork {
  const made = makeFork(tools);
  made.write("wrangler.toml", settings);
  forks.push(made);
  return made;
}

/** The findings, without their fixes: `error: wrangler.toml: its name …`. */
function problems({ stdout }: Ended): string[] {
  return [...stdout.matchAll(/^(error|warning): (.*)\n {2}problem: (.*)\n {2}fix: +\S/gm)].map(
    ([, level, file, problem]) => `${level}: ${file}: ${problem}`,
  );
}

it("the date is the one that the framework's own tests run with", () => {
  const text = readFileSync(join(ROOT, "test/support/wrangler.toml"), "utf8");
  expect(/^compatibility_date = "(.*)"$/m.exec(text)?.[1]).toBe(COMPATIBILITY_DATE);
});

describe("a healthy fork", () => {
  it("has no findings, and without an account says what it did not check", async () => {
    const ended = await doctor(fork({ "clock/tell.ts": TOOL("") }, HEALTHY), []);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(problems(ended)).toEqual([]);
    expect(ended.stdout).toMatch(/^not checked: secrets that tools require, keys and scopes\. .*npx wrangler login/m);
    expect(ended.stdout).toMatch(/^size: [\d.]+ KiB, [\d.]+ KiB after gzip$/m);
    expect(ended.stdout).toMatch(/^0 errors, 0 warnings$/m);
  });

  it("has none on its account either, which has the secret, and a key with the scope", async () => {
    cloudflare.secrets.push("API_KEY", "OWN_KEY");
    const terms = { name: "bot", scopes: ["clock:set"], created: 1_700_000_000 };
    cloudflare.kept.set("key:aaaaaaaaaaaaaaaa", { value: "{}", metadata: terms });
    const required = 'requirements: { secrets: ["API_KEY", { id: "OWN_KEY", from: "worker" }] }, scopes: ["clock:set"]';
    const ended = await online(fork({ "clock/tell.ts": TOOL(required) }, HEALTHY));
    expect(problems(ended)).toEqual([]);
    expect(ended).toMatchObject({ code: 0, stdout: expect.not.stringContaining("not checked") });
  });
});

describe("an ill fork", () => {
  it("gets a finding for each illness of its settings and tools, each with what to do", async () => {
    const settings = testSettings({ closed: true })
      .replace(/^/, 'routes = ["example.com/tools/*", "tools.example.com/*"]\n')
      .replace(/^compatibility_date = .*$/m, 'compatibility_date = "2025-01-01"')
      .replace('"global_fetch_strictly_public"', '"nodejs_compat"')
      .replace(/^\[\[durable_objects\.bindings\]\]\nname = "HUB"\n.*\n/m, "")
      .replace(/^\[\[durable_objects\.bindings\]\]\nname = "CLAIMS"\n.*\n/m, "")
      .replace(
        "[vars]",
        '[vars]\nLOCAL = "true"\nJWT_SECRET = "in the open"\nJWT_ISSUER = "https://login.example.com"',
      );
    const ill = fork(
      {
        "clock/tell.ts": TOOL('requirements: { secrets: ["API_KEY"] }', "Repeats a text."),
        "calculator/add.ts": TOOL(""),
      },
      settings,
    );
    const ended = await doctor(ill, ["--offline"]);
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    expect(problems(ended)).toEqual([
      expect.stringMatching(/^error: wrangler\.toml: its compatibility_date is 2025-01-01/),
      expect.stringMatching(/^error: wrangler\.toml: the binding HUB is missing/),
      expect.stringMatching(/^error: wrangler\.toml: the route example\.com\/tools\/\* has a path/),
      expect.stringMatching(/^error: wrangler\.toml: LOCAL = "true" opens every tool/),
      expect.stringMatching(/^error: wrangler\.toml: JWT_ISSUER and JWT_JWKS_URL belong together/),
      expect.stringMatching(/^error: wrangler\.toml: JWT_SECRET is a secret/),
      expect.stringMatching(/^warning: tools\/clock\/tell\.ts: its description is still that of the example/),
      expect.stringMatching(/^warning: tools\/calculator: the samples would be published/),
      expect.stringMatching(/^warning: wrangler\.toml: compatibility_flags lacks global_fetch_strictly_public/),
      expect.stringMatching(/^warning: wrangler\.toml: the binding CLAIMS is missing/),
      expect.stringMatching(/^warning: wrangler\.toml: the Worker is still called "trivet"/),
      expect.stringMatching(/^warning: wrangler\.toml: SERVER_NAME is still "trivet"/),
    ]);
    expect(ended.stdout).toContain("not checked: the account's secrets, keys and scopes (--offline).");
    expect(ended.stdout).toMatch(/^6 errors, 6 warnings$/m);
  });

  it("hears what discovery refuses: a binding that wrangler.toml lacks", async () => {
    const ended = await doctor(fork({ "clock/tell.ts": TOOL('env: ["DB"]') }, HEALTHY), ["--offline"]);
    expect(ended.code).toBe(1);
    expect(problems(ended)).toEqual([expect.stringMatching(/^error: tools\/clock\/tell\.ts.*"?DB/)]);
  });

  it("hears of invalid settings, and then of nothing else", async () => {
    const settings = HEALTHY.replace(/^RATE_PER_MINUTE = .*$/m, 'RATE_PER_MINUTE = "45"');
    const ended = await doctor(fork({ "clock/tell.ts": TOOL("") }, settings), ["--offline"]);
    expect(ended.code).toBe(1);
    expect(problems(ended)).toEqual([expect.stringMatching(/^error: wrangler\.toml:\d+: RATE_PER_MINUTE is "45"/)]);
  });

  it("hears which secrets and scopes its account lacks", async () => {
    cloudflare.secrets.splice(0);
    const tools = {
      "clock/tell.ts": TOOL('requirements: { secrets: ["API_KEY"], authorization: [{ id: "google" }] }'),
      "clock/wind.ts": TOOL('requirements: { secrets: [{ id: "OWN_KEY", from: "worker" }] }, scopes: ["clock:wind"]'),
      "clock/ask.ts": TOOL('requirements: { secrets: [{ id: "THEIRS", from: "caller" }] }'),
    };
    const ill = fork(tools, HEALTHY);
    const lacking = [
      expect.stringMatching(/^error: tools\/clock\/wind\.ts: Clock\.Wind requires OWN_KEY/),
      expect.stringMatching(/^warning: tools\/clock\/tell\.ts: Clock\.Tell requires API_KEY/),
      expect.stringMatching(/^warning: tools\/clock\/tell\.ts: Clock\.Tell requires google/),
    ];
    const ended = await online(ill);
    expect(ended.code).toBe(1);
    expect(problems(ended)).toEqual([
      ...lacking,
      expect.stringMatching(/^warning: tools\/clock\/wind\.ts: Clock\.Wind demands clock:wind, and no key grants that/),
    ]);
    cloudflare.kept.clear();
    expect(problems(await online(ill))).toEqual([
      ...lacking,
      expect.stringMatching(/^warning: the account: there are no keys, and PUBLIC is not "true": no one can call/),
    ]);
  });
});

describe("size", () => {
  it("an upload that Cloudflare refuses is an error, a large one a warning", () => {
    expect([...tooLarge(200, 60)]).toEqual([]);
    expect([...tooLarge(20_000, 4_000)]).toMatchObject([{ level: "warning" }]);
    expect([...tooLarge(70_000, 2_000)]).toMatchObject([{ level: "error" }]);
  });
});
