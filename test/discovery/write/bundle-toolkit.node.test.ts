/** Discovery of many tools: it writes modules that contain several tools of a toolkit. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { CatalogEntry } from "../../../src/core/model/catalog-entry.ts";
import { execFileSync, mayStart } from "../../support/node/processes.ts";
import { type Project, project, tool } from "../../support/node/project.ts";

// A script that prints a stack.
mayStart(1);

const MOST = 100;
const TOGETHER = 32;

/** Records evaluation in this process; discovery runs in another one, where this does nothing. */
const note = (name: string) => `(globalThis as any).evaluated?.push("${name}");`;

/** Schemas would take most of the time of a discovery of many tools. */
const PLAIN = { input: undefined, output: undefined };

/** Tools `kit/t000.ts` and so on, each described by its name. */
function kit(name: string, count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const own = `t${String(index).padStart(3, "0")}`;
      return [`${name}/${own}.ts`, tool({ ...PLAIN, description: `"${name} ${own}"` }, note(`${name} ${own}`))];
    }),
  );
}

async function discovered(made: Project) {
  const { code, stderr } = await made.discover();
  expect(stderr).toBe("");
  expect(code).toBe(0);
  return made.catalog();
}

const folderOf = (made: Project) => join(dirname(made.out), "toolkits");
const modulesOf = (made: Project) =>
  existsSync(folderOf(made))
    ? readdirSync(folderOf(made))
        .filter((name) => name.endsWith(".js"))
        .sort()
    : [];

Object.assign(globalThis, { evaluated: [] });
const evaluated = (globalThis as unknown as { evaluated: string[] }).evaluated;

describe("of many tools, those of a toolkit", () => {
  // Together they are more than a hundred, which is what counts.
  let made: Project;
  let entries: readonly CatalogEntry[];
  beforeAll(async () => {
    const imports = 'import * as v from "valibot";\nimport {\n  inspect,\n  format as form,\n} from "node:util";\n';
    made = project({
      ...kit("big", TOGETHER + 10),
      ...kit("shared", 5),
      "shared/_state.ts": `import { first } from "./t000.ts"; ${note("shared state")} export const state = [first];`,
      "shared/t000.ts": tool({}, `export const first = "first"; ${note("shared t000")}`),
      "shared/t003.ts": tool({ description: "state[0]" }, 'import { state } from "./_state.ts";'),
      "shared/t004.ts": tool({ description: "state[0]" }, 'import { state } from "./_state.ts";'),
      "shared/zz.ts": tool(),
      ...kit("broken", TOGETHER + 8),
      // Discovery loads it in a process that does not record.
      "broken/t005.ts": tool({}, 'if ("evaluated" in globalThis) throw new Error("not here");'),
      ...kit("whole", 3),
      ...kit("waits", 5),
      "waits/t001.ts": tool({ description: "later" }, "const later = await Promise.resolve('later');"),
      ...kit("texts", 5),
      "texts/t001.ts": tool({ description: TEXT }),
      ...kit("uses", 5),
      "uses/t001.ts": tool({ description: 'form("%s", inspect(1))' }).replace(/^import .*\n/, imports),
      ...kit("traced", 4),
      "traced/zz.ts": tool({ run: "() => { throw new Error('here') }" }),
    });
    ({ entries } = await discovered(made));
    expect(entries.length).toBeGreaterThan(MOST);
  });
  const TEXT = '`\nimport * as v from "valibot";\n`';
  const load = async (id: string) => (await entries.find((entry) => entry.id === id)?.load())?.default;
  const recorded = (toolkit: string) => evaluated.filter((name) => name.startsWith(`${toolkit} `));

  it("are evaluated with others of it, and each entry loads its own", async () => {
    const modules = modulesOf(made).filter((name) => name.startsWith("big"));
    expect(modules).toEqual(["big.2.js", "big.js"]);
    expect(modulesOf(made)).toContain("whole.js");
    expect(recorded("big")).toEqual([]);
    expect((await load("Big.T033"))?.description).toBe("big t033");
    const second = Array.from({ length: 10 }, (_, index) => `big t0${index + TOGETHER}`);
    expect(recorded("big")).toEqual(second);
    const own = entries.filter(({ toolkit }) => toolkit === "big" || toolkit === "whole");
    for (const { load, json } of own) expect((await load()).default.description).toBe(JSON.parse(json.description));
    expect(recorded("big")).toHaveLength(TOGETHER + 10);
    expect(new Set([...recorded("big"), ...recorded("whole")]).size).toBe(own.length);
  });

  it("have separate modules for imported helpers and tools: nothing is evaluated twice", async () => {
    for (const { load } of entries.filter(({ toolkit }) => toolkit === "shared")) await load();
    expect((await load("Shared.T004"))?.description).toBe("first");
    expect((await load("Shared.T003"))?.description).toBe("first");
    const loaded = recorded("shared");
    expect(loaded).toHaveLength(new Set(loaded).size);
    expect(loaded).toContain("shared state");
  });

  it("fail together with tools of the same module, and no others", async () => {
    await expect(load("Broken.T000")).rejects.toThrow("not here");
    await expect(load("Broken.T005")).rejects.toThrow("not here");
    expect((await load("Broken.T039"))?.description).toBe("broken t039");
    expect((await load("Whole.T000"))?.description).toBe("whole t000");
  });

  it("are the same whatever their files do at the top level", async () => {
    expect((await load("Waits.T001"))?.description).toBe("later");
    expect((await load("Texts.T001"))?.description).toBe('\nimport * as v from "valibot";\n');
    expect((await load("Uses.T001"))?.description).toBe("1");
    const isInFunction = (name: string) => readFileSync(join(folderOf(made), name), "utf8").includes("function all()");
    expect(["waits.js", "texts.js", "uses.js"].map(isInFunction)).toEqual([false, false, true]);
  });

  it("have stack traces that name their own files", () => {
    const module = join(folderOf(made), "traced.js");
    const script = `process.setSourceMapsEnabled(true);
      const { default: tools } = await import(${JSON.stringify(pathToFileURL(module).href)});
      try { tools.at(-1).run() } catch (error) { console.log(error.stack) }`;
    const stack = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
    const line = readFileSync(join(made.tools, "traced/zz.ts"), "utf8")
      .split("\n")
      .findIndex((text) => text.includes("here"));
    expect(stack).toContain(`${join(made.tools, "traced/zz.ts")}:${line + 1}:`);
  });
});

