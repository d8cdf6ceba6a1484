/** Reads the arguments of a call: `key=value`, `{"key": …}`, `-` for stdin, `key=@file`. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Io } from "../../lib/io.ts";
import { Mistake } from "../../lib/mistake.ts";
import type { JsonSchema } from "../protocols/connection.ts";
import { asSchema } from "../protocols/lib.ts";
import { schemaAt } from "./check.ts";
import { coerce, parseJson, typesOf } from "./coerce.ts";

type Input = Record<string, unknown>;

/** How to read what is not on the command line. */
type Sources = ReturnType<typeof sourcesOf>;

/**
 * @param words the arguments after the tool's name
 * @returns the input. Its values have the types of the schema if possible; check.ts finds those that do not
 * @throws {Mistake} if a word cannot be read
 */
export function readInput(words: readonly string[], schema: JsonSchema, sources: Sources): Input {
  const whole = words.filter(isWhole);
  if (whole.length > 1) throw new Mistake(`Write one JSON object, not ${whole.length}: ${whole.join(" ")}`);
  const pairs = words.filter((word) => !isWhole(word)).map((word) => readPair(word, sources));
  const input = whole[0] === undefined ? {} : readWhole(whole[0], sources);
  const byPath = Map.groupBy(pairs, ({ name }) => name);
  for (const [name, all] of byPath) {
    const path = pathOf(name, schema);
    const at = schemaAt(path, schema);
    const texts = all.map(({ text }) => text);
    if (texts.length > 1 && typesOf(at).size > 0 && !typesOf(at).has("array")) {
      throw new Mistake(`${name} is written ${texts.length} times, and takes one value.`);
    }
    put(input, path, coerce(texts, at));
  }
  return input;
}

const isWhole = (word: string) => word === "-" || word.startsWith("{");

function readWhole(word: string, { stdin }: Sources): Input {
  const from = word === "-" ? "stdin" : "the argument that begins with {";
  let value: unknown;
  try {
    value = parseJson(word === "-" ? stdin() : word);
  } catch (error) {
    if (error instanceof Mistake) throw error;
    throw new Mistake(`This is not JSON: ${from} (${(error as Error).message}).`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Input;
  throw new Mistake(`The input is a JSON object, such as {"a": 1}: ${from} is something else.`);
}

function readPair(word: string, { file, stdin }: Sources): { readonly name: string; readonly text: string } {
  const at = word.indexOf("=");
  if (at < 1) throw new Mistake(`"${word}" is not a parameter: write NAME=VALUE, or JSON such as '{"name": "value"}'.`);
  const name = word.slice(0, at);
  const text = word.slice(at + 1);
  // @@ stands for a text that begins with @.
  if (text.startsWith("@@")) return { name, text: text.slice(1) };
  if (text === "@-") return { name, text: stdin() };
  return { name, text: text.startsWith("@") ? file(text.slice(1)) : text };
}

/** `address.street` is a member of `address`, unless the tool has a parameter of just that name. */
function pathOf(name: string, { properties }: JsonSchema): string[] {
  return Object.hasOwn(asSchema(properties), name) ? [name] : name.split(".");
}

function put(input: Input, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) {
    // An assignment to `__proto__` would not make a member.
    Object.defineProperty(input, name, { value, enumerable: true, configurable: true, writable: true });
    return;
  }
  const inner = Object.hasOwn(input, name) ? input[name] : undefined;
  const next = typeof inner === "object" && inner !== null ? (inner as Input) : {};
  put(next, rest, value);
  put(input, [name], next);
}

/** Resolves a path from the folder in which the command was typed: npm runs scripts in that of package.json. */
export function fromHere(path: string, { cwd, env: { INIT_CWD, npm_lifecycle_event: script } }: Io): string {
  return resolve(script === "call" && INIT_CWD ? INIT_CWD : cwd, path);
}

export function sourcesOf(io: Io, { isTTY, fd }: { readonly isTTY?: boolean; readonly fd: number }) {
  return {
    /** The text of a file. @throws {Mistake} */
    file(path: string): string {
      try {
        return readFileSync(fromHere(path, io), "utf8");
      } catch {
        throw new Mistake(`There is no file ${path}: write @@ for a text that begins with @.`);
      }
    },
    stdin(): string {
      if (isTTY) io.console.error("Reading stdin: end it with Ctrl+D.");
      return readFileSync(fd, "utf8");
    },
  };
}
