/**
 * URIs with operators (RFC 6570, section 3.2), as in `docs://{+path}` or `search://notes{?q,limit}`: which URIs a
 * template fits, with which values. Bundled only if tools/ has such a template. Each step reads the URI once from
 * beginning to end, so the work grows with its length and no faster.
 */
import {
  DELIMITER,
  fits,
  literalness,
  type matcherOf,
  parseTemplate,
  type rulesOf,
  SEGMENT,
  type Template,
  valuesIn,
} from "../../core/call/uri-template.ts";
import type { UriPattern } from "../../core/model/primitives.ts";
import type { Decode, Fit, Reading, Rule } from "../../core/ports/uri-templates.ts";
import { cut, fitQuery, listOf } from "./query.ts";

/**
 * A path of several segments, each of which `{name}` could be: nothing changes when a store or a server normalizes it.
 * It has no "?" and no "#", which clients do not escape here: a path ends before them.
 */
const PATH: Rule = {
  is: (value) => PATH.begins(value) && value.split("/").every(isSegment),
  begins: (text) => !/[?#]/.test(text) && text.split("/").every(SEGMENT.begins),
};
/** Queries and fragments are not part of a path. They may be any text, like the input of a tool. */
const TEXT: Rule = { is: () => true, begins: () => true };

/**
 * How literal a segment that is spelled out is. These numbers order the templates that fit a URI, segment by segment:
 * `docs://index` before `docs://{name}` before `docs://{+path}`.
 */
const SPELLED = literalness([""]);
/** Makes a variable that may be several segments less literal than one that is a single segment. */
const SEVERAL = -0.5;
/** Added at the end: of two templates that are as literal, the one without operators goes first. */
const HAS_OPERATORS = -2;

/** @param plain for templates without operators */
export function matcherWithOperators(plain: typeof matcherOf): typeof matcherOf {
  return (entry) => {
    const { pattern } = entry;
    if (pattern === undefined) return plain(entry);
    const template = parseTemplate(pattern.path);
    return (reading) => fitPattern(pattern, template, reading);
  };
}

/** @param plain for templates without operators */
export function rulesWithOperators(plain: typeof rulesOf): typeof rulesOf {
  return (entry) => {
    if (entry.pattern === undefined) return plain(entry);
    const { path, operator, query, fragment } = entry.pattern;
    const rules = new Map(plain({ ...entry, uri: path }));
    if (operator && (operator[0] === "+" || operator[0] === "/*"))
      rules.set(nameAt(parseTemplate(path), operator[1]), PATH);
    for (const name of query?.names ?? []) rules.set(name.replace("*", ""), TEXT);
    if (fragment !== undefined) rules.set(fragment, TEXT);
    return rules;
  };
}

function nameAt(template: Template, at: number): string {
  return template[at]?.[1] ?? "";
}

function isSegment(value: string): boolean {
  return value !== "" && SEGMENT.is(value);
}

function fitPattern(pattern: UriPattern, template: Template, { text, decode }: Reading): Fit | undefined {
  const [rest, fragment] = pattern.fragment === undefined ? [text] : cut(text, "#");
  const [path, query] = pattern.query === undefined ? [rest] : cut(rest, "?");
  const inPath = fitPath(pattern, template, path, decode);
  const inQuery = pattern.query ? fitQuery(pattern.query, query, decode) : {};
  if (inPath === undefined || inQuery === undefined) return undefined;
  const spelledInQuery = pattern.query?.fixed.join("").length ?? 0;
  const literal = [
    ...inPath.literal,
    // An empty query or fragment counts as none: it does not make the template more literal.
    ...(query ? [SPELLED, spelledInQuery + SEVERAL] : []),
    ...(fragment ? [SPELLED, SEVERAL] : []),
    HAS_OPERATORS,
  ];
  const inFragment = fragment === undefined ? {} : { [pattern.fragment as string]: decode(fragment) };
  return { literal, variables: inPath.variables && { ...inPath.variables, ...inQuery, ...inFragment } };
}

function fitPath({ operator }: UriPattern, template: Template, path: string, decode: Decode): Fit | undefined {
  const [kind, at] = operator ?? [undefined, template.length];
  // The slash before it is a part of what {/name} stands for.
  const front = template.slice(0, kind?.startsWith("/") ? at - 1 : at);
  const back = template.slice(at + 1);
  const segments = path.split(DELIMITER);
  const end = Math.max(segments.length - back.length, front.length);
  const first = segments.slice(0, front.length).map(decode);
  const last = segments.slice(end).map(decode);
  if (!fits(front, first) || !fits(back, last)) return undefined;
  const plain = { ...valuesIn(front, first), ...valuesIn(back, last) };
  const isPlainAllowed = Object.values(plain).every(isSegment);
  const middle = segments.slice(front.length, end);
  if (kind === undefined) {
    if (middle.length > 0) return undefined;
    return { literal: front.map(literalness), variables: isPlainAllowed ? plain : undefined };
  }
  const found = READ[kind](middle, template[at] as Template[number], decode);
  if (found === undefined) return undefined;
  const { literal, value } = found;
  const isAllowed = isPlainAllowed && [value ?? []].flat().every(kind === "+" ? PATH.is : isSegment);
  const special = value === undefined ? {} : { [nameAt(template, at)]: value };
  return {
    literal: [...front.map(literalness), ...literal, ...back.map(literalness)],
    variables: isAllowed ? { ...plain, ...special } : undefined,
  };
}

/** What an expression stands for in a URI. `value` is missing if the expression was left out. */
interface Read {
  readonly literal: readonly number[];
  readonly value?: string | readonly string[];
}

/**
 * For each operator, reads the segments of a URI that an expression may stand for, as they are written.
 *
 * @returns undefined if the expression cannot stand for them
 */
const READ: Readonly<
  Record<
    NonNullable<UriPattern["operator"]>[0],
    (segments: readonly string[], template: Template[number], decode: Decode) => Read | undefined
  >
> = {
  "+"(segments, template, decode) {
    if (segments.includes("?") || segments.includes("#")) return undefined;
    const text = decode(segments.join(""));
    if (!fits([template], [text])) return undefined;
    const [value] = Object.values(valuesIn([template], [text]));
    return { value: value as string, literal: segments.map(() => literalness(template) + SEVERAL) };
  },
  "*"([segment = "", ...more], _, decode) {
    if (segment === "" || more.length > 0) return undefined;
    return { value: listOf(segment.split(","), decode), literal: [SEVERAL] };
  },
  "/"([slash, segment = "", ...more], _, decode) {
    if (slash === undefined) return { literal: [] };
    if (slash !== "/" || more.length > 0) return undefined;
    return { value: decode(segment), literal: [SPELLED, 0] };
  },
  "/*"(segments, _, decode) {
    const entries = segments.filter((_, at) => at % 2 === 1);
    if (segments.some((segment, at) => at % 2 === 0 && segment !== "/")) return undefined;
    const value = listOf(entries, decode);
    return { value, literal: value.length > 0 ? segments.map(() => SEVERAL) : [] };
  },
  "."([segment, ...more], [before], decode) {
    if (segment === undefined || more.length > 0) return undefined;
    const text = decode(segment);
    if (text === before) return { literal: [SPELLED] };
    if (!text.startsWith(`${before}.`)) return undefined;
    return { value: text.slice(before.length + 1), literal: [before.length] };
  },
};
