/** Discovery of a folder without mistakes. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { CatalogEntry } from "../../src/core/model/catalog-entry.ts";
import { HEAD } from "../../src/discovery/write/head.ts";
import { mayStart, spawnSync } from "../support/node/processes.ts";
import { type Project, project, ROOT, tool } from "../support/node/project.ts";

// Discovery of a tool that prints.
mayStart(1);

/** Ids with versions, in the catalog's order. */
async function discovered(files: Record<string, string>): Promise<string[]> {
  const { entries } = await catalogOf(project(files));
  return entries.map(({ id, version }) => `${id}@${version}`);
}

async function catalogOf(made: Project) {
  const { code, stderr } = await made.discover();
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return made.catalog();
}

describe("discovery of one folder", () => {
  const before =
    'import { env, DurableObject } from "cloudflare:workers"; class Store extends DurableObject {} (env as any).KEY.get(Store);';
  let made: Project;
  let entries: readonly CatalogEntry[];
  beforeAll(async () => {
    made = project({
      "clock/tell-time.ts": tool(),
      "post/get-letters.ts": tool(),
      "post/get-2-letters.ts": tool(),

      "kit/add.ts": tool({ version: '"10.0.0"' }),
      "kit/add@2.ts": tool({ version: '"2.0.0"' }),
      "kit/add@1.ts": tool(),
      "kit/add@1.2.ts": tool({ version: '"1.2.10"' }),
      "kit/add@1.2.9.ts": tool({ version: '"1.2.9"' }),

      "big-sms/toolkit.ts": 'import { defineToolkit } from "#tool"; export default defineToolkit({ name: "BigSMS" });',
      "big-sms/send-now.ts": tool(),

      "help/add.ts": tool({}, 'import { one } from "./_one.ts"; import text from "./_text.txt"; one(text);'),
      "help/_one.ts": "export const one = (text: string) => text.length;",
      "help/_text.txt": "one",
      "help/_help/deep.ts": "throw 1;",
      "help/add.test.ts": "throw 2;",
      "help/global.d.ts": "declare const nothing: never;",
      "help/data.json": "{}",
      "_shared/any.ts": "throw 3;",
      ".hidden/any.ts": "throw 4;",
      "notes/README.md": "No tools here.",
      "global.d.ts": "declare const nothing: never;",

      "runtime/add.ts": tool({}, before),

      "desk/worker.ts": tool(),

      "members/add.ts": tool({
        title: '"Add"',
        annotations: "{ readOnly: true, openWorld: undefined }",
        requirements:
          '{ secrets: ["K", { id: "L", from: "worker" }], authorization: [{ id: "g", oauth2: { scopes: ["s"] }, from: "caller" }], userId: true }',
        keep: "false",
        timeoutMs: "1000",
        env: '["STORE"]',
        session: "true",
      }),
    });
    ({ entries } = await catalogOf(made));
  });
  /** Ids with versions, in the catalog's order. */
  const idsOf = (toolkits: RegExp) =>
    entries.filter(({ toolkit }) => toolkits.test(toolkit)).map(({ id, version }) => `${id}@${version}`);

  it("names tools by their path, and sorts them by id", () => {
    expect(idsOf(/^(clock|post)$/)).toEqual([
      "Clock.TellTime@1.0.0",
      "Post.Get2Letters@1.0.0",
      "Post.GetLetters@1.0.0",
    ]);
    const ids = entries.map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted());
  });

  it("keeps versions side by side, sorted as versions and not as text", () => {
    expect(idsOf(/^kit$/)).toEqual([
      "Kit.Add@1.0.0",
      "Kit.Add@1.2.9",
      "Kit.Add@1.2.10",
      "Kit.Add@2.0.0",
      "Kit.Add@10.0.0",
    ]);
  });

  it("lets a toolkit define its name", () => {
    const own = entries.filter(({ toolkit }) => toolkit === "big-sms");
    expect(own).toMatchObject([{ id: "BigSMS.SendNow", name: "BigSMS_SendNow", toolkit: "big-sms" }]);
  });

  it("ignores helpers, tests, types and data", () => {
    expect(idsOf(/^help$/)).toEqual(["Help.Add@1.0.0"]);
    const toolkits = ["big-sms", "clock", "desk", "help", "kit", "members", "post", "runtime"];
    expect([...new Set(entries.map(({ toolkit }) => toolkit))].sort()).toEqual(toolkits);
  });

  it("loads tools that import cloudflare: modules", () => {
    expect(idsOf(/^runtime$/)).toEqual(["Runtime.Add@1.0.0"]);
  });

  it("takes a worker.ts in a toolkit for a tool", () => {
    expect(idsOf(/^desk$/)).toEqual(["Desk.Worker@1.0.0"]);
  });

  it("writes no path of the machine into the generated module", () => {
    expect(readFileSync(made.out, "utf8")).toContain('import("../tools/kit/add.ts")');
    expect(readFileSync(made.out, "utf8")).not.toContain(join(made.folder, ".."));
  });

  it("keeps a definition's other members", () => {
    expect(entries.find(({ toolkit }) => toolkit === "members")?.options).toEqual({
      title: "Add",
      annotations: { readOnly: true },
      requirements: {
        secrets: ["K", { id: "L", from: "worker" }],
        authorization: [{ id: "g", oauth2: { scopes: ["s"] }, from: "caller" }],
        userId: true,
      },
      keep: false,
      timeoutMs: 1000,
      env: ["STORE"],
      session: true,
    });
  });
});

