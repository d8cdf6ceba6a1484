/** A definition's `env`: names are those of wrangler.toml, and have its types. */

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isReserved, RESERVED_BINDINGS } from "../../../src/discovery/settings/reserved-names.ts";
import { testSettings } from "../../support/node/fork.ts";
import { execFileSync, mayStart } from "../../support/node/processes.ts";
import { project, ROOT, tool } from "../../support/node/project.ts";

// The type checker.
mayStart(1);

const BASIC = 'name = "x"\ncompatibility_date = "2026-10-01"\n';

/** The first of each in another wrangler.toml. */
const BASIC_LINES = /^name = .*\n(?:.*\n)*?compatibility_date = .*\n/m;

/** A tool, a prompt and a resource with the same `env`. */
function offersWith(names: readonly string[]): Record<string, string> {
  const env = `env: ${JSON.stringify(names)}`;
  return {
    "kit/a.ts": tool({ env: JSON.stringify(names) }),
    "kit/b.prompt.ts": `export default { description: "A prompt.", ${env}, get: () => "" };`,
    "kit/c.resource.ts": `export default { uri: "kit://c", description: "A resource.", ${env}, read: () => "" };`,
  };
}

function discovered(names: readonly string[], settings: string, more: Record<string, string> = {}) {
  const { folder, discover } = project(offersWith(names));
  for (const [name, text] of Object.entries({ "wrangler.toml": BASIC + settings, ...more })) {
    writeFileSync(join(folder, name), text);
  }
  return { folder, ...{ done: discover() } };
}

/** One binding of each kind, called after it. */
const EVERY_KIND = `
[vars]
TEXT = "a"
COUNT = 5
SHAPE = { sizes = [1, 2], names = ["a"], deep = { on = true } }
[secrets]
required = ["REQUIRED_SECRET"]
[[kv_namespaces]]
binding = "STORE"
[[d1_databases]]
binding = "DB"
[[r2_buckets]]
binding = "BUCKET"
[ai]
binding = "AI"
[[queues.producers]]
binding = "QUEUE"
queue = "jobs"
[[vectorize]]
binding = "VECTORS"
index_name = "texts"
[[workflows]]
binding = "FLOW"
name = "orders"
class_name = "Orders"
[[services]]
binding = "SERVICE"
service = "billing"
[browser]
binding = "BROWSER"
[[hyperdrive]]
binding = "HYPERDRIVE"
id = "a"
[[analytics_engine_datasets]]
binding = "EVENTS"
[[send_email]]
name = "MAIL"
[version_metadata]
binding = "VERSION"
[images]
binding = "IMAGES"
[media]
binding = "MEDIA"
[[mtls_certificates]]
binding = "CERTIFICATE"
certificate_id = "a"
[[dispatch_namespaces]]
binding = "DISPATCH"
namespace = "a"
[[pipelines]]
binding = "PIPELINE"
stream = "a"
[[secrets_store_secrets]]
binding = "STORED_SECRET"
store_id = "a"
secret_name = "b"
[[durable_objects.bindings]]
name = "OBJECTS"
class_name = "Room"
script_name = "chat"
[[ratelimits]]
name = "RATE_10"
namespace_id = "1"
simple = { limit = 10, period = 60 }
[[vpc_services]]
binding = "PRIVATE"
service_id = "a"
[[worker_loaders]]
binding = "LOADER"
[text_blobs]
BLOB = "a.txt"
[[unsafe.bindings]]
name = "UNSAFE"
type = "new-kind"
[env.staging.vars]
ONLY_STAGING = "a"
[env.staging.ai]
binding = "TEXT"
`;

