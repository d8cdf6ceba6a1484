/** `npm run copy` in forks with every kind of binding: what the copy has of its own, and what it is refused. */

import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { type Fork, makeFork, testSettings } from "../../support/node/fork.ts";
import { spawnSync } from "../../support/node/processes.ts";

const SETTINGS = testSettings({ closed: true }).replaceAll('"trivet"', '"acme"');
/** What a copy can have of its own; Cloudflare would share each of them between Workers with the same words. */
const SEPARABLE = `
[triggers]
crons = ["0 * * * *"]
[[r2_buckets]]
binding = "FILES"
bucket_name = "files"
preview_bucket_name = "files-dev"
[[d1_databases]]
binding = "DB"
database_name = "orders"
database_id = "11111111-2222-3333-4444-555555555555"
migrations_dir = "data/migrations"
[[kv_namespaces]]
binding = "CACHE"
id = "0f2ac74b498b48028cb68387c421e279"
[[vectorize]]
binding = "DOCS"
index_name = "docs"
[[queues.producers]]
binding = "JOBS"
queue = "jobs"
[[queues.consumers]]
queue = "jobs"
dead_letter_queue = "jobs-dead"
[[workflows]]
binding = "FLOW"
name = "flow"
class_name = "Flow"
schedules = "0 * * * *"
[[analytics_engine_datasets]]
binding = "USAGE"
[[services]]
binding = "SELF"
service = "acme"
environment = "production"
[observability.logs]
enabled = true
destinations = ["sink"]
[ai]
binding = "AI"
[env.production]
workers_dev = false
`;

let fork: Fork;
beforeAll(() => {
  fork = makeFork({});
});
afterAll(() => fork.remove());

