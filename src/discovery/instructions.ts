/** Collects what a server tells models about itself: `tools/instructions.md`, and a paragraph of each toolkit. */
import { readFileSync } from "node:fs";
import type { Instructions } from "../core/catalog/instructions.ts";
import type { Source } from "./read/evaluate.ts";
import type { Inspected } from "./read/inspected.ts";
import type { Found } from "./read/paths.ts";
import type { Problem } from "./read/problem.ts";

/** In characters. Claude Code cuts off the rest (docs/listings.md, "How long"). */
const MAX_LENGTH = 2_048;
/** In characters. ChatGPT and Codex may read only this much of the beginning. */
const MAX_BEGINNING = 512;

/**
 * @param inspections of the toolkits' files
 * @returns the texts, if there are any; a problem if clients would cut them
 */
export function readInstructions(
  { instructions: own, toolkits }: Found,
  inspections: ReadonlyMap<Source, Inspected>,
): { instructions?: Instructions; problems: Problem[]; warnings: Problem[] } {
  const server = own && readFileSync(own.path, "utf8").trim();
  const texts: { file: string; toolkit?: string; text: string }[] =
    own && server ? [{ file: own.file, text: server }] : [];
  for (const source of toolkits) {
    const text = inspections.get(source)?.instructions;
    if (text !== undefined) texts.push({ file: source.file, toolkit: source.toolkit, text });
  }
  if (texts.length === 0) return { problems: [], warnings: [] };
  const byToolkit = texts.flatMap(({ toolkit, text }) => (toolkit === undefined ? [] : [[toolkit, text] as const]));
  return {
    instructions: { ...(server && { server }), toolkits: Object.fromEntries(byToolkit) },
    problems: tooLong(texts),
    warnings: own && server ? longBeginning(own.file, server) : [],
  };
}

function tooLong(texts: readonly { readonly file: string; readonly text: string }[]): Problem[] {
  const length = texts.map(({ text }) => text).join("\n\n").length;
  const longest = texts.toSorted((a, b) => b.text.length - a.text.length);
  if (length <= MAX_LENGTH || longest[0] === undefined) return [];
  const { file } = longest[0];
  const lengths = longest.map((one) => `${one.file} has ${one.text.length}`).join(", ");
  const excess = `${length - MAX_LENGTH} more than Claude Code reads`;
  const problem = `all instructions together have ${length} characters, ${excess}`;
  return [{ file, problem, fix: `shorten them: ${lengths}` }];
}

function longBeginning(file: string, text: string): Problem[] {
  const [beginning = ""] = text.split(/\n\s*\n/, 1);
  if (beginning.length <= MAX_BEGINNING) return [];
  const read = `ChatGPT and Codex may read only the first ${MAX_BEGINNING}`;
  const problem = `its first paragraph has ${beginning.length} characters, and ${read}`;
  return [{ file, problem, fix: "begin with a shorter paragraph that makes sense alone" }];
}