describe("env names what wrangler.toml has", () => {
  it("any other name is an error, in tools, prompts and resources, with lines to add: and those lines help", async () => {
    const names = ["AI", "DB", "USER_FILES", "JOB_QUEUE", "VECTORS", "CACHE", "BROWSER", "GREETING"];
    const { code, stderr } = await discovered(names, "").done;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^8 problem\(s\) in tools:\n/);
    expect(stderr).toContain(
      "tools/kit/a.ts:10\n  problem: its env has DB, and wrangler.toml has no binding or variable of that name; " +
        "the same goes for tools/kit/b.prompt.ts, tools/kit/c.resource.ts\n" +
        "  fix:     add these lines to wrangler.toml (other kinds, and secrets: docs/data.md):\n" +
        '           [[d1_databases]]\n           binding = "DB"\n           database_name = "db"\n',
    );
    const lines = new Set(
      stderr
        .split("\ntools/")
        .slice(1)
        .map((text) => text.match(/^ {11}.*$/gm)?.join("\n")),
    );
    expect([...lines].map((text) => text?.trim().split("\n")[0])).toEqual(
      [
        "[ai]",
        "[[d1_databases]]",
        "[[r2_buckets]]",
        "[[queues.producers]]",
        "[[vectorize]]",
        "[[kv_namespaces]]",
      ].concat("[browser]", 'GREETING = ""'),
    );
    expect(stderr).toContain("add this line under [vars] in wrangler.toml");
    expect(await discovered(names, [...lines].join("\n").replace("GREETING", "[vars]\nGREETING")).done).toMatchObject({
      code: 0,
      stderr: "",
    });
  });

  it("a binding that ten tools lack is said once, with three of the others", async () => {
    const ten = Array.from({ length: 10 }, (_, at) => [`many/tool-${at}.ts`, tool({ env: '["CACHE"]' })]);
    const { code, stderr } = await project(Object.fromEntries([...ten, ["../wrangler.toml", BASIC]])).discover();
    expect([code, stderr.match(/problem: .*/g)]).toEqual([
      1,
      [
        "problem: its env has CACHE, and wrangler.toml has no binding or variable of that name; the same goes for " +
          "tools/many/tool-1.ts, tools/many/tool-2.ts, tools/many/tool-3.ts and 6 more",
      ],
    ]);
  });

  it("a name that is nearly right is suggested", async () => {
    const { stderr } = await discovered(["User-File"], '[[r2_buckets]]\nbinding = "USER_FILES"\n').done;
    expect(stderr).toContain("  fix:     write USER_FILES, or add this line under [vars] in wrangler.toml");
  });

  const SECRETS = {
    ".dev.vars": "LOCAL_SECRET=a\nTEXT=other\n",
    ".dev.vars.example": "# Where to get it\nOFTEN_SET=\n",
  };
  const ALL = [...EVERY_KIND.matchAll(/^(?:binding|name) = "([A-Z_0-9]+)"|^([A-Z_]+) =/gm)].map(
    ([, name, key]) => name ?? key ?? "",
  );

  it("bindings of every kind and environment, variables and secrets are no mistake; their types are those of wrangler", async () => {
    // But the limiter, which is the framework's.
    const names = [...ALL.filter((name) => !isReserved(name)), "REQUIRED_SECRET", "LOCAL_SECRET", "OFTEN_SET"];
    expect(names.length).toBeGreaterThan(30);
    const { folder, done } = discovered(names, EVERY_KIND, SECRETS);
    expect(await done).toMatchObject({ code: 0, stderr: "" });
    const types = join(folder, "generated/env.d.ts");
    const text = readFileSync(types, "utf8");
    for (const name of names) expect(text).toContain(`readonly ${name}: `);
    // As a .ts file, because the project does not check .d.ts files: all types exist, and none is `any` by mistake.
    writeFileSync(join(folder, "generated/env-checked.ts"), text);
    writeFileSync(
      join(folder, "use.ts"),
      `import { type Bindings, definePrompt, defineResource, defineWorker, type ToolContext } from ${JSON.stringify(join(ROOT, "src/tool.ts"))};
type IsAny<T> = 0 extends 1 & T ? true : false;
type AreAny = { [Name in keyof Bindings]: IsAny<Bindings[Name]> }[keyof Bindings];
export const noneIsAny: AreAny = false;
export async function use({ env }: ToolContext<never, never, undefined, Exclude<keyof Bindings, "TEXT">>) {
  const rows: D1Result<{ id: number }> = await env.DB.prepare("SELECT 1 AS id").all<{ id: number }>();
  const file: R2ObjectBody | null = await env.BUCKET.get("a");
  const texts: [string, string, string, string, string] =
    [env.ONLY_STAGING, env.REQUIRED_SECRET, env.LOCAL_SECRET, env.OFTEN_SET, env.BLOB];
  const shape: { sizes: readonly number[]; names: readonly string[]; deep: { on: boolean } } = env.SHAPE;
  await env.QUEUE.send(env.COUNT + shape.sizes.length);
  await env.FLOW.create({ params: texts });
  const answer = await (await env.SERVICE.fetch("https://x.test")).text();
  const { text } = await env.AI.toMarkdown().supported().then(() => ({ text: answer }));
  // @ts-expect-error an unsafe binding has no known type
  env.UNSAFE.run();
  // @ts-expect-error there is no such method
  env.DB.query("SELECT 1");
  // @ts-expect-error a name that is not in wrangler.toml
  env.NOTHING;
  return { rows, file, text };
}
export const prompt = definePrompt({
  description: "P.",
  env: ["ONLY_STAGING"],
  arguments: { a: { description: "A.", complete: (_prefix, _others, { env }) => [env.ONLY_STAGING] } },
  // @ts-expect-error not declared
  get: (_, { env }) => env.ONLY_STAGING + env.DB,
});
export const resource = defineResource({
  uri: "r://{id}",
  description: "R.",
  env: ["BUCKET"],
  read: async ({ id }, { env }) => (await env.BUCKET.get(id))?.text(),
});
export const worker = defineWorker({
  routes(app) {
    app.get("/", async (c) => c.text((await c.env.STORE.get("a")) ?? "none"));
  },
  scheduled: async (_controller, env) => env.STORE.put("a", env.ONLY_STAGING),
});
export const either = (env: Bindings) => (typeof env.TEXT === "string" ? env.TEXT.length : env.TEXT.gateway("a"));
`,
    );
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(ROOT, "tsconfig.json"), include: ["use.ts", "generated/env-checked.ts"] }),
    );
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    const run = () => execFileSync(tsc, ["-p", folder], { cwd: ROOT, encoding: "utf8" });
    expect(run()).toBe("");
  });

  it("a name of the framework's is refused, there or not: it would share its keys, its files or its settings", async () => {
    for (const toml of ["", testSettings().replace(BASIC_LINES, "")]) {
      const { code, stderr } = await discovered(["FILES", "KV", "SIGNING_KEY", "PAGE_SIZE", "RATE_60"], toml).done;
      expect([code, stderr.match(/^\d+ problem/)?.[0]]).toEqual([1, "15 problem"]);
      expect(stderr).toContain("tools/kit/a.ts:10\n  problem: FILES in its env is reserved for Trivet\n");
      expect(stderr).toContain("fix:     give what the tool needs another name, such as MY_FILES");
    }
    const needs = (requirements: string) => project({ "kit/a.ts": tool({ requirements }) }).discover();
    const { stderr } = await needs('{ secrets: ["JWT_SECRET", { id: "PUBLIC", from: "caller" }, "PUBLIC_KEY"] }');
    expect(stderr).toMatch(/^1 problem/);
    expect(stderr).toContain("JWT_SECRET in its requirements is reserved for Trivet");
  });

  it("the framework's bindings are those that its code reads", () => {
    const files = globSync("src/**/*.ts", { cwd: ROOT }).filter(
      (file) => !/^src\/(generated|build|cli|front-page|connect|client|testing)\//.test(file),
    );
    const text = files.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
    const [, declared = ""] = /interface OwnBindings \{([\s\S]*?)\n\}/.exec(text) ?? [];
    const read = [
      ...declared.matchAll(/readonly ([A-Z_]+)\??:/g),
      ...text.matchAll(/\bbinding\("([A-Z_]+)"\) as (?:\w*Objects?\w*|R2Bucket)/g),
      ...text.matchAll(/\bvariables\.([A-Z_]+) as/g),
    ];
    expect([...new Set(read.map(([, name]) => name))].sort()).toEqual(RESERVED_BINDINGS.toSorted());
  });

  it("without a wrangler.toml, nothing is checked or written", async () => {
    const { discover, out } = project(offersWith(["ANY"]));
    expect((await discover()).code).toBe(0);
    expect(() => readFileSync(join(out, "../env.d.ts"))).toThrow("ENOENT");
  });

  it("the types are there although a tool is broken", async () => {
    const { folder, done } = discovered(["NONE"], EVERY_KIND);
    expect((await done).code).toBe(1);
    expect(readFileSync(join(folder, "generated/env.d.ts"), "utf8")).toContain("readonly DB: D1Database;");
  });
});
