/**
 * Warns about code that works on its author's machine but not in a Worker: `process.env`, and module variables that
 * calls change; and about pictures that hosts refuse. Reports a case only if it is certain.
 */
import { readFileSync } from "node:fs";
import { extname, resolve } from "node:path";
import { type Loader, transform } from "esbuild";
import type { Imports } from "./read/cycles.ts";
import { type Complaint, type Problem, problemIn } from "./read/problem.ts";

const FRAMEWORK = resolve(import.meta.dirname, "..");
const LOADERS: Readonly<Record<string, Loader>> = {
  ".ts": "ts",
  ".mts": "ts",
  ".tsx": "tsx",
  ".js": "jsx",
  ".mjs": "jsx",
};

/**
 * @param imports what each file imports, by its path relative to `base`
 * @param base    folder that file names in messages are relative to
 */
export async function codeWarnings(imports: Imports, base: string): Promise<Problem[]> {
  const own = [...imports.keys()].filter(
    (file) => !/(^|\/)node_modules\//.test(file) && !resolve(base, file).startsWith(`${FRAMEWORK}/`),
  );
  const found = own.map(async (file) => {
    const loader = LOADERS[extname(file)];
    const complaints = loader ? await warningsOf(readFileSync(resolve(base, file), "utf8"), loader) : [];
    return complaints.map((complaint) => problemIn(file, complaint));
  });
  return (await Promise.all(found)).flat();
}

const SVG = /\bimage\/svg\b/i;
/** An object literal that contains no other, as esbuild prints it. */
const LITERAL = /\{[^{}]*\}/g;
const ENV = /\bprocess\.env\b/;
/** The beginning of a line that declares a variable with `let`. */
const VARIABLE = /^(export )?let ([\w$]+)( = |;$)/gm;
const CONTAINER = /^const ([\w$]+) = (?:\[\]|(?:\/\* @__PURE__ \*\/ )?new (?:Map|Set)\(\));$/gm;
const CHANGES = ["push", "unshift", "splice", "pop", "shift", "set", "add", "delete", "clear"];
/** Stands for `process.env`, or for a method that changes a container. */
const FOUND = "TRIVET_FOUND";

async function warningsOf(text: string, loader: Loader): Promise<Complaint[]> {
  if (!ENV.test(text) && !SVG.test(text) && !/^(export )?let |\[\]|new (Map|Set)\b/m.test(text)) return [];
  // wrangler replaces NODE_ENV. esbuild prints each statement of a module at the beginning of a line.
  const define = { "process.env.NODE_ENV": '""', "process.env": FOUND };
  // The file could be bundled with the options of the settings. If it cannot be parsed without them, it gets no
  // warning.
  const { code } = await transform(text, { loader, define, logLevel: "silent" }).catch(() => ({ code: "" }));
  const complaints: Complaint[] = [];
  if (code.includes(FOUND)) complaints.push({ ...OF_ENV, line: lineWith(ENV, text) });
  const hasSvg = code
    .match(LITERAL)
    ?.some((one) => /\btype: "image"/.test(one) && /\bmimeType: "image\/svg\b/i.test(one));
  if (hasSvg) complaints.push({ ...OF_SVG, line: lineWith(SVG, text) });
  const names = await changedVariables(code.replaceAll(FOUND, "undefined"));
  for (const name of names) {
    const line = lineWith(new RegExp(`^(export )?(const|let) ${name.replaceAll("$", "\\$")}\\b`), text);
    complaints.push({ ...ofState(name), line });
  }
  return complaints;
}

/**
 * Variables of a module that its functions change. `let` becomes `const`, so that esbuild warns of each assignment;
 * `define` marks calls of `push`, `set` etc. `??=` may stay: it caches what can be recomputed.
 */
async function changedVariables(code: string): Promise<string[]> {
  const containers = Array.from(code.matchAll(CONTAINER), ([, name = ""]) => name);
  const constant = code
    .replace(CONTAINER, "")
    .replace(VARIABLE, (_, exported = "", name, rest) => `${exported}const ${name}${rest === ";" ? " = null;" : rest}`);
  if (constant === code) return [];
  const methods = containers.flatMap((name) => CHANGES.map((method) => [`${name}.${method}`, `${FOUND}_${name}`]));
  const transformed = transform(constant, { loader: "js", define: Object.fromEntries(methods), logLevel: "silent" });
  // This fails if one statement declares several variables, some without a value. Then nothing is certain.
  const { code: found, warnings } = await transformed.catch(() => ({ code: "", warnings: [] }));
  const assigned = warnings.flatMap(({ id, text, location }) => {
    const [, name = ""] = (id === "assign-to-constant" && /"(.*)"/.exec(text)) || [];
    if (name === "" || location === null) return [];
    const after = location.lineText.slice(location.column + location.length);
    return !/^\s*\?\?=/.test(after) && isInFunction(constant.split("\n"), location.line - 1) ? [name] : [];
  });
  const lines = found.split("\n");
  const changed = containers.filter((name) =>
    lines.some((line, at) => line.includes(`${FOUND}_${name}(`) && isInFunction(lines, at)),
  );
  return [...new Set([...assigned, ...changed])];
}

const FUNCTION =
  /^(export )?(default |(async )?function\b|class |(const|var) [\w$]+ = ((async )?(function|\(.*=>|\w+ =>)|define\w+\())/;

/** Whether a line is part of a function of the module, and does not run while the module loads. */
function isInFunction(lines: readonly string[], at: number): boolean {
  const statement = lines.slice(0, at + 1).findLast((line) => /^[\w$]/.test(line));
  return statement !== undefined && FUNCTION.test(statement);
}

function lineWith(pattern: RegExp, text: string): number | undefined {
  const at = text.split("\n").findIndex((line) => pattern.test(line) && !/^\s*(\/\/|\*)/.test(line));
  return at < 0 ? undefined : at + 1;
}

const OF_ENV = {
  problem: "it reads process.env: its own requirements do not say so, and a test reads what is set on this machine",
  fix: "declare the name in env or requirements, and read ctx.env or ctx.secrets (docs/data.md)",
};

const OF_SVG = {
  problem: "it has an SVG as an image block: hosts and the APIs of models refuse it, and with it the whole result",
  fix: "make it a PNG, or send the SVG as a resource or as text (docs/tools.md)",
};

const ofState = (name: string) => ({
  problem: `it keeps ${name} in a variable of the module: another call may run in another isolate, which does not have it`,
  fix: "use ctx.session or a binding; a value that can be recomputed may be cached with ??= (but not a promise, which ends with its call)",
});