/** Runs the script in the fork, whose wrangler.toml has these lines besides those of a healthy one. */
function copy(args: readonly string[], tables = "", top = "", env: Record<string, string> = {}, settings = SETTINGS) {
  fork.write("wrangler.toml", top + settings + tables);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["src/cli/copy.ts", ...args], {
    cwd: fork.root,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}
/** What follows this title in what the script says. */
const wordsOf = (title: string, stdout: string) =>
  new RegExp(`^${title}: (.*)\\.$`, "m").exec(stdout)?.[1]?.split(", ") ?? [];
const read = (file: string) => unstable_readConfig({ config: join(fork.root, file) });

describe("a copy", () => {
  it("has resources of its own, and says which", () => {
    const routes =
      'logpush = true\nworkers_dev = false\nroutes = [{ pattern = "tools.example.com", custom_domain = true }]\n';
    const { status, stdout, stderr } = copy(["staging"], SEPARABLE, routes);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^Wrote wrangler\.staging\.jsonc: the Worker acme-staging\.$/m);
    const own = wordsOf("Its own", stdout);
    expect(own).toEqual(expect.arrayContaining(["secrets", "keys", "durable_objects", "ratelimits RATE_60"]));
    expect(own).toEqual(expect.arrayContaining(["r2_buckets FILES", "d1_databases DB", "kv_namespaces CACHE"]));
    const leftOut = ["routes", "triggers", "env", "logpush", "workflows.schedules", "observability.logs.destinations"];
    expect(wordsOf("Left out", stdout)).toEqual(expect.arrayContaining(leftOut));
    expect(stdout).toContain("npx wrangler vectorize create docs-staging");
    expect(stdout).toContain("npx wrangler queues create jobs-dead-staging");
    expect(stdout).not.toContain("queues create jobs-staging");
    const original = read("wrangler.toml");
    const made = read("wrangler.staging.jsonc");
    expect(made).toMatchObject({
      name: "acme-staging",
      main: original.main,
      alias: original.alias,
      vars: original.vars,
      migrations: original.migrations,
      durable_objects: original.durable_objects,
      r2_buckets: [{ binding: "FILES", bucket_name: "files-staging" }],
      kv_namespaces: [{ binding: "KV" }, { binding: "CACHE" }],
      vectorize: [{ index_name: "docs-staging" }],
      queues: {
        producers: [{ binding: "JOBS", queue: "jobs-staging" }],
        consumers: [{ queue: "jobs-staging", dead_letter_queue: "jobs-dead-staging" }],
      },
      workflows: [{ name: "flow-staging" }],
      analytics_engine_datasets: [{ binding: "USAGE", dataset: "USAGE_staging" }],
      services: [{ binding: "SELF", service: "acme-staging" }],
      observability: { logs: { enabled: true } },
      ai: { binding: "AI" },
      triggers: { crons: undefined },
    });
    expect(made.d1_databases[0]).toMatchObject({ database_name: "orders-staging", migrations_dir: "data/migrations" });
    expect([made.routes, made.workers_dev, made.definedEnvironments]).toEqual([undefined, undefined, []]);
    const text = readFileSync(join(fork.root, "wrangler.staging.jsonc"), "utf8");
    for (const id of ["0f2ac74b", "11111111", "files-dev", "schedules", "sink", "production", "logpush"])
      expect(text).not.toContain(id);
    const ids = ({ ratelimits }: typeof made) => ratelimits.map((one: { namespace_id: string }) => one.namespace_id);
    expect(new Set([...ids(original), ...ids(made)]).size).toBe(2 * ids(original).length);
    for (const id of ids(made)) expect(id).toMatch(/^[1-9]\d*$/);
  });

  it("is what wrangler deploys", () => {
    // No tool of this fork has a class Flow.
    copy(["staging"], SEPARABLE.replace(/\[\[workflows\]\][^[]*/, ""));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["node_modules/wrangler/bin/wrangler.js", "deploy", "--dry-run", "--config", "wrangler.staging.jsonc"],
      { cwd: fork.root, encoding: "utf8" },
    );
    expect(stdout, stderr).toMatch(/env\.DB.*orders-staging/);
    expect(stdout).toMatch(/env\.FILES.*files-staging/);
    expect(status).toBe(0);
  });

  it("may be made again, under two names at once, but never over another's file", () => {
    expect(copy(["staging"]).status).toBe(0);
    expect(copy(["preview"]).status).toBe(0);
    const [first, second] = [read("wrangler.staging.jsonc"), read("wrangler.preview.jsonc")];
    expect(first.ratelimits[0]?.namespace_id).not.toBe(second.ratelimits[0]?.namespace_id);
    fork.write("wrangler.mine.jsonc", "{}\n");
    mkdirSync(join(fork.root, "wrangler.folder.jsonc"));
    symlinkSync("elsewhere", join(fork.root, "wrangler.link.jsonc"));
    for (const name of ["mine", "folder", "link"]) {
      const stderr = expect.stringMatching(/^wrangler\.\w+\.jsonc exists, and `npm run copy` did not make it/);
      expect(copy([name]), name).toMatchObject({ status: 1, stderr });
    }
    expect(readFileSync(join(fork.root, "wrangler.mine.jsonc"), "utf8")).toBe("{}\n");
    expect(existsSync(join(fork.root, "elsewhere"))).toBe(false);
  });

  // It is at workers.dev, where nothing guards it.
  it.each([
    ["is closed if the original is only behind its routes", 'route = "tools.example.com/*"\n', "false"],
    ["is closed if the original has no address", "workers_dev = false\n", "false"],
    ["is as open as an original that is at workers.dev", 'workers_dev = true\nroute = "tools.example.com/*"\n', "true"],
    ["is as open as an original without routes", "", "true"],
  ])("%s", (_, top, isPublic) => {
    const settings = SETTINGS.replace('PUBLIC = "false"', 'PUBLIC = "true"\nLOCAL = "true"');
    const { status, stdout } = copy(["staging"], "", top, {}, settings);
    expect(status).toBe(0);
    expect(read("wrangler.staging.jsonc").vars).toMatchObject({
      SERVER_NAME: "acme",
      PUBLIC: isPublic,
      LOCAL: isPublic,
    });
    expect(stdout.includes('PUBLIC is "false" in the copy')).toBe(isPublic === "false");
    expect(stdout.includes("Cloudflare Access")).toBe(isPublic === "false");
  });
});

