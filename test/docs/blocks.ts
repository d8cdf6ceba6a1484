/** Finds the fenced blocks of the documentation, each with its place, and what the text before it says about it. */
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isUpstream } from "../support/node/upstream.ts";

export const ROOT = resolve(import.meta.dirname, "../..");

/** All pages, relative to the project, without the README of a fork. A new page needs no entry here. */
export const PAGES = globSync("{*.md,docs/**/*.md,.agents/**/*.md}", { cwd: ROOT })
  .filter((page) => isUpstream || page !== "README.md")
  .sort();

export interface Block {
  /** Such as `docs/tools.md:12`: where the block begins. */
  readonly at: string;
  readonly page: string;
  readonly line: number;
  /** The word after the fence; "" without one. */
  readonly language: string;
  readonly text: string;
  /** What an HTML comment directly before the block says about it, such as `not run: needs an account`. */
  readonly note: string | undefined;
  /** The file that a `ts`, `html`, `md` or `sql` block is, such as `tools/hello/greet.ts`; undefined for a fragment. */
  readonly path: string | undefined;
  /** The block before it, if there is no heading in between. */
  readonly previous: Block | undefined;
}

/** The last file that the text before a block names in backticks, or the file that its first line names. */
const FILE_IN_TEXT = /`(tools\/[^`\s*<>]+(?:\.ts|\.html|\/SKILL\.md)|migrations\/[^`\s*<>…]+\.sql)`/g;
const FILE_IN_BLOCK = /^\/\/ (tools\/\S+\.ts)\b/;
const NOTE = /<!--\s*([\s\S]*?)\s*-->\s*$/;

export function blocksOf(page: string, markdown = readFileSync(resolve(ROOT, page), "utf8")): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split("\n");
  let previous: Block | undefined;
  let before = "";
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const [, indent = "", fence, language = ""] = /^( *)(`{3,})(\w*)/.exec(line) ?? [];
    if (fence === undefined) {
      before += `${line}\n`;
      if (line.startsWith("#")) {
        previous = undefined;
        before = "";
      }
      continue;
    }
    const end = lines.findIndex((other, index) => index > at && other.trim() === fence);
    if (end < 0) throw new Error(`${page}:${at + 1}: this block has no end`);
    const text = `${lines
      .slice(at + 1, end)
      .map((inner) => inner.slice(indent.length))
      .join("\n")}\n`;
    const path = FILE_IN_BLOCK.exec(text)?.[1] ?? [...before.matchAll(FILE_IN_TEXT)].at(-1)?.[1];
    const note = NOTE.exec(before)?.[1];
    previous = {
      at: `${page}:${at + 1}`,
      page,
      line: at + 1,
      language,
      text,
      note,
      path: path?.endsWith(`.${language}`) ? path : undefined,
      previous,
    };
    blocks.push(previous);
    before = "";
    at = end;
  }
  return blocks;
}

export const BLOCKS = PAGES.flatMap((page) => blocksOf(page));

/** Why a block is not run, as the comment `<!-- not run: REASON -->` before it says; undefined if it is run. */
export function notRun({ note }: Block): string | undefined {
  return /^not run: (.+)/s.exec(note ?? "")?.[1];
}

/** The blocks of a language that are run. */
export function blocksIn(language: string): Block[] {
  return BLOCKS.filter((block) => block.language === language && notRun(block) === undefined);
}
