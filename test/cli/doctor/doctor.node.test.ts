/** `npm run doctor` on forks in several states of health, with a simulated account and without one. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main as copyMain } from "../../../src/cli/copy/make-copy.ts";
import { COMPATIBILITY_DATE } from "../../../src/cli/doctor/check-settings.ts";
import { tooLarge } from "../../../src/cli/doctor/check-size.ts";
import { main } from "../../../src/cli/doctor/examine.ts";
import { SKILL_DESCRIPTION } from "../../../src/cli/lib/examples.ts";
import { type Cloudflare, startCloudflare, TOKEN } from "../../support/node/cloudflare.ts";
import { type Fork, makeFork, moveToJson, testSettings } from "../../support/node/fork.ts";
import { WORKFLOW } from "../../support/node/long.ts";
import { mayStart } from "../../support/node/processes.ts";
import { type Exited, environmentOf, runMain, runProgram } from "../../support/node/script.ts";
import { wranglerHere } from "../../support/node/wrangler.ts";
import { isSlow } from "../../support/tier.ts";

// The command.
mayStart(1);

const ROOT = resolve(import.meta.dirname, "../../..");

const TOOL = (members: string, description = "Tells the time.") => `import { defineTool } from "#tool";
export default defineTool({ version: "1.0.0", description: "${description}", output: null, run() {}, ${members} });
`;
/** What a careful owner has. */
const HEALTHY = testSettings({ closed: true })
  .replaceAll('"trivet"', '"acme"')
  .replace("[vars]", '[vars]\nDOCUMENTS = "true"');
/** Where a line is in a file, as findings name it. */
const at = (text: string, line: string, file = "wrangler\\.toml") => `${file}:${text.split("\n").indexOf(line) + 1}`;

const forks: Fork[] = [];
let cloudflare: Cloudflare;
beforeAll(async () => {
  cloudflare = await startCloudflare("acme");
});
afterAll(() => {
  cloudflare.close();
  for (const fork of forks) fork.remove();
});

/** What wrangler says of a build. */
const SMALL = { status: 0, stdout: "Total Upload: 200.00 KiB / gzip: 60.00 KiB\n", stderr: "" };
const BROKEN = {
  status: 1,
  stdout: "",
  stderr: `✘ [ERROR] Build failed with 4 errors:\n✘ [ERROR] Could not resolve "../generated/catalog.ts"\n`,
};

/** Runs the command. By default each build is small: real ones are in the tests that have it {@link spawned}. */
function doctor(
  fork: Fork,
  args: readonly string[],
  env: Record<string, string> = {},
  built: typeof SMALL = SMALL,
): Promise<Exited> {
  const wrangler = wranglerHere(env);
  return runMain(main, fork, args, {
    env,
    node(words, options) {
      if (words[1] !== "deploy") return wrangler(words, options);
      expect(words).toContain("--dry-run");
      return built;
    },
  });
}

/** The command as a process, which has wrangler build the fork. */
const spawned = (fork: Fork, args: readonly string[]) =>
  runProgram(fork, process.execPath, ["src/cli/doctor.ts", ...args], environmentOf(fork));

const online = (fork: Fork, args: readonly string[] = [], api = cloudflare) =>
  doctor(fork, args, {
    CLOUDFLARE_API_BASE_URL: api.url,
    CLOUDFLARE_API_TOKEN: TOKEN,
    CLOUDFLARE_ACCOUNT_ID: "an-account",
  });

function fork(tools: Record<string, string>, settings: string): Fork {
  const made = makeFork(tools, { settings: settings });
  forks.push(made);
  return made;
}

/** A fork in which processes can be started. */
function wholeFork(tools: Record<string, string>, settings: string): Fork {
  const made = makeFork(tools, { settings, copied: true });
  forks.push(made);
  return made;
}

