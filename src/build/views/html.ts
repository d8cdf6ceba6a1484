/** Finds the code in the HTML file of a view: what is bundled into it, and what a host could not load. */
import type { Complaint } from "../read/problem.ts";

/** A piece of the file that is replaced by what it is bundled to. */
export interface Part {
  readonly kind: "script" | "style";
  /** The whole element, by its place in the file. */
  readonly start: number;
  readonly end: number;
  /** The file that it names, relative to the view's; undefined for a script with a text. */
  readonly from: string | undefined;
  readonly text: string;
  /** Of the text. The first line of the file is 1. */
  readonly line: number;
}

/** Comments and raw text come first, so that nothing in them is taken for an element. */
const ELEMENT = /<!--[\s\S]*?-->|<(script|style)\b([^>]*)>([\s\S]*?)<\/\1\s*>|<([a-z][a-z0-9-]*)\b([^>]*)>/gi;
const ABSOLUTE = /^([a-z][a-z0-9+.-]*:|\/\/|#|$)/i;

/** Whether a reference leads to another server, or into the page itself. */
export function isElsewhere(reference: string): boolean {
  return /^(https?:|data:|blob:|\/\/)/i.test(reference);
}

/** @param html text of the file */
export function codeIn(html: string): { parts: Part[]; complaints: Complaint[] } {
  const parts: Part[] = [];
  const complaints: Complaint[] = [];
  if (!/^\s*(<!--[\s\S]*?-->\s*)*<!doctype html>/i.test(html)) {
    const problem = "it is no HTML document: it does not begin with <!doctype html>";
    complaints.push({ problem, fix: "write <!doctype html> in its first line", line: 1 });
  }
  for (const found of html.matchAll(ELEMENT)) {
    const [whole, raw, rawAttributes = "", text = "", name = raw, attributes = rawAttributes] = found;
    if (name === undefined) continue;
    const start = found.index;
    const line = lineAt(html, start);
    const place = { start, end: start + whole.length, text, line: lineAt(html, start + whole.indexOf(">")) };
    const element = name.toLowerCase();
    const { src, href, type, rel } = attributesIn(attributes);
    const reference = src ?? (element === "a" ? undefined : href);
    const isHere = reference !== undefined && !ABSOLUTE.test(reference);
    if (element === "script" && type?.toLowerCase() === "module" && (src === undefined || isHere)) {
      parts.push({ ...place, kind: "script", from: src });
    } else if (element === "link" && rel?.toLowerCase() === "stylesheet" && isHere) {
      parts.push({ ...place, kind: "style", from: href });
    } else if (isHere) complaints.push(notThere(element, reference, line));
  }
  return { parts, complaints };
}

function notThere(element: string, reference: string, line: number): Complaint {
  const problem = `its <${element}> loads ${reference}: hosts get a view as one file, without others beside it`;
  const fix =
    element === "script"
      ? 'write <script type="module">, which is bundled into the view'
      : "import it in a module script, or give its https URL and name that origin in the tool's view.csp";
  return { problem, fix, line };
}

/** Replaces each part by a text. */
export function withParts(html: string, parts: readonly Part[], texts: readonly string[]): string {
  const kept = parts.map(({ start }, at) => html.slice(parts[at - 1]?.end ?? 0, start) + (texts[at] ?? "").trimEnd());
  return kept.join("") + html.slice(parts.at(-1)?.end ?? 0);
}

function attributesIn(text: string): Readonly<Record<string, string | undefined>> {
  const pairs = text.matchAll(/([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi);
  return Object.fromEntries(
    Array.from(pairs, ([, name = "", double, single, bare]) => [name.toLowerCase(), double ?? single ?? bare]),
  );
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
