/** Views in tools/: what discovery makes of them, and that every mistake names the file, the line and the fix. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { about } from "../../support/node/discovery.ts";
import { mayStart, spawnSync } from "../../support/node/processes.ts";
import { type Project, project, tool } from "../../support/node/project.ts";

// The type checker, and discovery of a whole fork.
mayStart(4);

const page = (body: string) => `<!doctype html>\n<title>View</title>\n${body}\n`;

/** Files by name, the place of the problem, the problem, the fix. */
const MISTAKES: readonly (readonly [files: Record<string, string>, place: string, problem: string, fix: string])[] = [
  [
    { "a/forcast.view.html": page(""), "a/forecast.ts": tool() },
    "a/forcast.view.html",
    "it is the view of no tool: a has no tool called Forcast",
    "name it after Forecast, or write the tool: tools/a/forcast.ts",
  ],
  [
    { "b/one.ts": tool(), "b/one.view.html": page(""), "b/one.view.ts": "" },
    "b/one.view.ts",
    "it is the view of B.One, and so is tools/b/one.view.html",
    "such as _one.ts",
  ],
  [
    { "c/one.ts": tool({ view: "{}" }) },
    "c/one.ts:10",
    "there is no one.view.html or one.view.ts beside it",
    "write that file",
  ],
  [
    { "d/one.ts": tool(), "d/one.view.html": "<p>Hello</p>" },
    "d/one.view.html:1",
    "does not begin with <!doctype html>",
    "in its first line",
  ],
  [
    { "e/one.ts": tool(), "e/one.view.html": page('<!-- <img src="gone.png"> -->\n<img src="logo.png">') },
    "e/one.view.html:4",
    "its <img> loads logo.png",
    "import it in a module script",
  ],
  [
    { "f/one.ts": tool(), "f/one.view.html": page('<script src="./old.js"></script>') },
    "f/one.view.html:3",
    "its <script> loads ./old.js",
    'write <script type="module">',
  ],
  [
    { "g/one.ts": tool(), "g/one.view.html": page('<script type="module">\nconst a = 1;\nconst = ;\n</script>') },
    "g/one.view.html:5",
    "Expected identifier but found",
    "correct what the message names",
  ],
  [
    { "h/one.ts": tool(), "h/one.view.html": page('<script type="module" src="./gone.ts"></script>') },
    "h/one.view.html:3",
    'it loads "./gone.ts", and there is no such file',
    "write tools/h/gone.ts, or correct the path",
  ],
  [
    { "i/one.ts": tool(), "i/one.view.ts": 'import "not-there";' },
    "i/one.view.ts:1",
    'it imports "not-there", which is not installed',
    "run npm install not-there",
  ],
  [
    { "j/one.ts": tool(), "j/one.view.ts": 'import one from "./one.ts";\nconsole.log(one);' },
    "j/one.view.ts:1",
    "it imports tools/j/one.ts, which loads #tool; that runs on the server",
    'write "import type" for types, or import from a helper',
  ],
  [
    { "k/one.ts": tool(), "k/One.view.html": page("") },
    "k/One.view.html",
    '"One" is not a view name',
    "rename the file to one.view.html",
  ],
  [
    { "l/one.ts": tool(), "l/one@1.view.html": page("") },
    "l/one@1.view.html",
    "a view has no versions",
    "rename the file to one.view.html",
  ],
  [
    { "m/one.ts": tool(), "m/one.view.js": "" },
    "m/one.view.js",
    "a view is a .view.html, .view.ts or .view.tsx file",
    "rename it to one.view.ts",
  ],
  [
    { "m/one.ts": tool(), "m/one.view.vue": "" },
    "m/one.view.vue",
    "a view is a .view.html, .view.ts or .view.tsx file",
    "compile it to a script, and import that in one.view.ts",
  ],
];