/** The findings, without their fixes: `error: wrangler.toml: its name …`. */
function problems({ stdout }: Exited): string[] {
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
    const tools = { "clock/tell.ts": TOOL("") };
    const ended = await (isSlow ? spawned(wholeFork(tools, HEALTHY), []) : doctor(fork(tools, HEALTHY), []));
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

it("a fork's own limiters may have any limit, and share a namespace", async () => {
  const own = ["LOGIN", "SIGNUP"].map(
    (name) => `[[ratelimits]]\nname = "${name}"\nnamespace_id = "7"\nsimple = { limit = 5, period = 10 }\n`,
  );
  const ended = await doctor(fork({ "clock/tell.ts": TOOL("") }, `${HEALTHY}\n${own.join("")}`), ["--no-account"]);
  expect([problems(ended), ended.code]).toEqual([[], 0]);
});

describe("an ill fork", () => {
  it("gets a finding for each illness of its settings and tools, each with what to do", async () => {
    const settings = testSettings({ closed: true })
      .replace(/^/, 'routes = ["example.com/tools/*", "tools.example.com/*"]\n')
      .replace(/^compatibility_date = .*$/m, 'compatibility_date = "2025-01-01"')
      .replace('"global_fetch_strictly_public"', '"nodejs_compat"')
      .replace(/^\[\[durable_objects\.bindings\]\]\nname = "HUB"\n.*\n/m, "")
      .replace('new_sqlite_classes = ["Claims"]', "new_sqlite_classes = []")
      .replace(/^\[\[rules\]\]\n(.+\n)+/m, "")
      .replace(/^\[build\]\n(.+\n)+/m, "")
      .replace('name = "RATE_60"', 'name = "RATE_61"')
      .replace('namespace_id = "1010"', 'namespace_id = "1600"')
      .replace("limit = 6000, period = 60", "limit = 6000, period = 10")
      .replace(
        "[vars]",
        '[vars]\nLOCAL = "true"\nJWT_SECRET = "in the open"\nJWT_ISSUER = "https://login.example.com"',
      );
    const ill = (isSlow ? wholeFork : fork)(
      {
        "clock/tell.ts": TOOL('requirements: { secrets: ["API_KEY"] }', "Repeats a text."),
        "clock/skills/wake-up/SKILL.md": `---\nname: wake-up\ndescription: ${SKILL_DESCRIPTION}\n---\n`,
        "calculator/add.ts": TOOL(""),
      },
      settings,
    );
    const ended = await (isSlow ? spawned(ill, ["--no-account"]) : doctor(ill, ["--no-account"], {}, BROKEN));
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    const line = (words: string) => at(settings, words);
    const found = (level: string, where: string, problem: string) =>
      expect.stringMatching(new RegExp(`^${level}: ${where}: ${problem}`));
    const routes = 'routes = ["example.com/tools/*", "tools.example.com/*"]';
    const flags = settings.split("\n").find((one) => one.startsWith("compatibility_flags")) ?? "";
    expect(problems(ended)).toEqual([
      found("error", line('compatibility_date = "2025-01-01"'), "its compatibility_date is 2025-01-01"),
      found("error", "wrangler\\.toml", "\\[build\\] has no command"),
      found("error", "wrangler\\.toml", "the binding HUB is missing"),
      found("error", line('name = "RATE_61"'), "the rate limiter RATE_61 has a limit of 60 and a period of 60"),
      found("error", line('name = "RATE_600"'), "RATE_600 and RATE_10 have the same namespace_id"),
      found("error", line('name = "RATE_6000"'), "the rate limiter RATE_6000 has a limit of 6000 and a period of 10"),
      found("error", line('class_name = "Claims"'), "CLAIMS is bound to the class Claims, which no migration makes"),
      found("error", line(routes), "the route example\\.com/tools/\\* has a path"),
      found("error", line('LOCAL = "true"'), 'LOCAL = "true" opens every tool'),
      found("error", line('JWT_ISSUER = "https://login.example.com"'), "JWT_ISSUER and JWT_JWKS_URL belong together"),
      found("error", line('JWT_SECRET = "in the open"'), "JWT_SECRET is a secret"),
      // Its tools were never discovered.
      found("error", "the build", "wrangler failed: Build failed with \\d errors: .*generated/(catalog|entrypoints)"),
      found("warning", "tools/clock/tell\\.ts:2", "its description is still that of the example"),
      found("warning", "tools/clock/skills/wake-up/SKILL\\.md:3", "its description is still that of the example"),
      found("warning", "tools/calculator", "the samples would be published"),
      found("warning", line(flags), "compatibility_flags lacks global_fetch_strictly_public"),
      found("warning", "wrangler\\.toml", "there is no rule that .md files are text"),
      found("warning", "wrangler\\.toml", "the rate limiter RATE_60 is missing"),
      found("warning", line('name = "trivet"'), 'the Worker is still called "trivet"'),
      found("warning", line('SERVER_NAME = "trivet"'), 'SERVER_NAME is still "trivet"'),
      found("warning", "wrangler\\.toml", "DOCUMENTS is not set"),
    ]);
    expect(ended.stdout).toContain("not checked: the account's secrets, keys and scopes (--no-account).");
    expect(ended.stdout).toMatch(/^12 errors, 9 warnings$/m);
  });

  it("hears what discovery refuses: a binding that wrangler.toml lacks", async () => {
    const ended = await doctor(fork({ "clock/tell.ts": TOOL('env: ["DB"]') }, HEALTHY), ["--no-account"]);
    expect(ended.code).toBe(1);
    expect(problems(ended)).toEqual([expect.stringMatching(/^error: tools\/clock\/tell\.ts.*"?DB/)]);
  });

  it("hears of invalid settings, and then of nothing else", async () => {
    const settings = HEALTHY.replace(/^RATE_PER_MINUTE = .*$/m, 'RATE_PER_MINUTE = "45"');
    const ended = await spawned(wholeFork({ "clock/tell.ts": TOOL("") }, settings), ["--no-account"]);
    expect(ended).toMatchObject({ code: 1, stderr: "" });
    expect(problems(ended)).toEqual([expect.stringMatching(/^error: wrangler\.toml:\d+: RATE_PER_MINUTE is "45"/)]);
  });

  it("hears which secrets and scopes its account lacks", async () => {
    cloudflare.secrets.splice(0);
    const tools = {
      "clock/tell.ts": TOOL('requirements: { secrets: ["API_KEY"], authorization: [{ id: "google" }] }'),
      "clock/wind.ts": TOOL('requirements: { secrets: [{ id: "OWN_KEY", from: "worker" }] }, scopes: ["clock:wind"]'),
      "clock/ask.ts": TOOL(
        'requirements: { secrets: [{ id: "THEIRS", from: "caller" }], authorization: [{ id: "OURS", from: "worker" }] }',
      ),
    };
    const ill = fork(tools, HEALTHY);
    const lacking = [
      expect.stringMatching(/^error: tools\/clock\/ask\.ts:2: Clock\.Ask requires OURS/),
      expect.stringMatching(/^error: tools\/clock\/wind\.ts:2: Clock\.Wind requires OWN_KEY/),
      expect.stringMatching(/^warning: tools\/clock\/tell\.ts:2: Clock\.Tell requires API_KEY/),
    ];
    const ended = await online(ill);
    expect(ended.code).toBe(1);
    expect(problems(ended)).toEqual([
      ...lacking,
      expect.stringMatching(
        /^warning: tools\/clock\/wind\.ts:2: Clock\.Wind demands clock:wind, and no key grants that/,
      ),
    ]);
    cloudflare.kept.clear();
    expect(problems(await online(ill))).toEqual([
      ...lacking,
      expect.stringMatching(/^warning: the account: there are no keys, and PUBLIC is not "true": no one can call/),
    ]);
  });
});

it("what ten tools lack on the account is said once, with three of them", async () => {
  cloudflare.secrets.splice(0);
  cloudflare.kept.clear();
  cloudflare.kept.set("key:bbbbbbbbbbbbbbbb", {
    value: "{}",
    metadata: { name: "bot", scopes: [], created: 1_700_000_000 },
  });
  const ten = Array.from({ length: 10 }, (_, at) => [
    `clock/tell${at}.ts`,
    TOOL('requirements: { secrets: [{ id: "OWN_KEY", from: "worker" }] }, scopes: ["clock:tell"]'),
  ]);
  expect(problems(await online(fork(Object.fromEntries(ten), HEALTHY)))).toEqual([
    expect.stringMatching(
      /^error: tools\/clock\/tell0\.ts:2: Clock\.Tell0, Clock\.Tell1, Clock\.Tell2 and 7 more require OWN_KEY, and the/,
    ),
    expect.stringMatching(
      /^warning: tools\/clock\/tell0\.ts:2: Clock\.Tell0, Clock\.Tell1, Clock\.Tell2 and 7 more demand clock:tell, and no/,
    ),
  ]);
});

describe("--submit", () => {
  const CLAUDE = "https://claude.com/docs/connectors/building/review-criteria";
  const CHATGPT = "https://developers.openai.com/apps-sdk/app-submission-guidelines";
  const submit = (tools: Record<string, string>, settings: string) =>
    doctor(fork(tools, settings), ["--no-account", "--submit"]);

  it("names what directories demand and a server lacks, each with the page that says so", async () => {
    const method = 'input: v.object({ method: v.pipe(v.picklist(["GET", "POST"]), v.description("How.")) })';
    const source = `import * as v from "valibot";\n${TOOL(`annotations: { readOnly: true }, ${method}`)}`;
    const settings = HEALTHY.replace('TOKENS = "true"\n', "");
    const ended = await submit({ "clock/tell.ts": source }, settings);
    expect(problems(ended)).toEqual([
      expect.stringMatching(/^warning: wrangler\.toml:\d+: callers need a key, and Claude's directory/),
      expect.stringMatching(/^warning: tools\/clock\/tell\.ts:3: it has no title/),
      expect.stringMatching(/: it does not say whether it is destructive, openWorld/),
      expect.stringMatching(/: it reads or writes, depending on a parameter/),
    ]);
    expect(ended.stdout.split(CLAUDE).length).toBeGreaterThan(3);
    expect(ended.stdout).toContain(CHATGPT);
    expect(ended.stdout).toContain("write destructive: true, openWorld: true, or false, in its annotations");
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("not checked: what directories want besides"),
    });
  });

  it("finds nothing in a server that has it all, and without it nothing is said of directories", async () => {
    const whole = 'title: "The time", annotations: { readOnly: true, destructive: false, openWorld: false }';
    expect(problems(await submit({ "clock/tell.ts": TOOL(whole) }, HEALTHY))).toEqual([]);
    expect((await doctor(fork({ "clock/tell.ts": TOOL("") }, HEALTHY), ["--no-account"])).stdout).not.toContain(
      "director",
    );
  });
});

describe("the migrations of a D1 database", () => {
  const settings = `${HEALTHY}\n[[d1_databases]]\nbinding = "DB"\ndatabase_name = "shop"\n`;
  const made = () => {
    const one = fork({ "clock/tell.ts": TOOL('env: ["DB"]') }, settings);
    for (const name of ["0001_orders", "0002_customers", "0003_index"]) {
      one.write(`migrations/${name}.sql`, "CREATE TABLE a (b);\n");
    }
    return one;
  };
  const found = async () => (await online(made())).stdout;

  it("that its account's database does not have are named, with the command", async () => {
    cloudflare.databases.set("shop", ["0001_orders.sql"]);
    const some = await found();
    expect(some).toContain(
      "warning: migrations/0002_customers.sql\n  problem: 2 migrations, beginning with this one, are not applied to DB",
    );
    expect(some).toContain("fix:     npx wrangler d1 migrations apply DB --remote\n");
    cloudflare.databases.set("shop", []);
    expect(await found()).toContain(
      "warning: migrations/0001_orders.sql\n  problem: 3 migrations, beginning with this one, are not applied",
    );
    cloudflare.databases.set("shop", ["0001_orders.sql", "0002_customers.sql"]);
    expect(await found()).toContain("0003_index.sql\n  problem: this migration is not applied to DB on the account");
    cloudflare.databases.set("shop", ["0001_orders.sql", "0002_customers.sql", "0003_index.sql"]);
    expect(await found()).not.toContain("migrations");
    cloudflare.databases.delete("shop");
    const none = await found();
    expect(none).toContain("are not applied to DB: the account has no such database yet");
    expect(none).toContain("fix:     npm run deploy, then npx wrangler d1 migrations apply DB --remote\n");
    expect(none).not.toContain("not checked");
  });

  it("are not checked without an account: says so", async () => {
    const { stdout } = await doctor(made(), []);
    expect(stdout).toMatch(/^not checked: secrets that tools require, migrations, keys and scopes\. /m);
  });
});

describe("variables, crons and misplaced lines", () => {
  const found = async (settings: string) => problems(await doctor(fork({}, settings), ["--no-account"]));
  const withVars = (...lines: string[]) => found(HEALTHY.replace("[vars]", ["[vars]", ...lines].join("\n")));
  const none = "warning: tools/: there are no tools";

  it("of which a deployment does not reach the host are warnings; passwords are not shown", async () => {
    const said = await withVars(
      'API_BASE = "http://127.0.0.1:3000/v1"',
      'PG = "postgres://ada:secret@LOCALHOST:5432/shop"',
      'INTRANET = "https://tickets.internal/api"',
      'HOST = "192.168.1.20:8080"',
      'NESTED = { urls = ["https://api.example.com", "http://0x7f.1/"] }',
      'FINE = "https://api.example.com, 1.2.3.4 and 10.0.1"',
    );
    const here = (name: string, host: string) =>
      expect.stringMatching(
        `^warning: wrangler\\.toml:\\d+: ${name} has ${host}, which is this machine: a deployment does`,
      );
    const inside = (name: string, host: string) =>
      expect.stringMatching(`^warning: wrangler\\.toml:\\d+: ${name} has ${host}, which is in a private network: a`);
    expect(said).toEqual([
      none,
      here("API_BASE", "127.0.0.1:3000"),
      here("PG", "localhost:5432"),
      inside("INTRANET", "tickets.internal"),
      inside("HOST", "192.168.1.20:8080"),
      here("NESTED", "127.0.0.1"),
    ]);
  });

  it("ALLOWED_HOSTS may name private hosts, and not this machine; ALLOWED_ORIGINS may", async () => {
    const replaced = (hosts: string) =>
      HEALTHY.replace(/^ALLOWED_(HOSTS|ORIGINS) = .*\n/gm, "").replace(
        "[vars]",
        `[vars]\nALLOWED_HOSTS = "${hosts}"\nALLOWED_ORIGINS = "http://localhost:5173"`,
      );
    expect(await found(replaced("10.0.0.5 intranet.example:8443"))).toEqual([none]);
    expect(await found(replaced("10.0.0.5 localhost:3000"))).toEqual([
      none,
      expect.stringMatching(/^warning: wrangler\.toml:\d+: ALLOWED_HOSTS has localhost:3000, which is this machine/),
    ]);
  });

  it("that discovery warns of are also found here: a cron that Cloudflare refuses is an error", async () => {
    const more = '[triggers]\ncrons = ["0 9 * *"]\n[[d1_database]]\nbinding = "DB"\nSERVER_TITLE = "x"\n';
    expect(await found(`${HEALTHY}\n${more}`)).toEqual([
      expect.stringMatching(/^error: wrangler\.toml:\d+: the cron "0 9 \* \*" has 4 fields: Cloudflare refuses it/),
      none,
      expect.stringMatching(/^warning: wrangler\.toml:\d+: d1_database is above the first \[table\], where wrangler/),
    ]);
  });
});

describe("the bindings of files", () => {
  const BUCKET = '[[r2_buckets]]\nbinding = "FILES"\n';
  const OBJECTS = '[[durable_objects.bindings]]\nname = "FILE_RECORDS"\nclass_name = "FileRecords"\n';
  const MIGRATION = '[[migrations]]\ntag = "files"\nnew_sqlite_classes = ["FileRecords"]\n';
  const TAKING = { "clock/tell.ts": TOOL("attachments: true") };
  const withLines = (lines: string) => `${HEALTHY}\n${lines}`;

  it("are missing, and a tool takes attachments: says so, with the lines to add", async () => {
    const ended = await doctor(fork(TAKING, HEALTHY), ["--no-account"]);
    expect(problems(ended)).toEqual([
      expect.stringMatching(
        /^warning: wrangler\.toml: tools take attachments, and the bindings FILES and FILE_RECORDS are missing: calls with/,
      ),
    ]);
    for (const line of (BUCKET + OBJECTS + MIGRATION).trim().split("\n")) expect(ended.stdout).toContain(line);
  });

  it("are missing in a copy: says so, and no line to add ends in words", async () => {
    const made = fork(TAKING, HEALTHY);
    expect(await runMain(copyMain, made, ["staging"])).toMatchObject({ code: 0 });
    const { stdout } = await doctor(made, ["--no-account", "--config", "wrangler.staging.jsonc"]);
    expect(stdout).toMatch(/new_sqlite_classes = \["FileRecords"\]\n +then run npm run copy again\n/);
  });

  it("are missing, and a migration makes the class of one: an error, though a tool takes attachments", async () => {
    const ended = await doctor(fork(TAKING, withLines(MIGRATION)), ["--no-account"]);
    expect(ended.stdout).toContain(
      "a migration makes the class FileRecords, which the Worker lacks without the binding",
    );
    const bucket = await doctor(fork(TAKING, withLines(BUCKET + MIGRATION)), ["--no-account"]);
    expect(bucket.stdout).not.toContain("a migration makes");
  });

  it("are there at the top, and not in the environment that is checked: says so", async () => {
    const top = withLines(BUCKET + OBJECTS + MIGRATION);
    expect((await doctor(fork(TAKING, top), ["--no-account"])).stdout).not.toContain("attachments");
    const staging = `${top}\n[env.staging.vars]\nPUBLIC = "false"\n`;
    const ended = await doctor(fork(TAKING, staging), ["--no-account", "--env", "staging"]);
    expect(ended.stdout).toContain("tools take attachments, and the bindings FILES and FILE_RECORDS are missing");
  });
});

it.each([
  ["OUTBOX", "Outbox"],
  ["SESSIONS", "Sessions"],
])(
  "the class of a migration for %s that is not bound is an error, because the Worker lacks it then",
  async (name, type) => {
    const migration = `[[migrations]]\ntag = "more"\nnew_sqlite_classes = ["${type}"]\n`;
    const binding = `[[durable_objects.bindings]]\nname = "${name}"\nclass_name = "${type}"\n`;
    const withLines = (lines: string) => `${HEALTHY}\n${lines}`;
    const unbound = await doctor(fork({}, withLines(migration)), ["--no-account"]);
    expect(problems(unbound)).toContainEqual(
      expect.stringMatching(
        new RegExp(`^error: wrangler\\.toml(:\\d+)?: a migration makes the class ${type}, which the Worker lacks`),
      ),
    );
    const bound = await doctor(fork({}, withLines(binding + migration)), ["--no-account"]);
    expect(bound.stdout).not.toContain("a migration makes");
    const deleted = `${migration}[[migrations]]\ntag = "less"\ndeleted_classes = ["${type}"]\n`;
    expect((await doctor(fork({}, withLines(deleted)), ["--no-account"])).stdout).not.toContain("a migration makes");
  },
);

describe("the workflow of long tools", () => {
  const LONG = { "clock/tell.ts": TOOL("long: true") };
  const top = HEALTHY + WORKFLOW;

  it("that is missing is an error, with the lines to add", async () => {
    const ended = await doctor(fork(LONG, HEALTHY), ["--no-account"]);
    expect(problems(ended)).toEqual([
      expect.stringMatching(/^error: tools\/clock\/tell\.ts:2: it is long, and wrangler\.toml lacks what runs it/),
    ]);
    expect(ended.stdout).toContain('           [[workflows]]\n           name = "acme-long"\n');
  });

  it("that has upstream's name is a warning: an account has each name once", async () => {
    const ended = await doctor(fork(LONG, top), ["--no-account"]);
    expect(problems(ended)).toEqual([
      `warning: ${at(top, 'name = "trivet-long"', "wrangler.toml")}: the workflow is still called "trivet-long"`,
    ]);
    expect(ended.stdout).toContain('fix:     write name = "acme-long"');
  });

  it("that no tool needs is a warning", async () => {
    const unused = top.replace("trivet-long", "acme-long");
    const ended = await doctor(fork({ "clock/tell.ts": TOOL("") }, unused), ["--no-account"]);
    expect(problems(ended)).toEqual([
      `warning: ${at(unused, 'binding = "LONG"', "wrangler.toml")}: there is the workflow LONG, and no tool is long: the Worker is larger for nothing`,
    ]);
  });

  it("that an environment or a copy lacks is an error there", async () => {
    const settings = `${top.replace("trivet-long", "acme-long")}\n[env.staging.vars]\nPUBLIC = "true"\n`;
    const ended = await doctor(fork(LONG, settings), ["--no-account", "--env", "staging"]);
    expect(problems(ended)).toContainEqual(
      expect.stringMatching(
        /^error: tools\/clock\/tell\.ts:2: .* lacks what runs it: the workflow LONG in \[env\.staging\]/,
      ),
    );
    const made = fork(LONG, top);
    expect(await runMain(copyMain, made, ["staging"])).toMatchObject({ code: 0 });
    const path = join(made.root, "wrangler.staging.jsonc");
    const { workflows, ...rest } = JSON.parse(readFileSync(path, "utf8").replace(/^\s*\/\/.*$/gm, ""));
    expect(workflows).toHaveLength(1);
    made.write("wrangler.staging.jsonc", JSON.stringify(rest));
    const copied = await doctor(made, ["--no-account", "--config", "wrangler.staging.jsonc"]);
    expect(problems(copied)).toEqual([
      "error: wrangler.staging.jsonc: the binding LONG is missing: calls of long tools end with their requests",
    ]);
  });

  it("is another in a copy", async () => {
    const made = fork(LONG, top);
    expect(await runMain(copyMain, made, ["staging"])).toMatchObject({ code: 0 });
    const copy = readFileSync(join(made.root, "wrangler.staging.jsonc"), "utf8");
    expect(copy).toContain('"name": "trivet-long-staging"');
    const ended = await doctor(made, ["--no-account", "--config", "wrangler.staging.jsonc"]);
    expect(problems(ended)).toEqual([]);
  });
});

describe("tokens", () => {
  const TOKENS = 'TOKENS = "true"\n';

  it("that the account has a secret for are refused without a line in wrangler.toml: an error, and keys are checked", async () => {
    cloudflare.secrets.splice(0, cloudflare.secrets.length, "JWT_SECRET");
    cloudflare.kept.clear();
    const before = fork({ "clock/tell.ts": TOOL("") }, HEALTHY.replace(TOKENS, "# $&"));
    const ended = await online(before);
    expect(ended.code).toBe(1);
    expect(problems(ended)).toEqual([
      expect.stringMatching(
        /^error: wrangler\.toml:\d+: the account has the secret JWT_SECRET, but .* every token gets 401$/,
      ),
      expect.stringMatching(/^warning: the account: there are no keys/),
    ]);
    expect(ended.stdout).toContain(
      'fix:     write TOKENS = "true" under [vars]; or, to refuse tokens: npx wrangler secret',
    );
    before.write("wrangler.toml", HEALTHY);
    expect(problems(await online(before))).toEqual([]);
  });
});

it("checks the copy that --config names, and its Worker", async () => {
  const made = fork({ "clock/tell.ts": TOOL("") }, HEALTHY.replace("PUBLIC", 'LOCAL = "true"\nPUBLIC'));
  expect(await runMain(copyMain, made, ["staging"])).toMatchObject({ code: 0 });
  const staging = await startCloudflare("acme-staging");
  try {
    const ended = await online(made, ["--config", "wrangler.staging.jsonc"], staging);
    const lines = readFileSync(join(made.root, "wrangler.staging.jsonc"), "utf8");
    expect(problems(ended)).toEqual([
      expect.stringMatching(`^error: ${at(lines, '    "LOCAL": "true",', "wrangler\\.staging\\.jsonc")}: LOCAL`),
      expect.stringMatching(/^warning: the account: there are no keys/),
    ]);
    expect(ended.stdout).not.toContain("not checked");
    expect(ended.stdout).toContain("fix:     in wrangler.toml, remove it; then run npm run copy again");
    expect(ended.stdout).toContain("npm run keys -- create NAME --remote --config wrangler.staging.jsonc\n");
    expect(staging.requests).toContain("GET /workers/scripts/acme-staging/secrets");
  } finally {
    staging.close();
  }
});

it("says what --config does not change", async () => {
  const { code, stdout } = await doctor(fork({}, HEALTHY), ["--help"]);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/--config FILE .*Tools and values are checked in\s+the settings file/),
  ]);
});

