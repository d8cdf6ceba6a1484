/**
 * Matches URIs against templates with `{variables}`: which URIs a template fits, with which values, and which of two
 * templates comes first. Templates with operators, such as `{+path}`, are in features/uri-templates.
 */
import type { ResourceEntry } from "../model/primitives.ts";
import type { Decode, Fit, Matcher, Reading, Rule, UriTemplates } from "../ports/uri-templates.ts";

/** `{variable}`: one path segment or a part of one (RFC 6570, level 1). */
const VARIABLE = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Ends a segment. Captured, so that splitting keeps it. */
export const DELIMITER = /([/?#])/;

export function hasVariables(uri: string): boolean {
  return uri.includes("{");
}

/** A text, or one variable between two texts: discovery refuses a segment with two variables. All texts are decoded. */
type Segment = readonly [text: string] | readonly [before: string, name: string, after: string];

/** The segments of a template, or of a URI, whose segments are all texts. Delimiters count as segments. */
export type Template = readonly Segment[];

export function parseTemplate(template: string): Template {
  return template.split(DELIMITER).map((segment) => {
    const [before = "", name, after = ""] = segment.split(VARIABLE);
    return name === undefined ? [decoded(before)] : [decoded(before), name, decoded(after)];
  });
}

export function readingOf(text: string, decode: Decode): Reading {
  return { text, decode, segments: text.split(DELIMITER).map(decode) };
}

/** See {@link UriTemplates.matcherOf}. */
export function matcherOf({ uri: template }: ResourceEntry): Matcher {
  const parsed = parseTemplate(template);
  return ({ segments }) => {
    if (!fits(parsed, segments)) return undefined;
    const values = valuesIn(parsed, segments);
    return {
      literal: parsed.map(literalness),
      variables: Object.values(values).every(SEGMENT.is) ? values : undefined,
    };
  };
}

/** @param segments decoded. An escaped delimiter is part of its segment */
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

/** Compares the first segments that are not equally literal: the more literal one comes first, a missing one last. */
export function moreLiteralFirst({ literal: one }: Fit, { literal: other }: Fit): number {
  const most = Math.max(one.length, other.length);
  for (let at = 0; at < most; at++) {
    const difference = (other[at] ?? -1) - (one[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** How many characters a segment spells out. A segment without a variable has more than any with one. */
export function literalness([before, name, after = ""]: Segment): number {
  return name === undefined ? Number.MAX_SAFE_INTEGER : before.length + after.length;
}

/**
 * "." and "..", in every form that a URL parser takes for them in a path: it reads "%2e" as ".", ends the path at "?"
 * and "#", and trims spaces (WHATWG URL, sections 4.2 and 4.4).
 */
const NAVIGATES = /^ *(\.|%2e){1,2} *([?#]|$)/i;

/**
 * A decoded value must be one path segment, because authors use it in paths and keys. A slash would start another
 * segment, and "." and ".." navigate (RFC 3986, sections 3.3 and 5.2.4), even if they appear only when the path is
 * decoded once more. Control characters are not allowed either.
 */
export const SEGMENT: Rule = {
  is: (value) => SEGMENT.begins(value) && !value.split(/%2f|%5c/i).some((part) => NAVIGATES.test(part)),
  // A person who types "..a" types "." and ".." first.
  begins: (text) => !/[/\\\p{Cc}]|%00/u.test(text),
};

export function rulesOf({ uri }: ResourceEntry): ReadonlyMap<string, Rule> {
  return new Map(Array.from(uri.matchAll(VARIABLE), ([, name = ""]) => [name, SEGMENT]));
}

/** For deployments whose templates have no operators. Others use features/uri-templates. */
export const PLAIN_TEMPLATES: UriTemplates = { matcherOf, rules: rulesOf };

export function isWellEscaped(uri: string): boolean {
  try {
    decodeURIComponent(uri);
    return true;
  } catch {
    return false;
  }
}

/** Decodes percent escapes. A text with a malformed escape stays as it is. */
export function decoded(text: string): string {
  return isWellEscaped(text) ? decodeURIComponent(text) : text;
}
