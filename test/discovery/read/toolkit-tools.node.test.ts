/** Tools that a toolkit.ts brings: discovered, checked and served like those of files, and named in every message. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { discover } from "../../../src/discovery/discover.ts";
import type { Problem } from "../../../src/discovery/read/problem.ts";
import { type Project, project, tool } from "../../support/node/project.ts";

/** A toolkit that brings these tools, source text by name. */
const bringing = (tools: Record<string, string>) => `import * as v from "valibot";
import { defineTool, defineToolkit, jsonSchema } from "#tool";
export default defineToolkit({
  tools: async () => ({
    ${Object.entries(tools)
      .map(([name, text]) => `${JSON.stringify(name)}: ${text}`)
      .join(",\n    ")}
  }),
} as any);
`;

/** Source text of a definition whose result says which it is. `changes` are further members. */
const made = (result: string, changes = "") =>
  `defineTool({ version: "1.0.0", description: "Does what the test needs.", run: () => ${JSON.stringify(result)}, ${changes} } as any)`;

/** A toolkit with what `fromOpenTool` makes of functions. */
const opentool = (functions: readonly object[], options = "{}") => `import { defineToolkit, fromOpenTool } from "#tool";
const tool = {
  call: (name: string, args: object) => ({ called: name, args }),
  load: async () => ({ info: { version: "1.0.0" }, functions: ${JSON.stringify(functions)} }),
};
export default defineToolkit({ tools: fromOpenTool(tool, ${options}) });
`;
const described = (name: string, more: object = {}) => ({ name, description: `Does ${name}.`, ...more });

async function catalogOf(made: Project, env: Record<string, string> = {}) {
  expect(await made.discover(env)).toMatchObject({ code: 0, stderr: "" });
  return made.catalog();
}

