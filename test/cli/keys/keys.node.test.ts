/** `npm run keys` as an owner runs it: on this machine, and for a deployment on a simulated Cloudflare API. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main as copy } from "../../../src/cli/copy/make-copy.ts";
import { main } from "../../../src/cli/keys/manage-keys.ts";
import { type Cloudflare, startCloudflare, TOKEN } from "../../support/node/cloudflare.ts";
import { type Fork, makeFork, moveToJson } from "../../support/node/fork.ts";
import { mayStart } from "../../support/node/processes.ts";
import { tool } from "../../support/node/project.ts";
import { environmentOf, runMain, runProgram } from "../../support/node/script.ts";
import { wranglerHere } from "../../support/node/wrangler.ts";
import { isSlow } from "../../support/tier.ts";

// The command, and once by npm.
mayStart(2);

const SETTINGS = `name = "keys"
compatibility_date = "2026-10-01"
send_metrics = false
[[kv_namespaces]]
binding = "KV"
[[ratelimits]]
name = "RATE_60"
namespace_id = "1"
simple = { limit = 60, period = 60 }
`;
const TEXT = /^trivet_([0-9a-z]{16})_[\w-]{43}$/;

let fork: Fork;
let cloudflare: Cloudflare;
beforeAll(async () => {
  const tool = "export default 1;";
  fork = makeFork({ "first/a.ts": tool, "second/b.ts": tool, "_helpers/c.ts": tool }, { copied: true });
  fork.write("wrangler.toml", SETTINGS);
  cloudflare = await startCloudflare("keys");
});
afterAll(() => {
  cloudflare.close();
  fork.remove();
});

const keys = (args: readonly string[], env: Record<string, string> = {}, { root } = fork) =>
  runMain(main, { root }, args, { env, node: wranglerHere(env) });

/** Runs a program in the fork. */
const run = (command: string, args: readonly string[]) => runProgram(fork, command, args, environmentOf(fork));
/** The command as a process. It starts wrangler as another one, which takes seconds. */
const spawned = (args: readonly string[]) => run(process.execPath, ["src/cli/keys.ts", ...args]);

/** The variables of a login to the simulated API. */
const ACCOUNT = ({ url } = cloudflare) => ({
  CLOUDFLARE_API_BASE_URL: url,
  CLOUDFLARE_API_TOKEN: TOKEN,
  CLOUDFLARE_ACCOUNT_ID: "an-account",
});

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

it("knows a fork whose settings are in wrangler.jsonc", async () => {
  const other = makeFork({}, { settings: SETTINGS });
  moveToJson(other.root);
  const made = await keys(["create", "bot", "--rate", "60"], {}, other);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^trivet_/) });
  const { stderr } = await keys(["create", "bot", "--rate", "45"], {}, other);
  expect(stderr).toContain(
    'wrangler.jsonc has limiters for 60; for 45, add an element of "ratelimits" with "name": "RATE_45"',
  );
  other.remove();
});

describe("on this machine", () => {
  it("a key is created, listed and revoked, and its text is stored nowhere", async () => {
    const state = ["--persist-to", "keys-state"];
    const terms = ["--toolkits", "first,second", "--scopes", "x:read", "--expires", "30d", "--rate", "60"];
    const before = Math.floor(Date.now() / 1_000);
    const made = await (isSlow ? spawned : keys)(["create", "my bot", ...terms, ...state]);
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const [text = ""] = made.stdout.split("\n");
    const [, id = ""] = TEXT.exec(text) ?? [];
    expect(text).toMatch(TEXT);
    for (const said of [
      "first, second",
      "x:read",
      "60 times",
      "OXP-API-Key",
      "X-Agent-API-Key",
      "Bearer",
      "--remote",
    ]) {
      expect(made.stdout).toContain(said);
    }
    // Only once.
    expect(made.stdout.split(text)).toHaveLength(2);

    const wrangler = join(fork.root, "node_modules/wrangler/bin/wrangler.js");
    const where = [`--config=${join(fork.root, "wrangler.toml")}`, `--persist-to=${join(fork.root, "keys-state")}`];
    const get = [wrangler, "kv", "key", "get", `key:${id}`, "--binding=KV", "--local", "--text", ...where];
    const record = JSON.parse((await wranglerHere()(get, { cwd: fork.root })).stdout);
    expect(record).toEqual({
      name: "my bot",
      hash: sha256(text),
      toolkits: ["first", "second"],
      scopes: ["x:read"],
      rate: 60,
      created: expect.any(Number),
      expires: record.created + 30 * 86_400,
    });
    expect(record.created).toBeGreaterThanOrEqual(before);
    expect(record.created).toBeLessThanOrEqual(Date.now() / 1_000);

    const files = readdirSync(join(fork.root, "keys-state"), { withFileTypes: true, recursive: true });
    const bytes = files.filter((file) => file.isFile()).map((file) => readFileSync(join(file.parentPath, file.name)));
    expect(bytes.some((file) => file.includes(sha256(text)))).toBe(true);
    expect(bytes.some((file) => file.includes(text) || file.includes(text.slice(-43)))).toBe(false);

    const listed = await keys(["list", ...state]);
    expect(listed.stdout).toMatch(new RegExp(`^${id}  my bot  first,second  x:read  60 `, "m"));
    expect(listed.stdout).not.toContain(record.hash);

    const revoked = await keys(["revoke", "my bot", ...state]);
    expect(revoked).toEqual({ code: 0, stderr: "", stdout: expect.stringMatching(`${id}.*two minutes`) });
    const empty = await keys(["list", ...state]);
    expect(empty).toEqual({ code: 0, stderr: "", stdout: expect.stringContaining("npm run keys -- create NAME") });
  });
});

