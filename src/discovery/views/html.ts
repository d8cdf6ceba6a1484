/** Finds the code in the HTML file of a view: what is bundled into it, and what a host could not load. */
import type { Complaint } from "../read/problem.ts";
import { notAllowed } from "./origins.ts";

/** A piece of the file that is replaced by what it is bundled to. */
export interface Part {
  readonly kind: "script" | "style";
  /** The whole element, by its place in the file. */
  readonly start: number;
  readonly end: number;
  /** The file that it names, relative to the view's; undefined for a script with a text. */
  readonly from: string | undefined;
  readonly text: string;
  /** The line where the text begins. The first line of the file is 1. */
  readonly line: number;
}

/**
 * Comments and raw text come first, so that nothing in them is taken for an element. What has no end matches up to the
 * end of the file. If it did not match, the rest of the file would be searched again for each of many such beginnings.
 */
const ELEMENT =
  /<!--[\s\S]*?(?:-->|$)|<(script|style)\b([^>]*)>([\s\S]*?)(?:<\/\1\s*>|$)|<([a-z][a-z0-9-]*)\b([^>]*)(?:>|$)/gi;
const LOADING = /^(script|img|source|audio|video|track)$/;
const LOADING_LINK = /\b(stylesheet|icon|preload|modulepreload)\b/i;
/** A URL that a style loads from another server. */
const STYLE_URL = /(?:url\(\s*|@import\s+)["']?((?:https?:)?\/\/[^"')\s]+)/gi;
/** The type of a script that is neither a module nor data. */
const SCRIPT = /^(|(text|application)\/javascript)$/i;
const IMPORT = /^[ \t]*import\s*(?:["'{*]|[\w$]+\s*(?:,|\sfrom\b))/m;
const ABSOLUTE = /^([a-z][a-z0-9+.-]*:|\/\/|#|$)/i;

/** Whether a reference leads to another server, or into the page itself. */
export function isElsewhere(reference: string): boolean {
  return /^(https?:|data:|blob:|\/\/)/i.test(reference);
}

/**
 * @param html    text of the file
 * @param domains origins that its tool lets it load from
 */
export function codeIn(html: string, domains: readonly string[]): { parts: Part[]; complaints: Complaint[] } {
  const parts: Part[] = [];
  const complaints: Complaint[] = [];
  if (!/^<!doctype html>/i.test(withoutComments(html))) {
    const problem = "it is not an HTML document: it does not begin with <!doctype html>";
    complaints.push({ problem, fix: "write <!doctype html> in its first line", line: 1 });
  }
  const lineAt = lineCounter(html);
  for (const found of html.matchAll(ELEMENT)) {
    const [whole, raw, rawAttributes = "", text = "", name = raw, attributes = rawAttributes] = found;
    if (name === undefined) continue;
    const start = found.index;
    const line = lineAt(start);
    const textLine = lineAt(start + whole.indexOf(">"));
    const place = { start, end: start + whole.length, text, line: textLine };
    const element = name.toLowerCase();
    const { src, href, type = "", rel = "" } = attributesIn(attributes);
    const reference = src ?? (element === "a" ? undefined : href);
    const isHere = reference !== undefined && !ABSOLUTE.test(reference);
    if (element === "script" && type.toLowerCase() === "module" && (src === undefined || isHere)) {
      parts.push({ ...place, kind: "script", from: src });
    } else if (element === "link" && rel.toLowerCase() === "stylesheet" && isHere) {
      parts.push({ ...place, kind: "style", from: href });
    } else if (isHere) complaints.push(notThere(element, reference, line));
    else if (element === "script" && SCRIPT.test(type) && IMPORT.test(text)) {
      const problem = "its <script> has an import, which only a module may have";
      complaints.push({ problem, fix: 'write <script type="module">', line });
    } else if (reference !== undefined && (LOADING.test(element) || (element === "link" && LOADING_LINK.test(rel)))) {
      complaints.push(...foreign(reference, line));
    } else if (element === "style") {
      const lineIn = lineCounter(text);
      for (const { index, 1: url = "" } of text.matchAll(STYLE_URL)) {
        complaints.push(...foreign(url, textLine + lineIn(index) - 1));
      }
    }
  }
  return { parts, complaints };

  function foreign(reference: string, line: number): Complaint[] {
    const wrong = notAllowed(reference, domains);
    return wrong ? [{ ...wrong, line }] : [];
  }
}

function notThere(element: string, reference: string, line: number): Complaint {
  const problem = `its <${element}> loads ${reference}: hosts get a view as one file, without others beside it`;
  const fix =
    element === "script"
      ? 'write <script type="module">, which is bundled into the view'
      : "import it in a module script, or give its https URL and name that origin in the tool's view.csp";
  return { problem, fix, line };
}

export function withParts(html: string, parts: readonly Part[], texts: readonly string[]): string {
  const kept = parts.map(({ start }, at) => html.slice(parts[at - 1]?.end ?? 0, start) + (texts[at] ?? "").trimEnd());
  return kept.join("") + html.slice(parts.at(-1)?.end ?? 0);
}

function attributesIn(text: string): Readonly<Record<string, string | undefined>> {
  const pairs = text.matchAll(/(?<![a-z-])([a-z-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi);
  return Object.fromEntries(
    Array.from(pairs, ([, name = "", double, single, bare]) => [name.toLowerCase(), double ?? single ?? bare]),
  );
}

/** The text after white space and comments. */
function withoutComments(html: string): string {
  let at = 0;
  for (;;) {
    at += html.slice(at).search(/\S|$/);
    const end = html.startsWith("<!--", at) ? html.indexOf("-->", at) : -1;
    if (end < 0) return html.slice(at);
    at = end + "-->".length;
  }
}

/** Makes a function that gives the line of an index. Indices must ascend, so that the file is read only once. */
function lineCounter(text: string): (index: number) => number {
  let line = 1;
  let end = text.indexOf("\n");
  return (index) => {
    for (; end >= 0 && end < index; end = text.indexOf("\n", end + 1)) line++;
    return line;
  };
}
