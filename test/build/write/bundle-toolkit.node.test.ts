/** Discovery of many tools: it writes modules that contain several tools of a toolkit. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { execFileSync, mayStart } from "../../support/node/processes.ts";
import { type Project, project, tool } from "../../support/node/project.ts";

// A build by wrangler.
mayStart(1);

const MOST = 100;
const TOGETHER = 32;

/** Records evaluation in this process; discovery runs in another one, where this does nothing. */
const note = (name: string) => `(globalThis as any).evaluated?.push("${name}");`;

/** Tools `kit/t000.ts` and so on, each described by its name. */
function kit(name: string, count: number, prefix = name): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => {
      const own = `t${String(index).padStart(3, "0")}`;
      return [`${name}/${own}.ts`, tool({ description: `"${name} ${own}"` }, note(`${prefix} ${own}`))];
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

describe.concurrent("many tools", () => {
  it("have separate modules as long as they are few", async () => {
    const made = project(kit("few", MOST));
    const { entries } = await discovered(made);
    expect(modulesOf(made)).toEqual([]);
    expect((await entries[7]?.load())?.default.description).toBe("few t007");
    expect(evaluated.filter((name) => name.startsWith("few"))).toEqual(["few t007"]);
  });

  it("are evaluated with others of their toolkit, and each entry loads its own", async () => {
    const made = project({ ...kit("big", TOGETHER + 40), ...kit("small", 30) });
    const { entries } = await discovered(made);
    expect(modulesOf(made)).toEqual(["big.2.js", "big.3.js", "big.js", "small.js"]);
    expect(evaluated.filter((name) => /big|small/.test(name))).toEqual([]);
    expect((await entries[33]?.load())?.default.description).toBe("big t033");
    const second = Array.from({ length: TOGETHER }, (_, index) => `big t0${index + TOGETHER}`);
    expect(evaluated.filter((name) => /big|small/.test(name))).toEqual(second);
    for (const { load, json } of entries) {
      expect((await load()).default.description).toBe(JSON.parse(json.description));
    }
    expect(new Set(evaluated.filter((name) => /big|small/.test(name))).size).toBe(entries.length);
  });

  it("have separate modules for imported helpers and tools: nothing is evaluated twice", async () => {
    const made = project({
      ...kit("shared", MOST),
      "shared/_state.ts": `import { first } from "./t000.ts"; ${note("shared state")} export const state = [first];`,
      "shared/t000.ts": tool({}, `export const first = "first"; ${note("shared t000")}`),
      "shared/t098.ts": tool({ description: "state[0]" }, 'import { state } from "./_state.ts";'),
      "shared/t099.ts": tool({ description: "state[0]" }, 'import { state } from "./_state.ts";'),
      "shared/zz.ts": tool(),
    });
    const { entries } = await discovered(made);
    for (const { load } of entries) await load();
    const [last, before] = [entries[99], entries[98]];
    expect((await last?.load())?.default.description).toBe("first");
    expect((await before?.load())?.default.description).toBe("first");
    const loaded = evaluated.filter((name) => name.startsWith("shared"));
    expect(loaded).toHaveLength(new Set(loaded).size);
    expect(loaded).toContain("shared state");
  });

  it("fail together with tools of the same module, and no others", async () => {
    const made = project({
      ...kit("broken", 40),
      ...kit("whole", 61),
      // Discovery loads it in a process that does not record.
      "broken/t005.ts": tool({}, 'if ("evaluated" in globalThis) throw new Error("not here");'),
    });
    const { entries } = await discovered(made);
    await expect(entries[0]?.load()).rejects.toThrow("not here");
    await expect(entries[5]?.load()).rejects.toThrow("not here");
    expect((await entries[39]?.load())?.default.description).toBe("broken t039");
    expect((await entries[40]?.load())?.default.description).toBe("whole t000");
  });

  it("are the same whatever their files do at the top level", async () => {
    const imports = 'import * as v from "valibot";\nimport {\n  inspect,\n  format as form,\n} from "node:util";\n';
    const text = '`\nimport * as v from "valibot";\n`';
    const made = project({
      ...kit("waits", 40),
      "waits/t001.ts": tool({ description: "later" }, "const later = await Promise.resolve('later');"),
      ...kit("texts", 40),
      "texts/t001.ts": tool({ description: text }),
      ...kit("uses", 40),
      "uses/t001.ts": tool({ description: 'form("%s", inspect(1))' }).replace(/^import .*\n/, imports),
    });
    const { entries } = await discovered(made);
    const described = (id: string) => entries.find((entry) => entry.id === id)?.load();
    expect((await described("Waits.T001"))?.default.description).toBe("later");
    expect((await described("Texts.T001"))?.default.description).toBe('\nimport * as v from "valibot";\n');
    expect((await described("Uses.T001"))?.default.description).toBe("1");
    const isInFunction = (name: string) => readFileSync(join(folderOf(made), name), "utf8").includes("function all()");
    expect(["waits.js", "texts.js", "uses.js"].map(isInFunction)).toEqual([false, false, true]);
  });

  it("have stack traces that name their own files", async () => {
    const made = project({
      ...kit("traced", MOST),
      "traced/zz.ts": tool({ run: "() => { throw new Error('here') }" }),
    });
    await discovered(made);
    const module = join(folderOf(made), "traced.4.js");
    const script = `process.setSourceMapsEnabled(true);
      const { default: tools } = await import(${JSON.stringify(pathToFileURL(module).href)});
      try { tools.at(-1).run() } catch (error) { console.log(error.stack) }`;
    const stack = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
    const line = readFileSync(join(made.tools, "traced/zz.ts"), "utf8")
      .split("\n")
      .findIndex((text) => text.includes("here"));
    expect(stack).toContain(`${join(made.tools, "traced/zz.ts")}:${line + 1}:`);
  });

  it("leave no module behind when deleted, and other files stay", async () => {
    const made = project({ ...kit("going", 1), ...kit("staying", MOST) });
    await discovered(made);
    expect(modulesOf(made)).toContain("going.js");
    const own = join(folderOf(made), "own.js");
    writeFileSync(own, "export {};\n");
    rmSync(join(made.tools, "going"), { recursive: true });
    made.write({ "staying/zz.ts": tool() });
    expect((await made.discover()).stdout).toMatch(/^discovered 101 tools\n/);
    expect(readdirSync(folderOf(made)).filter((name) => /going|own/.test(name))).toEqual(["own.js"]);
    rmSync(join(made.tools, "staying/zz.ts"));
    await made.discover();
    expect(modulesOf(made)).toEqual(["own.js"]);
  });

  it("are not written again when nothing changed, and contain no path of the machine", async () => {
    const made = project(kit("same", MOST + 1));
    mkdirSync(folderOf(made), { recursive: true });
    await discovered(made);
    const file = join(folderOf(made), "same.js");
    const { mtimeMs } = statSync(file);
    expect((await made.discover()).stdout).toMatch(/^discovered 101 tools\n {2}same {2}Same\.T000, .* and 93 more\n$/);
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
    const text = readFileSync(file, "utf8");
    const [, map = ""] = text.split("base64,");
    for (const part of [text, Buffer.from(map, "base64").toString()])
      expect(part).not.toContain(join(made.folder, ".."));
  });
});