describe("what may be a slip of the owner's", () => {
  let scoped: Fork;
  beforeAll(() => {
    scoped = makeFork({ "sms/send.ts": tool({ scopes: '["sms:send"]' }) });
    scoped.write("wrangler.toml", SETTINGS.replace("[[kv", '[vars]\nOAUTH_SCOPES = "login"\n[[kv'));
    cloudflare.kept.clear();
  });
  afterAll(() => scoped.remove());
  const create = (...args: string[]) => keys(["create", "bot", ...args, "--remote"], ACCOUNT(), scoped);

  it("a scope that no tool demands and a name that another key has: a script is warned, and gets its key", async () => {
    const first = await create("--scopes", "sms:send,login");
    expect(first).toMatchObject({ code: 0, stderr: "" });
    const second = await create("--scopes", "sms:sned");
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(/^trivet_/);
    const [, id] = /\((\w{16})\)/.exec(first.stdout) ?? [];
    expect(second.stderr.split("\n")).toEqual([
      'Warning: --scopes: no tool demands "sms:sned"; the scopes in use are login, sms:send. (--yes hides this.)',
      `Warning: There is already a key with the name "bot" (${id}): either can only be revoked by its id. (--yes hides this.)`,
      "",
    ]);
    expect(await create("--scopes", "sms:sned", "--yes")).toMatchObject({ code: 0, stderr: "" });
    expect(cloudflare.kept.size).toBe(3);
  });
});

describe("for the deployment", () => {
  const remote = (...args: string[]) => keys([...args, "--remote"], ACCOUNT());

  it("a key goes to the namespace that the deployed Worker is bound to, with its expiry and what list shows", async () => {
    cloudflare.kept.clear();
    cloudflare.requests.splice(0);
    const made = await remote("create", "bot", "--scopes", "*", "--expires", "2999-01-01");
    expect(made).toMatchObject({ code: 0, stderr: "" });
    const [text = ""] = made.stdout.split("\n");
    const [, id = ""] = TEXT.exec(text) ?? [];
    expect(made.stdout).not.toContain("npm start");
    expect([...cloudflare.kept.keys()]).toEqual([`key:${id}`]);
    const kept = cloudflare.kept.get(`key:${id}`);
    const { hash, ...terms } = JSON.parse(kept?.value ?? "");
    expect(hash).toBe(sha256(text));
    expect(terms).toEqual({ name: "bot", scopes: ["*"], created: expect.any(Number), expires: 32_472_144_000 });
    expect(kept).toMatchObject({ metadata: terms, expiration: 32_472_144_000 });
    expect(cloudflare.requests.map((line) => line.replace(/[0-9a-f]{32}/, "…"))).toEqual([
      // Is there a key of that name?
      "GET /workers/scripts/keys/settings",
      "GET /storage/kv/namespaces/…/keys",
      "GET /workers/scripts/keys/settings",
      `PUT /storage/kv/namespaces/…/values/key%3A${id}`,
    ]);
    expect(JSON.parse((await remote("list", "--json")).stdout)).toEqual([{ id, ...terms }]);
  });

  it("list marks expired keys; revoke accepts an id, a key's text, or a name that only one key has", async () => {
    cloudflare.kept.clear();
    const terms = (name: string, expires?: number) => ({ name, scopes: [], created: 1_700_000_000, expires });
    const ids = ["aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"];
    for (const id of ids) cloudflare.kept.set(`key:${id}`, { value: "{}", metadata: terms("twin") });
    cloudflare.kept.set("key:dddddddddddddddd", { value: "{}", metadata: terms("old", 1_700_000_001) });
    cloudflare.kept.set("call:other", { value: "{}", metadata: terms("not a key") });

    const { stdout } = await remote("list");
    expect(stdout.match(/expired/g)).toHaveLength(1);
    expect(stdout).toMatch(/^dddddddddddddddd {2}old .*\(expired\)/m);
    expect(stdout).not.toContain("not a key");

    const ambiguous = await remote("revoke", "twin");
    expect(ambiguous).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(new RegExp(ids.join(" or "))) });
    expect(cloudflare.kept.size).toBe(4);
    expect(await remote("revoke", "bbbbbbbbbbbbbbbb")).toMatchObject({ code: 0 });
    expect(await remote("revoke", "twin")).toMatchObject({ code: 0 });
    expect(await remote("revoke", "twin")).toMatchObject({ code: 1, stderr: expect.stringContaining("No key has") });
    // Someone who found a leaked key has its text.
    expect(await remote("revoke", `trivet_dddddddddddddddd_${"x".repeat(43)}`)).toMatchObject({ code: 0 });
    expect([...cloudflare.kept.keys()]).toEqual(["call:other"]);
  });

  it("a key of a copy goes to the copy's Worker, and not to the original's", async () => {
    expect(await runMain(copy, fork, ["staging"])).toMatchObject({ code: 0 });
    const staging = await startCloudflare("keys-staging");
    try {
      const config = ["--remote", "--config", "wrangler.staging.jsonc"];
      const made = await keys(["create", "tester", ...config], ACCOUNT(staging));
      expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^trivet_/) });
      expect(staging.requests).toContain("GET /workers/scripts/keys-staging/settings");
      expect([...staging.kept.keys()]).toEqual([expect.stringMatching(/^key:/)]);
    } finally {
      staging.close();
    }
  });

  it.runIf(isSlow)("without a login, one sentence says what to do", async () => {
    const none = await spawned(["list", "--remote"]);
    expect(none).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(/^[^\n]*npx wrangler login[^\n]*\n$/) });
  });

  it("if wrangler fails, one sentence says what to do", async () => {
    const wrong = await keys(["list", "--remote"], { ...ACCOUNT(), CLOUDFLARE_API_TOKEN: "wrong" });
    expect(wrong).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(/^[^\n]*npx wrangler login[^\n]*\n$/) });

    fork.write("undeployed.toml", SETTINGS.replace('"keys"', '"undeployed"'));
    const undeployed = await remote("create", "bot", "-c", "undeployed.toml");
    expect(undeployed).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^[^\n]*npm run deploy[^\n]*\n$/),
    });
  });
});

