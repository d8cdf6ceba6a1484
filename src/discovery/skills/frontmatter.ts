/** Reads the frontmatter of a SKILL.md, and checks what Agent Skills demands of it (agentskills.io/specification). */
import { isDeepStrictEqual } from "node:util";
import { type Alias, isMap, isPair, isScalar, LineCounter, type Pair, parseDocument, visit, type YAMLMap } from "yaml";
import { isRecord } from "../../core/lib/json.ts";
import type { Complaint } from "../read/problem.ts";

export type Frontmatter = Readonly<Record<string, unknown>>;

const MAX_DESCRIPTION = 1_024;
const MAX_COMPATIBILITY = 500;
/** "Keys prefixed with io.modelcontextprotocol/ are reserved" (SEP-2640, Frontmatter). */
const RESERVED = "io.modelcontextprotocol/";
/** The least that a SKILL.md begins with, for messages. */
const leastOf = (name: string) => `---\nname: ${name}\ndescription: What it is for, and when to use it.\n---`;

/**
 * @param text of the SKILL.md
 * @param folder name of its folder, which must also be the name of the skill
 * @returns every field as its author wrote it, or what is wrong
 */
export function readFrontmatter(
  text: string,
  folder: string,
): { readonly frontmatter: Frontmatter } | { readonly complaints: readonly Complaint[] } {
  const whole = text.replace(/^\uFEFF/, "");
  const start = whole.indexOf("\n") + 1;
  const [opening, rest] = [whole.slice(0, start), whole.slice(start)];
  if (!/^---[ \t]*\r?\n$/.test(opening)) return mistake(1, NO_FRONTMATTER, `begin it with\n${leastOf(folder)}`);
  const end = /^---[ \t]*\r?$/m.exec(rest);
  if (end === null) return mistake(1, "its frontmatter has no end", 'write "---" on a line of its own after it');

  const yaml = rest.slice(0, end.index);
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false });
  // The YAML begins in the second line of the file: the first one is `---`.
  const lineAt = (offset: number) => lines.linePos(offset).line + 1;
  const [wrong] = [...document.errors, ...document.warnings];
  if (wrong) {
    const problem = `its frontmatter is not valid YAML: ${wrong.message}`;
    return mistake(lineAt(wrong.pos[0]), problem, "correct what the message names; a text with a colon needs quotes");
  }
  let alias: Alias | undefined;
  visit(document, {
    Alias(_key, node) {
      alias = node;
      return visit.BREAK;
    },
  });
  if (alias) {
    // An alias may refer to itself, or make a short text huge.
    const problem = `its frontmatter refers to a value elsewhere: *${alias.source}`;
    return mistake(lineAt(alias.range?.[0] ?? 0), problem, "write the value itself, or quote the text");
  }
  const map = document.contents;
  if (!isMap(map)) return mistake(2, "its frontmatter is not a list of fields", `write\n${leastOf(folder)}`);

  const read: unknown = document.toJS();
  const frontmatter = isRecord(read) ? read : {};
  const lineOf = lineFinder(map as YAMLMap, lineAt);
  const other: unknown = parseDocument(yaml, { version: "1.1" }).toJS();
  const found: FieldComplaint[] = [
    ...checkFields(frontmatter, folder),
    ...checkMetadata(frontmatter.metadata),
    ...sameEverywhere(frontmatter, isRecord(other) ? other : {}),
  ];
  const complaints = found.map(({ member = "", entry, ...complaint }) => ({
    ...complaint,
    line: lineOf(member, entry),
  }));
  // One complaint about a field is enough.
  const first = complaints.filter(
    ({ line }, at, all) => line === 1 || all.findIndex((one) => one.line === line) === at,
  );
  return first.length > 0 ? { complaints: first } : { frontmatter };
}

/** A complaint about a field, or about one of the entries that it has. */
type FieldComplaint = Complaint & { readonly entry?: string };

const NO_FRONTMATTER = "it does not begin with frontmatter, the lines that say what the skill is for";