it("hears of an option that npm took", async () => {
  const made = fork({}, HEALTHY);
  const ended = await doctor(made, [], { npm_config_account: "" });
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toContain("npm kept --no-account for itself: write `npm run doctor -- --no-account`");
});

describe("a fork with wrangler.jsonc", () => {
  const jsonFork = (tools: Record<string, string>, settings: string) => {
    const made = fork(tools, settings);
    moveToJson(made.root);
    return made;
  };

  it("that is healthy has no findings", async () => {
    const ended = await doctor(jsonFork({ "clock/tell.ts": TOOL("") }, HEALTHY), ["--no-account"]);
    expect([problems(ended), ended.code]).toEqual([[], 0]);
  });

  it("that is ill gets findings with lines of that file, and what to write as JSON", async () => {
    const settings = testSettings({ closed: true })
      .replace(/^compatibility_date = .*$/m, 'compatibility_date = "2025-01-01"')
      .replace('binding = "KV"', 'binding = "STORE"')
      .replace('name = "CLAIMS"', 'name = "OTHER"')
      .replace('name = "RATE_60"', 'name = "RATE_61"')
      .replace("[vars]", '[vars]\nSIGNING_KEY = "k"')
      .replace(/^\[build\]\n.*\n/m, "[build]\n")
      .replace(/^\[\[rules\]\]\n(.+\n)*/m, "");
    const made = jsonFork({ "clock/tell.ts": TOOL("attachments: true") }, settings);
    const ended = await doctor(made, ["--no-account"]);
    const text = made.read("wrangler.jsonc");
    const line = (written: string) =>
      `wrangler\\.jsonc:${text.split("\n").findIndex((one) => one.includes(written)) + 1}: `;
    expect(problems(ended)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(`^error: ${line('"compatibility_date"')}its compatibility_date is 2025-01-01`),
        expect.stringMatching(`^error: ${line('"SIGNING_KEY"')}SIGNING_KEY is a secret`),
        expect.stringMatching(`^warning: ${line('"name": "trivet"')}the Worker is still called`),
        expect.stringMatching(/^error: wrangler\.jsonc: "build" has no command/),
        expect.stringMatching(/^error: wrangler\.jsonc: the binding KV is missing/),
        expect.stringMatching(/^warning: wrangler\.jsonc: tools take attachments/),
      ]),
    );
    for (const written of [
      '"kv_namespaces": [',
      'write "compatibility_date": "2026-10-01", or later',
      'write "command": "npm run --silent discover" under "build"',
      'add an element of "rules" with "type": "Text"',
      'add an element of "ratelimits" with "name": "RATE_60"',
      '"class_name": "FileRecords"',
      'write "DOCUMENTS": "true" or "false" under "vars"',
    ]) {
      expect(ended.stdout).toContain(written);
    }
    expect(ended.stdout).not.toMatch(/wrangler\.toml|\[\w|\w = /);
  });

  it("has copies made of it, whose findings are corrected there", async () => {
    const made = jsonFork({ "clock/tell.ts": TOOL("") }, HEALTHY.replace("PUBLIC", 'LOCAL = "true"\nPUBLIC'));
    expect(await runMain(copyMain, made, ["staging"])).toMatchObject({ code: 0 });
    expect(made.read("wrangler.staging.jsonc")).toContain("change wrangler.jsonc instead.\n");
    const { stdout } = await doctor(made, ["--no-account", "--config", "wrangler.staging.jsonc"]);
    expect(stdout).toContain("fix:     in wrangler.jsonc, remove it; then run npm run copy again");
    // It is its own to replace.
    expect(await runMain(copyMain, made, ["staging"])).toMatchObject({ code: 0 });
    const refused = await runMain(copyMain, made, ["staging", "--share", "NOTHING"]);
    expect(refused.stderr).toContain('wrangler.jsonc has no "NOTHING" to share');
  });
});

it("a copy from before SIGN_IN and TOKENS, whose aliases do nothing any more, is an error", async () => {
  const made = fork({ "clock/tell.ts": TOOL("") }, HEALTHY);
  expect(await runMain(copyMain, made, ["staging"])).toMatchObject({ code: 0 });
  const now = made.read("wrangler.staging.jsonc");
  const old = now
    .replace('    "TOKENS": "true",\n', "")
    .replace(/\n}\n$/, ',\n  "alias": { "#tokens": "./src/features/tokens/jwt.ts" }\n}\n');
  made.write("wrangler.staging.jsonc", old);
  const ended = await doctor(made, ["--no-account", "--config", "wrangler.staging.jsonc"]);
  expect(problems(ended)).toEqual([
    expect.stringMatching(/^error: wrangler\.staging\.jsonc:\d+: "#tokens" in \[alias\] has no effect any more/),
  ]);
});

describe("size", () => {
  it("an upload that Cloudflare refuses is an error, a large one a warning", () => {
    expect([...tooLarge(200, 60)]).toEqual([]);
    expect([...tooLarge(20_000, 4_000)]).toMatchObject([{ level: "warning" }]);
    expect([...tooLarge(70_000, 2_000)]).toMatchObject([{ level: "error" }]);
  });
});