describe("a mistake is one sentence on stderr, before wrangler is started", () => {
  it.each([
    [["frobnicate"], /no command "frobnicate"/],
    [["create"], /needs the NAME/],
    [["create", ""], /NAME/],
    [["create", "a", "b"], /one NAME/],
    [["create", "a\u0007"], /printable/],
    [["create", "a", "--toolkits", "third"], /"third".* it has first, second\./],
    [["create", "a", "--scopes", 'x"y'], /--scopes/],
    [["create", "a", "--expires", "soon"], /--expires/],
    [["create", "a", "--rate", "45"], /limiters for 60;.*RATE_45/],
    [["create", "a", "--rate"], /--rate/],
    [["create", "a", "--json"], /takes no --json/],
    [["create", "a", "--remote", "--persist-to", "x"], /--persist-to/],
    [["list", "a"], /takes no name/],
    [["list", "--frobnicate"], /Unknown option '--frobnicate'/],
    [["revoke"], /ID or NAME/],
  ])("%j", async (args, sentence) => {
    const { code, stdout, stderr } = await keys(args);
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(sentence) });
  });

  it.each([
    ["remote", "true", "npm run keys -- create a --remote`"],
    ["toolkits", "first", "npm run keys -- create a --toolkits …`"],
    ["persist_to", "state", "npm run keys -- create a --persist-to …`"],
    ["toolkit", "first", "npm run keys -- create a --toolkits …`"],
    ["tools", "first", "npm run keys -- create a --toolkits …`"],
    ["expire", "1d", "npm run keys -- create a --expires …`"],
    ["scope", "x:read", "npm run keys -- create a --scopes …`"],
    ["env", "staging", "npm run keys -- create a --env …`"],
    ["config", "other.toml", "npm run keys -- create a --config …`"],
  ])("so is an option that npm consumed, misspelt or not: --%s", async (name, value, command) => {
    const { code, stdout, stderr } = await keys(["create", "a"], { [`npm_config_${name}`]: value });
    const sentence = `npm kept --${name.replace("_", "-")} for itself: write \`${command}`;
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(sentence) });
  });

  it.runIf(isSlow)("also if `npm run` consumes the options, for lack of `--` before them", async () => {
    const npm = ["run", "--silent", "keys", "create", "my bot", "--toolkit=first"];
    const { code, stdout, stderr } = await run("npm", npm);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain('write `npm run keys -- create "my bot" --toolkits …`');
  });

  it("npm's own settings are not mistakes: its package scope, its registry", async () => {
    const own = { npm_config_scope: "@acme", npm_config_registry: "https://npm.example", npm_config_json: "true" };
    expect(await keys(["--help"], own)).toMatchObject({ code: 0, stderr: "" });
  });

  it("also as a process", async () => {
    expect(await spawned(["frobnicate"])).toEqual({
      code: 1,
      stdout: "",
      stderr: 'There is no command "frobnicate": see `npm run keys -- --help`.\n',
    });
  });

  it.each([[[]], [["--help"]], [["create", "-h"]]])("help is none: %j", async (args) => {
    expect(await keys(args)).toEqual({ code: 0, stderr: "", stdout: expect.stringContaining("--expires 30d") });
  });
});