function mistake(line: number, problem: string, fix: string): { complaints: Complaint[] } {
  return { complaints: [{ line, problem, fix }] };
}

/** @returns the line of a field, or of an entry in it; 1 if there is none */
function lineFinder(map: YAMLMap, lineAt: (offset: number) => number): (field: string, entry?: string) => number {
  const pairIn = (all: unknown, name: string) =>
    isMap(all)
      ? all.items.find((item): item is Pair => isPair(item) && isScalar(item.key) && String(item.key.value) === name)
      : undefined;
  return (field, entry) => {
    const own = pairIn(map, field);
    const key = (entry === undefined ? own : (pairIn(own?.value, entry) ?? own))?.key;
    return isScalar(key) && key.range ? lineAt(key.range[0]) : 1;
  };
}

function* checkFields(fields: Frontmatter, folder: string): Generator<Complaint> {
  const { name, description, license, compatibility } = fields;
  if (name === undefined) yield { problem: "it has no name", fix: `add name: ${folder}` };
  else if (name !== folder) {
    const fix = `write name: ${folder}, or rename the folder`;
    yield { problem: `its name is ${JSON.stringify(name)}, and that of its folder "${folder}"`, fix, member: "name" };
  }
  if (typeof description !== "string" || description.trim() === "") {
    yield { problem: "it has no description", fix: "add description: What it is for, and when to use it." };
  } else if (description.length > MAX_DESCRIPTION) {
    const problem = `its description has ${description.length} characters, and hosts accept ${MAX_DESCRIPTION}`;
    yield { problem, fix: "shorten it to what a model needs to choose the skill", member: "description" };
  }
  for (const [member, value] of Object.entries({ license, compatibility, "allowed-tools": fields["allowed-tools"] })) {
    if (value === undefined || typeof value === "string") continue;
    yield { problem: `its "${member}" is not a text`, fix: "write a text, in quotes", member };
  }
  if (typeof compatibility === "string" && compatibility.length > MAX_COMPATIBILITY) {
    const problem = `its compatibility has ${compatibility.length} characters, and hosts accept ${MAX_COMPATIBILITY}`;
    yield { problem, fix: "shorten it", member: "compatibility" };
  }
}

function* checkMetadata(metadata: unknown): Generator<FieldComplaint> {
  if (metadata === undefined) return;
  const member = "metadata";
  if (!isRecord(metadata)) {
    yield { problem: 'its "metadata" is not a list of names and texts', fix: 'write metadata:\n  author: "…"', member };
    return;
  }
  for (const [name, value] of Object.entries(metadata)) {
    if (name.startsWith(RESERVED)) {
      yield { problem: `"${RESERVED}" is reserved for MCP`, fix: `give "${name}" another name`, member, entry: name };
    }
    if (typeof value === "string") continue;
    const fix = `write it in quotes: ${name}: ${JSON.stringify(String(value))}`;
    yield { problem: `"${name}" in its "metadata" is not a text`, fix, member, entry: name };
  }
}

/**
 * A host parses the frontmatter again, and refuses the skill if it reads anything else ("MUST NOT be loaded", SEP-2640,
 * Frontmatter Verification). Half of all parsers read YAML 1.1, in which 2026-01-01 is a date and "no" is false.
 */
function* sameEverywhere(fields: Frontmatter, other: Frontmatter): Generator<FieldComplaint> {
  for (const [member, value] of Object.entries(fields)) {
    if (!isDeepStrictEqual(value, JSON.parse(JSON.stringify(value ?? null)))) {
      yield { problem: `its "${member}" cannot be written as JSON`, fix: "write it in quotes", member };
    } else if (!isDeepStrictEqual(value, other[member])) {
      const problem = `hosts read its "${member}" differently: in YAML 1.1 it is not the same as in 1.2`;
      const [was, is] = [other[member], value].map((one) => (isRecord(one) ? one : {}));
      const entry = Object.keys(is ?? {}).find((name) => !isDeepStrictEqual(is?.[name], was?.[name]));
      yield { problem, fix: "write its values in quotes", member, ...(entry !== undefined && { entry }) };
    }
  }
}