/** Options of a tool, the problem, the fix. */
const OPTIONS: readonly (readonly [options: Record<string, string>, problem: string, fix: string])[] = [
  [{ view: "true" }, "its view is not an object", "view: { csp:"],
  [{ view: "{ scripts: true }" }, 'its view has no option "scripts"', "csp, permissions, prefersBorder, domain"],
  [{ view: "{ csp: { connect: [] } }" }, 'the csp of its view has no "connect"', "connectDomains"],
  [
    { view: '{ csp: { connectDomains: "https://a.example" } }' },
    "connectDomains of its view is not a list",
    "connectDomains:",
  ],
  [
    { view: `{ csp: { resourceDomains: ["https://a.example/x; script-src *"] } }` },
    "which is not an origin",
    "without a path",
  ],
  [{ view: '{ csp: { frameDomains: ["*"] } }' }, 'frameDomains of its view has "*"', "https://*.example.com"],
  [{ view: '{ permissions: ["usb"] }' }, "the permissions of its view are not all known", "geolocation"],
  [{ view: "{ prefersBorder: 1 }" }, "the prefersBorder of its view is not true or false", "prefersBorder: true"],
  [{ view: '{ domain: "https://a" }' }, "the domain of its view is not a host name", "leave it out"],
  [{ visibility: '["user"]' }, 'its visibility is not a list of "model" and "app"', 'visibility: ["app"]'],
  [{ visibility: "[]" }, "its visibility is not a list", "leave it out"],
];

describe("a mistake in a view", () => {
  let stderr = "";
  beforeAll(async () => {
    ({ stderr } = await project(Object.assign({}, ...MISTAKES.map(([files]) => files))).discover());
    // Names are checked before anything is bundled, so these alone would hide the others.
    const later = MISTAKES.filter(([, , problem]) => !/view name|versions|\.view\.tsx/.test(problem));
    stderr += (await project(Object.assign({}, ...later.map(([files]) => files))).discover()).stderr;
  });

  it.each(MISTAKES.map(([, place, problem, fix]) => ({ place, problem, fix })))("$place", ({ place, problem, fix }) => {
    const said = about(stderr, `tools/${place}\n`);
    expect(said).toContain(problem);
    expect(said).toContain(fix);
  });
});

describe("a mistake in what a tool says of its view", () => {
  let stderr = "";
  beforeAll(async () => {
    const files = OPTIONS.map(([options], at) => [`kit/t${at}.ts`, tool(options)]);
    ({ stderr } = await project(Object.fromEntries(files)).discover());
  });

  it.each(OPTIONS.map(([, problem, fix], at) => ({ at, problem, fix })))("$problem", ({ at, problem, fix }) => {
    const said = about(stderr, `tools/kit/t${at}.ts:10\n`);
    expect(said).toContain(problem);
    expect(said).toContain(fix);
  });
});

const generated = ({ out }: Project, name: string) => join(dirname(out), name);

/** The page of a view, as its module has it. */
function htmlOf(made: Project, name: string): string {
  const module = readFileSync(generated(made, `views/${name}.ts`), "utf8").replace(/^[\s\S]*?export default /, "");
  return runInNewContext(`(${module.trim().replace(/;$/, "")})`).read().text;
}