/** The line of wrangler.toml with this text. The first line is 1. */
const lineOf = (text: string, words: string) => text.split("\n").indexOf(words) + 1;

describe("what production has already", () => {
  it("is never what the copy would get: neither its names nor its Workflows, objects and Workers", () => {
    const tables = `
[[r2_buckets]]
binding = "FILES"
bucket_name = "shop"
[[r2_buckets]]
binding = "OLD"
bucket_name = "shop-staging"
[[r2_buckets]]
binding = "WIDE"
bucket_name = "${"x".repeat(60)}"
[[d1_databases]]
binding = "DB"
database_name = "orders"
[[queues.producers]]
binding = "JOBS"
queue = "jobs"
[[queues.consumers]]
queue = "jobs"
dead_letter_queue = "dead"
[[queues.consumers]]
queue = "dead-staging"
[[workflows]]
binding = "FLOW"
name = "flow"
class_name = "Flow"
[[workflows]]
binding = "LONG"
name = "${"x".repeat(60)}"
class_name = "Flow"
[[vectorize]]
binding = "DOCS"
index_name = "docs"
transfer_from = "other"
[[analytics_engine_datasets]]
binding = "USAGE"
[[migrations]]
tag = "v9"
# transferred_classes
[[migrations.transferred_classes]]
from = "Store"
from_script = "acme"
to = "Store"
[env.staging]
workers_dev = false
[[env.live.d1_databases]]
binding = "DB"
database_name = "orders-staging"
database_id = "11111111-2222-3333-4444-555555555555"
[env.live.queues]
producers = [{ binding = "JOBS", queue = "jobs-staging" }]
[[env.live.workflows]]
binding = "FLOW"
name = "flow-staging"
class_name = "Flow"
[[env.live.vectorize]]
binding = "DOCS"
index_name = "docs-staging"
[[env.live.analytics_engine_datasets]]
binding = "NUMBERS"
dataset = "USAGE_staging"
`;
    const { status, stderr } = copy(["staging", "--share", "OLD"], tables);
    expect(status).toBe(1);
    const text = SETTINGS + tables;
    for (const [line, problem] of [
      ['binding = "FILES"', "FILES (r2_buckets) would get the name shop-staging, which this file has already"],
      ['binding = "WIDE"', `WIDE (r2_buckets) would get the name ${"x".repeat(60)}-staging, which is longer than 63`],
      ['binding = "DB"', "DB (d1_databases) would get the name orders-staging, which"],
      ['binding = "JOBS"', "JOBS (queues.producers) would get the name jobs-staging, which"],
      ['queue = "jobs"', "jobs (queues.consumers) would get the name dead-staging, which"],
      ['binding = "FLOW"', "FLOW (workflows) would get the name flow-staging, which"],
      ['binding = "LONG"', `LONG (workflows) would get the name ${"x".repeat(60)}-staging, which is longer than 63`],
      ['binding = "DOCS"', "DOCS (vectorize) would get the name docs-staging, which"],
      ['binding = "USAGE"', "USAGE (analytics_engine_datasets) would get the name USAGE_staging, which"],
      ['transfer_from = "other"', "DOCS (vectorize) has transfer_from"],
      ["[[migrations.transferred_classes]]", "v9 (migrations) has transferred_classes"],
      ['name = "acme"', "acme-staging (name) would get the name acme-staging, which this file has already"],
    ] as const) {
      expect(stderr).toContain(`wrangler.toml:${lineOf(text, line)}\n  problem: ${problem}`);
    }
  });

  it.each([
    ["of an environment", "[env.live]", '[env.live]\nname = "acme-staging"'],
    ["of a binding", "[[services]]", '[[services]]\nbinding = "A"\nservice = "acme-staging"'],
  ])("is never the Worker %s", (_, line, table) => {
    const tables = `\n${table}\n`;
    const { status, stderr } = copy(["staging", ...(table.includes("binding") ? ["--share", "A"] : [])], tables);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^wrangler\.toml:\d+\n {2}problem: acme-staging /);
    expect(stderr).toContain("would get the name acme-staging, which this file has already");
    expect(Number(/:(\d+)/.exec(stderr)?.[1])).toBeGreaterThanOrEqual(lineOf(SETTINGS + tables, line));
  });

  it("is never what its exports name or move", () => {
    const tables = `
[exports.Orders]
type = "workflow"
name = "orders"
schedules = "0 * * * *"
[exports.Store]
type = "durable-object"
state = "expecting-transfer"
storage = "sqlite"
transfer_from = "shop"
[exports.Gone]
type = "durable-object"
state = "transferred"
transferred_to = "shop"
[exports.Vault]
type = "durable-object"
storage = "sqlite"
[exports.Api]
type = "worker"
`;
    // wrangler.toml has either exports or migrations.
    const settings = SETTINGS.replace(/\[\[migrations\]\][^[]*\[[^[]*(?=\n\[)/g, "");
    const { status, stderr } = copy(["staging"], tables, "", {}, settings);
    expect(status).toBe(1);
    const text = settings + tables;
    for (const [name, line] of [
      ["Orders", 'name = "orders"'],
      ["Store", 'transfer_from = "shop"'],
      ["Gone", 'transferred_to = "shop"'],
    ] as const) {
      expect(stderr).toContain(`wrangler.toml:${lineOf(text, line)}\n  problem: ${name} (exports) has `);
    }
    expect(stderr).not.toMatch(/Vault|Api/);
  });
});

describe("what cannot be separated", () => {
  const tables = `
[[hyperdrive]]
binding = "PG"
id = "0f2ac74b498b48028cb68387c421e279"
[[services]]
binding = "MAILBOXES"
service = "acme"
[[services]]
binding = "MAIL"
service = "mailer"
[[tail_consumers]]
service = "watcher"
[[r2_buckets]]
binding = "FILES"
bucket_name = "files"
[[d1_databases]]
binding = "DB"
database_name = "orders"
`;

  it("is refused, with the line and what to do, and nothing is written", () => {
    const { status, stderr } = copy(["refused"], tables);
    expect(status).toBe(1);
    for (const [name, words] of [
      ["PG", 'binding = "PG"'],
      ["MAIL", 'binding = "MAIL"'],
      ["watcher", 'service = "watcher"'],
    ] as const) {
      const line = lineOf(SETTINGS + tables, words);
      expect(stderr).toMatch(
        new RegExp(`^wrangler\\.toml:${line}\n  problem: ${name} \\(.*\n  fix: .*--share ${name}`, "m"),
      );
    }
    expect(existsSync(join(fork.root, "wrangler.refused.jsonc"))).toBe(false);
  });

  it("is shared if --share names it, as is anything else that it names", () => {
    const share = ["PG", "MAIL", "watcher", "FILES", "KV", "RATE_60"].flatMap((name) => ["--share", name]);
    const withId = SETTINGS.replace('binding = "KV"', 'binding = "KV"\nid = "0f2ac74b498b48028cb68387c421e279"');
    const { status, stdout } = copy(["staging", ...share], tables, "", {}, withId);
    expect(status).toBe(0);
    expect(wordsOf("Its own", stdout)).toContain("ratelimits RATE_600");
    for (const word of ["keys", "ratelimits RATE_60"]) expect(wordsOf("Its own", stdout)).not.toContain(word);
    const shared = ["PG", "MAIL", "watcher", "FILES", "KV", "RATE_60"];
    expect(wordsOf("Shared with acme", stdout).sort()).toEqual(shared.sort());
    expect(read("wrangler.staging.jsonc")).toMatchObject({
      hyperdrive: [{ binding: "PG" }],
      services: [{ service: "acme-staging" }, { service: "mailer" }],
      r2_buckets: [{ bucket_name: "files" }],
      d1_databases: [{ database_name: "orders-staging" }],
    });
  });

  it("is its own if --share does not name it, keys and rate limits, too", () => {
    const limits = [...SETTINGS.matchAll(/^name = "(RATE_\d+)"$/gm)].map(([, name = ""]) => name);
    const kv = SETTINGS.replace('binding = "KV"', 'binding = "KV"\nid = "0f2ac74b498b48028cb68387c421e279"');
    const own = (share: readonly string[]) => {
      return wordsOf(
        "Its own",
        copy(["staging", ...share.flatMap((name) => ["--share", name])], "", "", {}, kv).stdout,
      );
    };
    expect(own([])).toEqual(expect.arrayContaining(["keys", ...limits.map((name) => `ratelimits ${name}`)]));
    expect(own(["KV", ...limits])).toEqual(["secrets", "durable_objects"]);
    expect(own(limits.slice(1))).toEqual(expect.arrayContaining(["keys", `ratelimits ${limits[0]}`]));
  });

  it("is refused whatever it is: kinds and members that nobody knows yet", () => {
    const unknown = `
[[tomorrow]]
binding = "NEW"
id = "0f2ac74b"
[[containers]]
class_name = "Box"
image = "docker.io/httpd:1"
[ai]
binding = "AI"
gateway = "production"
[[queues.producers]]
binding = "JOBS"
queue = "jobs"
pipe = "production"
`;
    const { status, stderr } = copy(["staging", "--share", "JOBS"], unknown);
    expect(status).toBe(1);
    expect(stderr).toContain("NEW (tomorrow) is not known to separate");
    expect(stderr).toContain("containers (containers) would be taken over by the copy");
    expect(stderr).toContain("AI (ai) has gateway");
    expect(stderr).toContain("JOBS (queues.producers) has pipe");
  });

  it("may have a name that would end a comment", () => {
    const odd = '\n[[hyperdrive]]\nbinding = "A\\nB"\nid = "0f2ac74b498b48028cb68387c421e279"\n';
    expect(copy(["staging", "--share", "A\nB"], odd).status).toBe(0);
    expect(read("wrangler.staging.jsonc").hyperdrive).toMatchObject([{ binding: "A\nB" }]);
  });

  it("is never production's database by accident: one without an id cannot be shared", () => {
    const { status, stderr } = copy(["staging", "--share", "DB"], tables.replace(/\[\[(hyp|serv|tail)[^[]*/g, ""));
    expect(status).toBe(1);
    expect(stderr).toMatch(/problem: DB \(d1_databases\) has no database_id/);
  });
});

it.each<[string, readonly string[], Record<string, string>, string]>([
  ["no name", [], {}, "copy takes one name"],
  ["a name that is not part of an address", ["My_Copy"], {}, "lower-case letters, digits and single dashes"],
  ["a path", ["../x"], {}, "lower-case letters, digits and single dashes"],
  ["a name that is too long", ["x".repeat(60)], {}, "longer than 63 characters"],
  ["a binding that there is not", ["staging", "--share", "NOPE"], {}, 'wrangler.toml has no "NOPE" to share, but KV'],
  ["an option that npm took", ["staging"], { npm_config_share: "KV" }, "npm kept --share for itself"],
])("a mistake is one sentence: %s", (_, args, env, sentence) => {
  expect(copy(args, "", "", env)).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining(sentence) });
});

it.each(["x = [", "x = 99999999999999999999"])("a file that is not TOML is named, with the line: %s", (line) => {
  const stderr = expect.stringMatching(/^wrangler\.toml:\d+\n {2}problem: Invalid TOML.*\n {2}fix: /);
  expect(copy(["staging"], "", `${line}\n`)).toMatchObject({ status: 1, stdout: "", stderr });
});
