/**
 * Tools that import what wrangler bundles by its own rules, or by a fork's settings: each with the value that it
 * returns. Beside them are the settings, and packages made up for them.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { testSettings } from "./fork.ts";

/** What the file begins with, what its tool returns, and what that is. */
const CASES: Readonly<Record<string, readonly [head: string, returned: string, value: unknown]>> = {
  "module of Node by bare name": ['import { basename } from "path"', 'basename("/a/b")', "b"],
  "module of Node in CommonJS": ['import old from "old-style"', "old", ["b", "61", "function"]],
  "module of Node in a dynamic import": ["", '(await import("util")).inspect(1)', "1"],
  "package with conditions": ['import by from "conditional"', "by", "workerd"],
  "package with a browser field": ['import by from "with-browser"', "by", "browser"],
  "JSX in a package": ['import view from "with-jsx"', "view", "b"],
  "rule for text": ['import text from "./names.csv"', "text", "a,b"],
  "rule for data": ['import data from "./raw.dat"', "[data.byteLength, data instanceof ArrayBuffer]", [4, true]],
  "text of a package": ['import text from "old-style/names.csv"', "text", "c,d"],
  "data by default": ['import data from "./raw.bin"', "data.byteLength", 3],
  "alias of a file": [
    'import { word } from "~word"; import { word as same } from "./_word.ts"',
    "[word.is, word === same]",
    ["word", true],
  ],
  "alias of a package": ['import by from "renamed"', "by", "browser"],
  "path of tsconfig.json": [
    'import { word } from "@kit/_word.ts"; import { word as same } from "./_word.ts"',
    "[word.is, word === same]",
    ["word", true],
  ],
  "definition, loading and running": ["const atLoad = BUILD", "[atLoad, BUILD]", ["b42", "b42"]],
  "global of the Worker": [
    `const { default: first } = caches;
class Shout extends HTMLRewriter {}
if (first instanceof Shout || navigator.userAgent !== "Cloudflare-Workers" || self !== globalThis) throw new Error();
addEventListener("error", () => {})`,
    "typeof Shout",
    "function",
  ],
  "randomness and timers": ["const id = crypto.randomUUID(); setTimeout(() => {}, 1)", "id.length", 36],
  enum: ['enum Color { Red = "red" }', "Color.Red", "red"],
  decorator: ['const as = (_: unknown, __: unknown) => () => "b"; class A { @as name() {} }', "new A().name()", "b"],
  "using declaration": ["", '(() => { using _ = { [Symbol.dispose]() {} }; return "b"; })()', "b"],
};

const OTHER_FILES: Readonly<Record<string, string>> = {
  "tools/kit/_word.ts": 'export const word = { is: "word" };',
  "tools/kit/names.csv": "a,b",
  "tools/kit/raw.dat": "1234",
  "tools/kit/raw.bin": "123",
};

const PACKAGES: Readonly<Record<string, string>> = {
  "old-style/index.js":
    'const { basename } = require("path"), { Buffer } = require("node:buffer");\n' +
    'module.exports = [basename("/a/b"), Buffer.from("a").toString("hex"), typeof require("events")];',
  "old-style/names.csv": "c,d",
  "conditional/package.json": '{ "exports": { "workerd": "./workerd.mjs", "node": "./no.js", "default": "./no.js" } }',
  "conditional/workerd.mjs": 'import "cloudflare:sockets"; export default "workerd";',
  "with-browser/package.json": '{ "main": "no.js", "browser": { "./no.js": "./yes.js" } }',
  "with-browser/yes.js": 'module.exports = "browser";',
  "with-jsx/index.js": "const React = { createElement: (name) => name }; module.exports = <b />;",
};

export const RETURNED: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(CASES).map(([name, [, , value]]) => [name, value]),
);

/** `rule-for-text`: the tool's file, without its ending. */
function fileOf(name: string): string {
  return name.toLowerCase().replace(/\W+/g, "-");
}

export function idOf(name: string): string {
  return `Kit.${fileOf(name).replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
}

/** Files of a fork, by path. The type checker is not the subject, and does not know the imports. */
export const FILES: Readonly<Record<string, string>> = {
  ...OTHER_FILES,
  ...Object.fromEntries(
    Object.entries(CASES).map(([name, [head, returned]]) => [
      `tools/kit/${fileOf(name)}.ts`,
      `// @ts-nocheck
import { defineTool } from "#tool";
${head};
export default defineTool({ version: "1.0.0", description: "Is a case.", run: async () => (${returned}) });
`,
    ]),
  ),
};

const rule = (type: string, glob: string) => `[[rules]]\ntype = "${type}"\nglobs = ["${glob}"]\nfallthrough = true\n\n`;
export const SETTINGS = `define = { BUILD = "'b42'" }
alias = { "~word" = "./tools/kit/_word.ts", "renamed" = "with-browser/yes.js" }
${testSettings().replace("[[rules]]", `${rule("Text", "**/*.csv")}${rule("Data", "**/*.dat")}[[rules]]`)}`;

/** @param text of a tsconfig.json */
export function withPaths(text: string): string {
  const { compilerOptions, ...config } = JSON.parse(text);
  return JSON.stringify({ ...config, compilerOptions: { ...compilerOptions, paths: { "@kit/*": ["./tools/kit/*"] } } });
}

/** @param folder of node_modules */
export function writePackages(folder: string): void {
  for (const [path, text] of Object.entries(PACKAGES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