describe.concurrent("tools that a toolkit brings", () => {
  it("stand beside those of its files, with ids from their names", async () => {
    const files = {
      "fax/toolkit.ts": bringing({
        sendAll: made("all", 'name: "sendAll"'),
        get_unread: made("unread"),
        "find-by-HTTP": made("http"),
        "2fa": made("2fa"),
      }).replace("tools:", 'name: "FAX", instructions: "Letters.", tools:'),
      "fax/send.ts": tool(),
    };
    const one = project(files);
    const { entries, index, instructions } = await catalogOf(one);
    expect(entries.map(({ id, name, toolkit }) => [id, name, toolkit])).toEqual([
      ["FAX.2fa", "FAX_2fa", "fax"],
      ["FAX.FindByHTTP", "FAX_FindByHTTP", "fax"],
      ["FAX.GetUnread", "FAX_GetUnread", "fax"],
      ["FAX.Send", "FAX_Send", "fax"],
      ["FAX.SendAll", "sendAll", "fax"],
    ]);
    expect(index?.versions({ name: "sendAll" })).toHaveLength(1);
    expect(instructions?.(new Set(["fax"]), undefined)).toContain("Letters.");
    const results = await Promise.all(
      entries.map(async ({ load }) => (await load()).default.run({} as never, {} as never)),
    );
    expect(results).toEqual(["2fa", "http", "unread", "done", "all"]);
  });

  it("are named in the summary", async () => {
    const { stdout } = await project({ "weather/toolkit.ts": opentool([described("getForecast")]) }).discover();
    expect(stdout).toBe("discovered 1 tool\n  weather  Weather.GetForecast\n");
  });

  it("have types for tests", async () => {
    const one = project({ "weather/toolkit.ts": opentool([described("getForecast")]) });
    await catalogOf(one);
    const types = readFileSync(join(dirname(one.out), "tools.d.ts"), "utf8");
    const type = `Awaited<ReturnType<NonNullable<typeof import("../tools/weather/toolkit.ts").default["tools"]>>>["getForecast"]`;
    for (const id of ["Weather.GetForecast", "Weather.GetForecast@1.0.0", "Weather.GetForecast@1"]) {
      expect(types).toContain(`  ${JSON.stringify(id)}: ${type};\n`);
    }
  });

  it("are copied for npm start, like files", async () => {
    const one = project({ "weather/toolkit.ts": opentool([described("getForecast")]) });
    expect(await one.discover({ WRANGLER_COMMAND: "dev" })).toMatchObject({ code: 0, stderr: "" });
    const folder = join(dirname(one.out), "dev");
    const { default: catalog } = await import(join(folder, "current.js"));
    const [entry] = catalog.entries;
    expect(await (await entry.load()).default.run({})).toEqual({ called: "getForecast", args: {} });
    const [, served = ""] = /"(\.\/\w+)\//.exec(readFileSync(join(folder, "current.js"), "utf8")) ?? [];
    const text = readFileSync(join(folder, served, "catalog.js"), "utf8");
    expect(text).toContain('toolkitTools(import("./tools/weather/toolkit.js"), ["getForecast"])');
    // Under which name the log finds the file.
    expect(JSON.parse(readFileSync(join(folder, "files.json"), "utf8"))).toEqual({
      "Weather.GetForecast@1.0.0": "tools/weather/toolkit.ts",
    });
  });

  it("may be more than a hundred, and are then loaded and checked by the dozen", async () => {
    const text = { name: "text", description: "A text.", schema: { type: "string" }, required: true };
    const many = Array.from({ length: 120 }, (_, at) => described(`find-${at}`, { parameters: [text] }));
    const one = project({
      "many/toolkit.ts": opentool(many),
      // In the middle of them, and evaluated with the toolkit's own file, if that is what it imports.
      "many/find-50b.ts": tool({ run: "() => String(typeof toolkit.tools)" }, 'import toolkit from "./toolkit.ts";'),
      "other/add.ts": tool(),
      "other/sub.ts": tool(),
    });
    const { entries } = await catalogOf(one);
    expect(entries).toHaveLength(123);
    for (const id of ["Many.Find0", "Many.Find50", "Many.Find119"]) {
      const definition = (await entries.find((entry) => entry.id === id)?.load())?.default;
      const name = id.replace("Many.Find", "find-");
      expect(await definition?.run({ text: "x" } as never, {} as never)).toEqual({ called: name, args: { text: "x" } });
      const validated = await definition?.input?.["~standard"].validate({ text: 1 });
      expect(validated?.issues).toMatchObject([{ path: ["text"], message: "Must be a string" }]);
    }
    const own = await entries.find(({ id }) => id === "Many.Find50b")?.load();
    expect(own?.default.run({} as never, {} as never)).toBe("function");
    const catalog = readFileSync(one.out, "utf8");
    expect(catalog.match(/toolkitTools\(import/g)).toHaveLength(5);
  });

  it("cost a fork without them no line", async () => {
    const one = project({ "kit/add.ts": tool(), "kit/toolkit.ts": 'export default { name: "KIT" };' });
    await catalogOf(one);
    expect(readFileSync(one.out, "utf8")).not.toContain("toolkitTools");
  });

  it("are missed with a clear message if they are not brought again", async () => {
    const text = opentool([described("first")]).replace("load: async", "loads: 0,\n  load: async");
    const onlyOnce = text.replace(/functions: (\[.*\])/, "functions: tool.loads++ === 0 ? $1 : []");
    const one = project({ "weather/toolkit.ts": onlyOnce });
    const { entries } = await catalogOf(one);
    await entries[0]?.load();
    await expect(entries[0]?.load()).rejects.toThrow('returned the tool "first" at build time, and does not return it');
  });
});

interface Mistake {
  readonly files: Record<string, string>;
  readonly file: string;
  readonly problem: string;
  readonly fix: string;
}

/** A mistake in the toolkit as a whole. */
const whole = (text: string, problem: string, fix: string, line = 3): Mistake => ({
  files: { "kit/toolkit.ts": text },
  file: `tools/kit/toolkit.ts:${line}`,
  problem,
  fix,
});
/** A mistake in one of its tools, `act`. */
const inAct = (text: string, problem: string, fix: string): Mistake => ({
  files: { "kit/toolkit.ts": bringing({ act: text, other: made("other") }) },
  file: "tools/kit/toolkit.ts (act)",
  problem,
  fix,
});

const MISTAKES: Record<string, Mistake> = {
  "tools that are a record": whole(
    'import { defineToolkit } from "#tool";\nexport default defineToolkit({\n  tools: {},\n} as any);',
    'its "tools" is not a function',
    "write tools: fromOpenTool(…) (docs/opentool.md), or a file for each tool",
  ),
  "no tools": whole(bringing({}), "its tools() brings no tools", "have it return tools by name, or leave it out", 4),
  "a name with a blank": whole(
    bringing({ "send all": made("x") }),
    'it brings a tool called "send all"',
    "write 1 to 64 of A-Z a-z 0-9 _ -",
    4,
  ),
  "a name without letters": whole(bringing({ __: made("x") }), 'called "__"', "and not only _ -", 4),
  "a misspelled member": whole(
    bringing({ act: made("x") }).replace("tools:", "tool:"),
    'a toolkit has no member "tool"',
    "write tools, or remove it, or write one of name, instructions, tools",
    4,
  ),
  "a description that cannot be loaded": whole(
    opentool([]).replace("load: async () =>", "load: async () => { throw new Error('no network') }, x: () =>"),
    "its tools cannot be read: Error: no network",
    "correct what the message names; discovery calls this, without network, secrets and bindings",
    6,
  ),
  "a sloppy version": whole(
    opentool([]).replace('version: "1.0.0"', 'version: "1.0"'),
    'its tools cannot be read: TypeError: info.version is "1.0", which is not three integers: ' +
      'write fromOpenTool(…, { version: "1.0.0" })',
    "correct what the message names",
    6,
  ),
  "a tool without description": inAct(made("x", 'description: ""'), "it has no description", "add description"),
  "a tool that is nothing": inAct("null", "its default export is not a tool definition", "defineTool("),
  "a tool with a sloppy version": inAct(
    made("x", 'version: "1"'),
    'its version "1" is not three integers',
    'write version: "1.0.0"',
  ),
  "a tool whose parameter has no description": inAct(
    made("x", "input: v.object({ a: v.string() })"),
    'the parameter "a" has no description',
    "write a:",
  ),
  "a tool whose schema is no JSON Schema": inAct(
    made("x", 'input: jsonSchema({ type: "object", properties: { a: { description: "A.", minLength: "x" } } })'),
    "its input is not a valid JSON Schema",
    "correct what the message names",
  ),
  "a tool that hosts refuse": inAct(
    made("x", 'input: jsonSchema({ type: "object", properties: { "a b": { description: "A.", type: "string" } } })'),
    'Claude refuses every tool of a server with a parameter named "a b"',
    "give it a name of 1 to 64 letters",
  ),
  "a tool with a reserved parameter": inAct(
    made("x", 'input: jsonSchema({ type: "object", properties: { session: { description: "A.", type: "string" } } })'),
    'the parameter "session" is reserved',
    "give the parameter another name",
  ),
  "a tool with the id of a file": {
    files: { "kit/toolkit.ts": opentool([described("seekAll")]), "kit/seek-all.ts": tool() },
    file: "tools/kit/toolkit.ts (seekAll)",
    problem: "it is called Kit.SeekAll, and so is tools/kit/seek-all.ts",
    fix: "rename one of them",
  },
  "a tool with the id of a file of another version": {
    files: {
      "kit/toolkit.ts": opentool([described("seek")]),
      "kit/seek.ts": tool({ version: '"2.0.0"', name: '"seek"' }),
    },
    file: "tools/kit/toolkit.ts (seek)",
    problem: "it is called Kit.Seek, and so is tools/kit/seek.ts",
    fix: "rename one of them",
  },
  "two tools with one id": {
    files: { "kit/toolkit.ts": opentool([described("find-all"), described("find_all")]) },
    file: "tools/kit/toolkit.ts (find_all)",
    problem: "it is called Kit.FindAll, and so is tools/kit/toolkit.ts (find-all)",
    fix: "rename one of them",
  },
  "tools of two toolkits with one name": {
    files: { "a/toolkit.ts": opentool([described("find")]), "b/toolkit.ts": opentool([described("find")]) },
    file: "tools/b/toolkit.ts (find)",
    problem: "it is the tool find, and so is tools/a/toolkit.ts (find)",
    fix: "rename one of them, or give fromOpenTool { keepNames: false }",
  },
};

/** Discovery looks for this if there is no other mistake. */
const LATER = "a tool that hosts refuse";
/** One run of discovery reports all mistakes, each in toolkits of its own: `kit-7`. */
const MOVED = Object.entries(MISTAKES).map(([name, { files, ...said }], at) => {
  const move = (text: string) => text.replace(/tools\/\w+/g, `$&-${at}`).replace(/\bKit\./g, `Kit${at}.`);
  const moved = Object.entries(files).map(([path, text]) => [path.replace("/", `-${at}/`), text]);
  return {
    name,
    files: Object.fromEntries(moved),
    file: move(said.file),
    problem: move(said.problem),
    fix: said.fix,
    at,
  };
});

describe("a mistake in what a toolkit brings is a build error that names the file and the tool", () => {
  const found: Problem[] = [];
  beforeAll(async () => {
    for (const together of [MOVED.filter(({ name }) => name !== LATER), MOVED.filter(({ name }) => name === LATER)]) {
      const { tools } = project(Object.assign({}, ...together.map(({ files }) => files)));
      const result = await discover(tools, undefined);
      if (!("problems" in result)) throw new Error("there is no problem");
      found.push(...result.problems);
    }
  });

  it.each(MOVED)("$name", ({ file, problem, fix, at }) => {
    const own = found.filter((one) => new RegExp(`^tools/\\w+-${at}/`).test(one.file));
    expect(own).toEqual([{ file, problem: expect.stringContaining(problem), fix: expect.stringContaining(fix) }]);
  });
});

it("two toolkits may have functions of one name that do not keep it", async () => {
  const text = opentool([described("find")], "{ keepNames: false }");
  const found = await discover(project({ "a/toolkit.ts": text, "b/toolkit.ts": text }).tools, undefined);
  if ("problems" in found) throw new Error(JSON.stringify(found.problems));
  expect(found.tools.map(({ name }) => name)).toEqual(["A_Find", "B_Find"]);
});