describe("a view", () => {
  let made: Project;
  beforeAll(async () => {
    made = project({
      "kit/one.ts": tool({ title: '"A < B"', output: "v.array(v.number())" }),
      "kit/one.view.tsx":
        'import "./_one.css";\nimport logo from "./_logo.svg";\nimport { sum } from "./_sum.ts";\ndocument.title = logo + sum(1, 2) + "</script><!--";\n',
      "kit/_one.css": "body { background: url(./_logo.svg) }\n",
      "kit/_logo.svg": "<svg/>",
      "kit/_sum.ts": "export const sum = (a: number, b: number) => a + b;\n",
      "kit/two.ts": tool({ view: '{ csp: { resourceDomains: ["https://cdn.example.com"] } }' }),
      "kit/two.view.html": page(
        '<link rel="stylesheet" href="./_one.css">\n<script>const plain = "stays";</script>\n' +
          '<script src="https://cdn.example.com/a.js"></script>\n<!-- <script type="module">nothing</script> -->\n' +
          '<script type="module">import { sum } from "./_sum.ts";\ndocument.title = "$&" + sum(3, 4);</script>',
      ),
    });
    expect(await made.discover()).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("and 2 views"),
    });
  });

  it("of a script is a page with the tool's title, and everything inside", () => {
    const html = htmlOf(made, "kit.one");
    expect(html).toMatch(/^<!doctype html>\n/);
    expect(html).toContain("<title>A &lt; B</title>");
    expect(html.match(/url\(.?data:image\/svg\+xml/g)).toHaveLength(1);
    expect(html.match(/data:image\/svg\+xml/g)).toHaveLength(2);
    // The only end of a script is the script's own.
    expect(html.match(/<\/script>/g)).toHaveLength(1);
    expect(html).not.toContain("<!--");
  });

  it("of a page keeps what is not bundled, in its place", () => {
    const html = htmlOf(made, "kit.two");
    expect(html).toContain("<title>View</title>\n<style>body{background:url(");
    expect(html).toContain(
      '<script>const plain = "stays";</script>\n<script src="https://cdn.example.com/a.js"></script>',
    );
    expect(html).toContain('<!-- <script type="module">nothing</script> -->\n<script type="module">');
    expect(html).toMatch(/\$&/);
    expect(html).not.toContain("_sum");
  });

  it("knows which tools' values older clients get wrapped, if it uses #view", async () => {
    const one = project({
      "kit/one.ts": tool({ output: "v.array(v.number())" }),
      "kit/one.view.ts": 'import { openView } from "#view";\nopenView("Kit_One");\n',
      "kit/two.ts": tool({ output: "v.object({ value: v.number() })", run: "() => ({ value: 1 })" }),
    });
    expect(await one.discover()).toMatchObject({ code: 0, stderr: "" });
    expect(htmlOf(one, "kit.one")).toContain('=["Kit_One"];');
  });

  it("has another URI when it or its options have changed, and is gone when its file is", async () => {
    const uris = () =>
      readFileSync(generated(made, "views.ts"), "utf8")
        .match(/"ui:[^"]*"/g)
        ?.slice(0, 2);
    const before = uris();
    expect(before?.[0]).toMatch(/^"ui:\/\/kit\/one-[0-9a-f]{8}\.html"$/);
    made.write({ "kit/_sum.ts": "export const sum = (a: number, b: number) => b + a;\n" });
    expect((await made.discover()).code).toBe(0);
    expect(uris()?.[0]).not.toBe(before?.[0]);
    const { rmSync } = await import("node:fs");
    rmSync(join(made.tools, "kit/two.view.html"));
    made.write({ "kit/two.ts": tool() });
    expect((await made.discover()).code).toBe(0);
    expect(existsSync(generated(made, "views/kit.two.ts"))).toBe(false);
    expect(existsSync(generated(made, "views/kit.one.ts"))).toBe(true);
  });

  it("gives the types of all tools that it can call, by the names of MCP", () => {
    const types = readFileSync(generated(made, "view-tools.d.ts"), "utf8");
    expect(types).toContain('"Kit_One": {\n      input: {\n');
    expect(types).toContain("a: string;\n      };\n      output: number[];");
  });
});

describe("under npm start, a view can be debugged", () => {
  const SCRIPT = `<style>p { margin: 0 }</style>
<script type="module">
import "./_one.css";
import { addUp } from "./_sum.ts";
const heights: number[] = [1, 2];
addUp(heights);
</script>`;
  const SUM = `/** Adds. */
export function addUp(all: readonly number[]): number {
  if (all.length > 1) throw new RangeError("too high");
  return 0;
}
`;
  let made: Project;
  beforeAll(() => {
    made = project({
      "kit/one.ts": tool(),
      "kit/one.view.html": page(SCRIPT),
      "kit/two.ts": tool(),
      "kit/two.view.ts": 'import { addUp } from "./_sum.ts";\n\naddUp([1, 2]);\n',
      "kit/_sum.ts": SUM,
      "kit/_one.css": "body { margin: 1rem }\n",
    });
  });

  /** Runs the script of a view as a browser does, and returns the error that it throws. */
  const thrownBy = (html: string): string => {
    const [, script = ""] = /<script type="module">([\s\S]*)<\/script>/.exec(html) ?? [];
    const file = join(made.folder, "view.mjs");
    writeFileSync(file, script);
    return spawnSync(process.execPath, ["--enable-source-maps", file], { encoding: "utf8" }).stderr;
  };

  it("errors name the functions, files and lines that its author wrote", async () => {
    expect(await made.discover({ WRANGLER_COMMAND: "dev" })).toMatchObject({ code: 0, stderr: "" });
    const ofPage = htmlOf(made, "kit.one");
    expect(thrownBy(ofPage)).toMatch(/too high\n +at addUp .*kit\/_sum\.ts:3:[\s\S]*kit\/one\.view\.html:8:1/);
    expect(ofPage).toMatch(/<style>[^<]*body \{[^<]*sourceMappingURL=data:/);
    expect(thrownBy(htmlOf(made, "kit.two"))).toMatch(/at addUp .*kit\/_sum\.ts:3:[\s\S]*kit\/two\.view\.ts:3:1/);
  });

  it("a deployment has none of that", async () => {
    expect((await made.discover()).code).toBe(0);
    for (const name of ["kit.one", "kit.two"]) {
      expect(htmlOf(made, name)).not.toMatch(/sourceMappingURL|addUp/);
      expect(thrownBy(htmlOf(made, name))).toContain("too high");
    }
  });
});
