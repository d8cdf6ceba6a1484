/** URIs with `{variables}`: which URIs a template fits, with which values, and which of two templates goes first. */

/** `{variable}`: one path segment or a part of one (RFC 6570, level 1). */
const VARIABLE = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Where one segment ends. Captured, so that splitting keeps it. */
const DELIMITER = /([/?#])/;

export function hasVariables(uri: string): boolean {
  return uri.includes("{");
}

/** The names of a template's variables. */
export function variableNames(template: string): string[] {
  return Array.from(template.matchAll(VARIABLE), ([, name = ""]) => name);
}

/** A text, or a variable between two texts: discovery lets no segment have two. All are decoded. */
type Segment = readonly [text: string] | readonly [before: string, name: string, after: string];

/** A URI, or a template without variables, is one whose segments are all texts. Delimiters count as segments. */
export type Template = readonly Segment[];

export function parseTemplate(template: string): Template {
  return template.split(DELIMITER).map((segment) => {
    const [before = "", name, after = ""] = segment.split(VARIABLE);
    return name === undefined ? [decoded(before)] : [decoded(before), name, decoded(after)];
  });
}

/** The segments of a URI as they are written, each decoded. An escaped delimiter is part of its segment. */
export function segmentsOf(uri: string): string[] {
  return uri.split(DELIMITER).map(decoded);
}

/** The segments that a URI seems to have if it is decoded first: an escaped delimiter ends one. */
export function apparentSegmentsOf(uri: string): string[] {
  return decoded(uri).split(DELIMITER);
}

export function fits(template: Template, segments: readonly string[]): boolean {
  return template.length === segments.length && template.every((segment, at) => fitsOne(segment, segments[at] ?? ""));
}

function fitsOne([before, name, after = ""]: Segment, text: string): boolean {
  if (name === undefined) return text === before;
  return text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after);
}

/** @param segments that the template fits */
export function valuesIn(template: Template, segments: readonly string[]): Record<string, string> {
  const values = template.flatMap(([before, name, after = ""], at) => {
    const text = segments[at] ?? "";
    return name === undefined ? [] : [[name, text.slice(before.length, text.length - after.length)] as const];
  });
  return Object.fromEntries(values);
}

/** Sorts first whichever is more literal in the first segment where they differ in that. */
export function moreLiteralFirst(one: Template, other: Template): number {
  const shared = Math.min(one.length, other.length);
  for (let at = 0; at < shared; at++) {
    const difference = literalness(other[at]) - literalness(one[at]);
    if (difference !== 0) return difference;
  }
  return other.length - one.length;
}

/** How many characters a segment spells out; more than any variable's for one that is spelled out entirely. */
function literalness([before, name, after = ""]: Segment = [""]): number {
  return name === undefined ? Number.MAX_SAFE_INTEGER : before.length + after.length;
}

export function isWellEscaped(uri: string): boolean {
  try {
    decodeURIComponent(uri);
    return true;
  } catch {
    return false;
  }
}

/** A text with a malformed escape stays as it is. */
function decoded(text: string): string {
  return isWellEscaped(text) ? decodeURIComponent(text) : text;
}
