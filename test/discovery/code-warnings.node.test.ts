/** Code that works on its author's machine, and not in a Worker: a warning with the line. What is not certain is none. */
import { expect, it } from "vitest";
import { project, tool } from "../support/node/project.ts";

/** Warnings as `file:line  problem`, without what comes after a colon in the problem. */
async function warned(files: Record<string, string>): Promise<string[]> {
  const { code, stderr } = await project(files).discover();
  expect(code, stderr).toBe(0);
  return Array.from(
    stderr.matchAll(/^(tools\/.*)\n {2}problem: ([^:\n]*)/gm),
    ([, at, problem]) => `${at}  ${problem}`,
  );
}

it("process.env is named with its line, in helpers too", async () => {
  const helper = "// process.env is not here\nexport const key = () => process.env.KEY;\n";
  expect(
    await warned({
      "kit/a.ts": tool({ run: "() => String(process.env.HOME)" }),
      "kit/b.ts": tool({ run: "() => String(key())" }, 'import { key } from "./_key.ts";'),
      "kit/_key.ts": helper,
      // What wrangler replaces, what is a text, and another thing of this name.
      "kit/c.ts": tool({ run: '() => process.env.NODE_ENV + " of process.env"' }),
      "kit/d.ts": tool({ run: "() => { const process = { env: { A: 'a' } }; return process.env.A; }" }),
    }),
  ).toEqual(["tools/kit/a.ts:9  it reads process.env", "tools/kit/_key.ts:2  it reads process.env"]);
});

it("an SVG as an image block is named with its line; as a resource, an icon or a text it is fine", async () => {
  const { code, stderr } = await project({
    "kit/a.ts": tool(
      {
        run: "() => rich('a', [{\n type: 'image',\n data: 'PHN2Zy8+',\n mimeType: 'image/svg+xml' }])",
        output: "v.string()",
      },
      'import { rich } from "#tool";',
    ),
    "kit/b.ts": tool(
      {
        run: "() => rich('image/svg+xml', [{ type: 'resource', resource: { uri: 'a:b', mimeType: 'image/svg+xml', text: '' } }])",
        icons: "[{ src: 'https://example.com/a.svg', mimeType: 'image/svg+xml' }]",
        output: "v.string()",
      },
      'import { rich } from "#tool";',
    ),
  }).discover();
  expect(code, stderr).toBe(0);
  const warned = Array.from(stderr.matchAll(/^(tools\/.*)\n {2}problem: (it has an SVG[^:\n]*)/gm), ([, at]) => at);
  expect(warned).toEqual([expect.stringMatching(/^tools\/kit\/a\.ts:\d+$/)]);
  expect(stderr).toContain("make it a PNG");
});

it("a variable of the module that calls change is named with its line", async () => {
  const state = [
    "let count = 0;",
    "let last: string | undefined;",
    "const notes: string[] = [];",
    "export const named = 1;",
    "const seen = new Set<string>();",
    "function see(a: string) { seen.add(a); }",
  ].join("\n");
  const run =
    "({ a }) => { count++; ({ a: last } = { a }); notes.push(a); see(a); return String(last) + named + count; }";
  const keeps = (line: number, name: string) => `tools/kit/a.ts:${line}  it keeps ${name} in a variable of the module`;
  expect(await warned({ "kit/a.ts": tool({ run }, state) })).toEqual([
    keeps(3, "count"),
    keeps(4, "last"),
    keeps(5, "notes"),
    keeps(7, "seen"),
  ]);
});

it("what is made while the module loads, what ??= keeps, and a local variable of the same name are no state", async () => {
  const constant = [
    "let sum = 0;",
    "for (const one of [1, 2]) { sum += one; }",
    "const squares = new Map<number, number>();",
    "[1, 2].forEach((one) => { squares.set(one, one ** 2); });",
    "let pattern: RegExp | undefined;",
    "const found = (a: string) => (pattern ??= /a/).test(a);",
    "const parts: string[] = [];",
    "let a = 1, b;",
    "const help = () => 'parts.push(1); sum = 2';",
  ].join("\n");
  const run =
    "({ a }) => { const parts: string[] = []; parts.push(a); return parts.join() + found(a) + sum + help(); }";
  expect(await warned({ "kit/a.ts": tool({ run }, constant) })).toEqual([]);
});

it("a package may do all of this", async () => {
  const { code, stderr } = await project({
    "kit/a.ts": tool({ run: "() => String(counted())" }, 'import { counted } from "counting";'),
    "kit/node_modules/counting/package.json": '{ "name": "counting", "type": "module", "exports": "./index.js" }',
    "kit/node_modules/counting/index.js": "let count = 0;\nexport const counted = () => count++ + process.env.HOME;\n",
  }).discover();
  expect([code, stderr]).toEqual([0, ""]);
});

it("a request while a file loads is named with its line", async () => {
  const request = 'const asked = fetch("data:,a").then((answer) => answer.text());';
  const before = `const other = 1;\n${request}`;
  expect(
    await warned({
      "kit/a.ts": tool({ run: "async () => (await asked) + other" }, before),
      "kit/b.ts": tool({ run: "async () => (await ctx.fetch('x')).text()" }),
    }),
  ).toEqual(["tools/kit/a.ts:4  it sends a request while it loads"]);
});

it("what files print while they are loaded is shown with their names, a broken file's too", async () => {
  const { stdout } = await project({
    "kit/a.ts": tool({}, 'console.log("one", { two: 2 }); console.error("three\\n\\u001b[2Jfour");'),
    "kit/b.ts": tool({}, 'console.info("five"); throw new Error("no");'),
    "kit/c.ts": tool({ run: '() => { console.log("not now"); return "a"; }' }),
  }).discover();
  expect(stdout).toBe(
    "tools/kit/a.ts prints while it is loaded:\n  one { two: 2 }\n  three\n  \\u{1b}[2Jfour\n" +
      "tools/kit/b.ts prints while it is loaded:\n  five\n",
  );
});

it("what only wrangler's bundler can read, such as JSX in a file of JavaScript, is no mistake", async () => {
  const jsx = "let shown = 0;\nexport const view = () => { shown++; return <p/>; };\n";
  const files = {
    "kit/_view.js": jsx,
    "kit/a.ts": tool({}, '// @ts-ignore\nimport { view } from "./_view.js";\nvoid view;'),
  };
  expect(await warned(files)).toEqual(["tools/kit/_view.js:1  it keeps shown in a variable of the module"]);
});
