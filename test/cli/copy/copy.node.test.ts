/** `npm run copy` in forks with every kind of binding: what the copy has of its own, and what it is refused. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";
import { type Fork, makeFork, testSettings } from "../../support/node/fork.ts";

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
[[analytics_engine_datasets]]
binding = "USAGE"
[[services]]
binding = "SELF"
service = "acme"
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
  const { status, stdout, stderr } = spawnSync(process.execPath, ["src/cli/copy/cli.ts", ...args], {
    cwd: fork.root,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}
const read = (file: string) => unstable_readConfig({ config: join(fork.root, file) });

describe("a copy", () => {
  it("has resources of its own, and says which", () => {
    const routes = 'workers_dev = false\nroutes = [{ pattern = "tools.example.com", custom_domain = true }]\n';
    const { status, stdout, stderr } = copy(["staging"], SEPARABLE, routes);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^Wrote wrangler\.staging\.jsonc: the Worker acme-staging\.$/m);
    expect(stdout).toMatch(/^Its own: .*R2 bucket files-staging, D1 database orders-staging.*$/m);
    expect(stdout).toMatch(/^Left out: .*routes.*crons.*environments.*$/m);
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
      ai: { binding: "AI" },
      triggers: { crons: undefined },
    });
    expect(made.d1_databases[0]).toMatchObject({ database_name: "orders-staging", migrations_dir: "data/migrations" });
    expect([made.routes, made.workers_dev, made.definedEnvironments]).toEqual([undefined, undefined, []]);
    const text = readFileSync(join(fork.root, "wrangler.staging.jsonc"), "utf8");
    for (const id of ["0f2ac74b", "11111111", "files-dev"]) expect(text).not.toContain(id);
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
    expect(copy(["mine"])).toMatchObject({ status: 1, stderr: expect.stringContaining("did not make it") });
    expect(readFileSync(join(fork.root, "wrangler.mine.jsonc"), "utf8")).toBe("{}\n");
  });
});

describe("what cannot be separated", () => {
  const tables = `
[[hyperdrive]]
binding = "PG"
id = "0f2ac74b498b48028cb68387c421e279"
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
    const lines = (SETTINGS + tables).split("\n");
    for (const [name, words] of [
      ["PG", 'binding = "PG"'],
      ["MAIL", 'binding = "MAIL"'],
      ["watcher", 'service = "watcher"'],
    ] as const) {
      const line = lines.indexOf(words) + 1;
      expect(stderr).toMatch(
        new RegExp(`^wrangler\\.toml:${line}\n  problem: ${name} \\(.*\n  fix: .*--share ${name}`, "m"),
      );
    }
    expect(existsSync(join(fork.root, "wrangler.refused.jsonc"))).toBe(false);
  });

  it("is shared if --share names it, as is anything else that it names", () => {
    const share = ["PG", "MAIL", "watcher", "FILES"].flatMap((name) => ["--share", name]);
    const { status, stdout } = copy(["staging", ...share], tables);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Shared with acme: (?=.*PG)(?=.*MAIL)(?=.*watcher)(?=.*FILES)/m);
    expect(read("wrangler.staging.jsonc")).toMatchObject({
      hyperdrive: [{ binding: "PG" }],
      services: [{ service: "mailer" }],
      r2_buckets: [{ bucket_name: "files" }],
      d1_databases: [{ database_name: "orders-staging" }],
    });
  });

  it("is its own if --share does not name it, keys and rate limits, too", () => {
    const limits = [...SETTINGS.matchAll(/^name = "(RATE_\d+)"$/gm)].map(([, name = ""]) => name);
    const kv = SETTINGS.replace('binding = "KV"', 'binding = "KV"\nid = "0f2ac74b498b48028cb68387c421e279"');
    const own = (share: readonly string[]) => {
      const { stdout, stderr } = copy(["staging", ...share.flatMap((name) => ["--share", name])], "", "", {}, kv);
      return /^Its own: (.*)\.$/m.exec(stdout)?.[1]?.split(", ") ?? stderr;
    };
    expect(own([])).toEqual(expect.arrayContaining(["keys", "rate limits"]));
    expect(own(["KV", ...limits])).toEqual(["Durable Objects", "secrets"]);
    expect(own(limits.slice(1))).toEqual(expect.arrayContaining(["keys", "rate limits"]));
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
  ["a binding that there is not", ["staging", "--share", "NOPE"], {}, 'wrangler.toml has no "NOPE"; it has KV'],
  ["an option that npm took", ["staging"], { npm_config_share: "KV" }, "npm kept --share for itself"],
])("a mistake is one sentence: %s", (_, args, env, sentence) => {
  expect(copy(args, "", "", env)).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining(sentence) });
});