describe.concurrent("discovery", () => {
  it("makes an empty catalogue of a folder that is empty or absent", async () => {
    expect(await discovered({})).toEqual([]);
    expect(await discovered({ "notes/README.md": "" })).toEqual([]);
  });

  it("ends even if a tool leaves a timer running, and shows what a tool prints with its name", async () => {
    const made = project({ "kit/add.ts": tool({}, 'setInterval(() => {}, 1000); console.error("hello");') });
    // A process of its own: a timer would hold it up, and the thread's own output would go to it.
    const args = ["src/discovery/cli.ts", "--tools", made.tools, "--out", made.out];
    const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe("tools/kit/add.ts prints while it is loaded:\n  hello\ndiscovered 1 tool\n  kit  Kit.Add\n");
    expect((await made.catalog()).entries.map(({ id }) => id)).toEqual(["Kit.Add"]);
  });
});

describe.concurrent("a worker.ts", () => {
  const WORKER = 'import { defineWorker } from "#tool"; export default defineWorker({ scheduled() {} });';

  it("is not a tool, and is listed separately", async () => {
    const made = project({ "kit/add.ts": tool(), "worker.ts": WORKER });
    expect((await made.discover()).stdout).toBe("discovered 1 tool and a worker.ts\n  kit  Kit.Add\n");
    expect((await made.catalog()).entries.map(({ id }) => id)).toEqual(["Kit.Add"]);
    expect(readFileSync(join(dirname(made.out), "features.ts"), "utf8")).toContain("ownWorker(ownWorkerModule)");
  });

  it("may be the only file", async () => {
    expect((await project({ "worker.ts": WORKER }).discover()).stdout).toBe("discovered 0 tools and a worker.ts\n");
  });

  it("may use the runtime's bindings and helpers while it registers routes", async () => {
    const text =
      'import { env } from "cloudflare:workers"; import { path } from "./_path.ts"; import { defineWorker } from "#tool";' +
      "export default defineWorker({ routes: (app) => app.get(path, (c) => c.text((env as any).NAME)) });";
    const made = project({ "worker.ts": text, "_path.ts": 'export const path = "/a/:b";' });
    expect(await made.discover()).toMatchObject({ code: 0, stderr: "" });
  });
});

describe.concurrent("the generated module", () => {
  it("is not written again when nothing changed", async () => {
    const made = project({ "kit/add.ts": tool(), "kit/sub.ts": tool() });
    expect((await made.discover()).stdout).toBe("discovered 2 tools\n  kit  Kit.Add, Kit.Sub\n");
    const { mtimeMs } = statSync(made.out);
    const text = readFileSync(made.out, "utf8");
    // It says what it found all the same.
    expect((await made.discover()).stdout).toBe("discovered 2 tools\n  kit  Kit.Add, Kit.Sub\n");
    expect(statSync(made.out).mtimeMs).toBe(mtimeMs);
    // Not by luck: deleting the file produces the same text again.
    writeFileSync(made.out, "");
    await made.discover();
    expect(readFileSync(made.out, "utf8")).toBe(text);
  });

  it("is the same even if a default is computed each time", async () => {
    const made = project({
      "kit/add.ts": tool({
        input: 'v.object({ a: v.optional(v.pipe(v.string(), v.description("A.")), () => crypto.randomUUID()) })',
      }),
    });
    const before = await catalogOf(made);
    expect(JSON.parse(before.entries[0]?.json.input ?? "").properties.a).toEqual({ type: "string", description: "A." });
    expect((await catalogOf(made)).revision).toBe(before.revision);
  });

  it("changes its revision with a description, and not with a tool's code", async () => {
    const made = project({ "kit/add.ts": tool() });
    const { revision } = await catalogOf(made);
    made.write({ "kit/add.ts": tool({ run: '() => "done otherwise"' }) });
    expect((await catalogOf(made)).revision).toBe(revision);
    made.write({ "kit/add.ts": tool({ description: '"Another one."' }) });
    expect((await catalogOf(made)).revision).not.toBe(revision);
  });

  it("has the requirements of prompts and resources, and includes their scopes", async () => {
    const demands = { scopes: ["b", "c"], rate: 10, timeoutMs: 5, env: ["E"], requirements: { secrets: ["S"] } };
    const members = `description: "Demands.", ...${JSON.stringify(demands)}`;
    const made = project({
      "kit/add.ts": tool({ scopes: '["a", "c"]' }),
      "kit/note.prompt.ts": `export default { ${members}, get: () => "" };`,
      "kit/notes.resource.ts": `export default { ${members}, uri: "x://y", ttlMs: 9, read: () => "" };`,
      "kit/bare.resource.ts": 'export default { description: "Bare.", uri: "x://z", scopes: ["d"], read: () => "" };',
    });
    const { prompts, resources, index } = await catalogOf(made);
    expect(prompts).toMatchObject([{ name: "Kit_Note", options: demands }]);
    expect(resources).toMatchObject([
      { uri: "x://y", ttlMs: 9, options: demands },
      { uri: "x://z", options: { scopes: ["d"] } },
    ]);
    expect(resources[1]).not.toHaveProperty("ttlMs");
    // The required scopes are not listed.
    expect(Object.keys(resources[0]?.about ?? {})).toEqual(["name", "description"]);
    expect(index?.scopes).toEqual(["a", "b", "c", "d"]);
  });
});

it("removes the modules that earlier versions wrote, which import what is gone, and no other file of these names", async () => {
  const made = project({ "kit/add.ts": tool() });
  made.write({ "../generated/parts.ts": `${HEAD}export {};`, "../generated/credentials.ts": "// A fork's own." });
  await made.discover();
  const left = ["parts.ts", "credentials.ts"].map((name) => existsSync(join(dirname(made.out), name)));
  expect(left).toEqual([false, true]);
});