describe.concurrent("many tools", () => {
  it("have separate modules as long as they are few, each of which is evaluated when it is needed", async () => {
    const made = project(kit("few", MOST));
    const { entries } = await discovered(made);
    expect(modulesOf(made)).toEqual([]);
    expect((await entries[7]?.load())?.default.description).toBe("few t007");
    expect(evaluated.filter((name) => name.startsWith("few"))).toEqual(["few t007"]);
  });

  it("are not written again when nothing changed, contain no path of the machine, and leave no module behind", async () => {
    const made = project({ ...kit("same", MOST), ...kit("going", 1) });
    mkdirSync(folderOf(made), { recursive: true });
    await discovered(made);
    const file = join(folderOf(made), "same.js");
    const { mtimeMs } = statSync(file);
    expect((await made.discover()).stdout).toMatch(
      /^discovered 101 tools\n {2}going +Going\.T000\n {2}same +Same\.T000, .* and 92 more\n$/,
    );
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
    const text = readFileSync(file, "utf8");
    const [, map = ""] = text.split("base64,");
    for (const part of [text, Buffer.from(map, "base64").toString()])
      expect(part).not.toContain(join(made.folder, ".."));
    // When a toolkit is deleted, so is its module, and other files stay.
    expect(modulesOf(made)).toContain("going.js");
    const own = join(folderOf(made), "own.js");
    writeFileSync(own, "export {};\n");
    rmSync(join(made.tools, "going"), { recursive: true });
    made.write({ "same/zz.ts": tool() });
    expect((await made.discover()).stdout).toMatch(/^discovered 101 tools\n/);
    expect(readdirSync(folderOf(made)).filter((name) => /going|own/.test(name))).toEqual(["own.js"]);
    rmSync(join(made.tools, "same/zz.ts"));
    await made.discover();
    expect(modulesOf(made)).toEqual(["own.js"]);
  });
});
