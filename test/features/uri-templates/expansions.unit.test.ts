/**
 * URI templates with operators, with the official clients as judges: what they make of a template and of any values, the
 * Worker reads back as the same values. RFC 6570's own results are judges where the clients differ from them.
 */
import { UriTemplate } from "@modelcontextprotocol/client";
import { UriTemplate as UriTemplateV1 } from "@modelcontextprotocol/sdk/shared/uriTemplate.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decoded, matcherOf, readingOf, rulesOf } from "../../../src/core/call/uri-template.ts";
import type { ResourceEntry, Variables } from "../../../src/core/model/primitives.ts";
import { readResourceUri } from "../../../src/discovery/resources/uri.ts";
import { expand, variablesIn } from "../../../src/features/page/browser/lib/uri-template.ts";
import { matcherWithOperators, rulesWithOperators } from "../../../src/features/uri-templates/match.ts";
import { cases } from "../../support/tier.ts";

/** The page's own expansion, in the form of the clients'. */
class PageTemplate {
  readonly template: string;
  constructor(template: string) {
    this.template = template;
  }
  expand(values: Record<string, string | string[]>): string {
    return expand(this.template, values);
  }
}

const matcherOfAny = matcherWithOperators(matcherOf);

function entryOf(uri: string): ResourceEntry {
  const read = readResourceUri(uri);
  if ("problem" in read) throw new Error(read.problem);
  return { ...read, uri } as unknown as ResourceEntry;
}

const read = (template: string, uri: string) => matcherOfAny(entryOf(template))(readingOf(uri, decoded))?.variables;

/** Texts that break what is careless: delimiters, escapes, commas, other scripts, dots, what is already escaped. */
const nasty = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.string({ unit: fc.constantFrom(..."/?#%,&=+.*{}: ~'()!$;@é\u{1F436}\u0000\n\\"), maxLength: 8 }),
  fc.constantFrom(
    "",
    " ",
    "a,b",
    "100%",
    "%2F",
    "a%2Cb",
    "a/b",
    "..",
    ".",
    "../x",
    "?q=1",
    "#x",
    "&q=1",
    "=",
    "__proto__",
  ),
);
/** What a variable in the path may be (docs/resources.md, Resources). */
const inPath = nasty.filter((text) => text !== "" && !/^ *\.\.? *([?#]|$)/.test(text) && !/[/\\\p{Cc}]/u.test(text));
const path = fc
  .array(
    inPath.filter((text) => !/[?#]/.test(text)),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join("/"));
const inList = fc.array(inPath, { minLength: 1, maxLength: 4 });
/** Clients write no entry as they write one empty entry. */
const anyList = fc.array(nasty, { minLength: 1, maxLength: 4 }).filter((list) => list.length > 1 || list[0] !== "");
const left = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });

const TEMPLATES: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<string | string[] | undefined>>>>> = {
  "docs://{+path}": { path },
  "docs://{+path}/edit": { path },
  "docs://v1/{+path}.md": { path },
  "docs://{site}/{+path}": { site: inPath, path },
  "docs://{+path}{?version}": { path, version: left(nasty) },
  "docs://page{#part}": { part: left(nasty) },
  "docs://{page}{?lang}{#part}": { page: inPath, lang: left(nasty), part: left(nasty) },
  "notes://all{.format}": { format: left(inPath) },
  "notes://note{/id}": { id: left(inPath) },
  "repo://{owner}{/path*}": { owner: inPath, path: left(inList) },
  "repo://{owner}{/path*}{?ref}": { owner: inPath, path: left(inList), ref: left(nasty) },
  "tags://{tag*}": { tag: inList },
  "tags://{tag*}/notes": { tag: inList },
  "search://notes{?q,limit}": { q: left(nasty), limit: left(nasty) },
  "search://notes{?q,tag*}": { q: left(nasty), tag: left(anyList) },
  "search://{kind}?all=yes{&q,tag*}": { kind: inPath, q: left(nasty), tag: left(anyList) },
};

/** As `read` gets it: without what was left out, and with empty lists. */
function expected(template: string, values: Record<string, string | string[] | undefined>): Variables {
  const lists = [...template.matchAll(/(\w+)\*/g)].map(([, name = ""]) => [name, []]);
  return {
    ...Object.fromEntries(lists),
    ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
  };
}

describe.each(Object.entries(TEMPLATES))("%s", (template, values) => {
  it.each([
    ["@modelcontextprotocol/client", UriTemplate],
    ["@modelcontextprotocol/sdk", UriTemplateV1],
    ["the page at /", PageTemplate],
  ])("is read as %s expands it", (_, Client) => {
    const given = fc.record(values) as fc.Arbitrary<Record<string, string | string[]>>;
    fc.assert(
      fc.property(given, (filled) => {
        const uri = new Client(template).expand(filled);
        expect(read(template, uri), uri).toEqual(expected(template, filled));
      }),
      { numRuns: cases(20, 200) },
    );
  });

  it("names the variables that completion may be asked for", () => {
    const names = new UriTemplate(template).variableNames;
    expect([...rulesWithOperators(rulesOf)(entryOf(template)).keys()]).toEqual(names);
    expect(variablesIn(template).map(({ name }) => name)).toEqual(names);
  });
});

it.each([
  // RFC 6570, sections 3.2.3 to 3.2.9, where the official clients write something else.
  ["search://notes{?tag*}", "search://notes?tag=a&tag=b%2Cc", { tag: ["a", "b,c"] }],
  ["docs://{+path}", "docs://a%20b/c%25", { path: "a b/c%" }],
  // Clients that build queries themselves put them in any order, and a "?" may be left.
  ["search://notes{?q,limit}", "search://notes?limit=5&q=x", { q: "x", limit: "5" }],
  ["search://notes{?q,limit}", "search://notes?", {}],
  ["search://notes?all=yes{&q}", "search://notes?q=x&all=yes", { q: "x" }],
  ["search://notes{?q}", "search://notes?q", { q: "" }],
  ["search://notes{?q}", "search://notes?q=a=b", { q: "a=b" }],
  ["search://notes{?q}", "search://notes?%71=a+b", { q: "a+b" }],
  // An empty list, as the clients write it.
  ["search://notes{?tag*}", "search://notes?tag=", { tag: [] }],
  ["repo://x{/path*}", "repo://x/", { path: [] }],
])("%s reads %s", (template, uri, variables) => {
  expect(read(template, uri)).toEqual(variables);
});

it.each([
  ["docs://{+path}", "docs://"],
  ["docs://{+path}", "docs:///etc/passwd"],
  ["docs://{+path}", "docs://a/../b"],
  ["docs://{+path}", "docs://a/%2e%2E/b"],
  ["docs://{+path}", "docs://a%2F..%2Fb"],
  ["docs://{+path}", "docs://a//b"],
  ["docs://{+path}", "docs://a/"],
  ["docs://{+path}", "docs://a%5Cb"],
  ["docs://{+path}", "docs://a%00"],
  ["docs://{+path}", "docs://a?b"],
  ["docs://{+path}", "docs://a#b"],
  ["docs://{+path}", "docs://a%3Fb"],
  ["docs://{+path}{#part}", "docs://a?b#c"],
  ["docs://{+path}", "docs://a/%252e%252E/b"],
  ["docs://{+path}", "docs://a/.%252e"],
  ["docs://{site}/{+path}", "docs://a%2Fb/c"],
  ["docs://{site}/{+path}", "docs://../c"],
  ["docs://{+path}/edit", "docs://edit"],
  ["docs://{+path}/edit", "docs:///edit"],
  ["docs://a-{+path}-z", "docs://a-z"],
  ["repo://x{/path*}", "repo://xy"],
  ["repo://x{/path*}", "repo://x/a//b"],
  ["repo://x{/path*}", "repo://x/a/.."],
  ["repo://x{/path*}", "repo://x/a%2Fb"],
  ["repo://x{/path*}", "repo://x?a"],
  ["notes://note{/id}", "notes://note/"],
  ["notes://note{/id}", "notes://note/a/b"],
  ["notes://note{/id}", "notes://note/%2e%2e"],
  ["notes://all{.format}", "notes://all."],
  ["notes://all{.format}", "notes://allx"],
  ["notes://all{.format}", "notes://all.a/b"],
  ["tags://{tag*}", "tags://a,..,b"],
  ["tags://{tag*}", "tags://a,,b"],
  ["tags://{tag*}", "tags://"],
  ["search://notes{?q}", "search://notes?x=1"],
  ["search://notes{?q}", "search://notes?q=1&x=1"],
  ["search://notes{?q}", "search://notes?q=1&q=2"],
  ["search://notes{?q}", "search://notes/?q=1"],
  ["search://notes{?q}", "search://notes?q=1#x?"],
  ["search://notes?all=yes{&q}", "search://notes?q=1"],
  ["search://notes?all=yes{&q}", "search://notes?all=no&q=1"],
  ["search://notes?all=yes{&q}", "search://notes?all=yes&all=yes"],
])("%s does not read %s", (template, uri) => {
  expect(read(template as string, uri as string)).toBeUndefined();
});

/** A parser of URLs is the judge: whatever `read` gets, the URL stays below the folder that it is put into. */
it.each(["files://{+path}", "files://{path}", "files://x{/path}"])(
  "%s gives nothing that leaves its folder",
  (template) => {
    const piece = fc.constantFrom(
      "%2e",
      "%2E",
      ".",
      "%252e",
      "%20",
      "%2f",
      "/",
      "%5C",
      "%255c",
      "%3F",
      "%23",
      "%00",
      "a",
      "%09",
    );
    const start = template.split("{", 1)[0] + (template.includes("{/") ? "/" : "");
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 7 }), (pieces) => {
        const value = read(template, start + pieces.join(""))?.path;
        if (value === undefined) return;
        const { pathname } = new URL(`https://x.example/folder/${value}`);
        expect(pathname).toMatch(/^\/folder\//);
        const decodedOnceMore = new URL(decoded(pathname).replace(/[?#]/g, "_"), "https://x.example").pathname;
        expect(decodedOnceMore).toMatch(/^\/folder\//);
      }),
      { numRuns: cases(300, 5_000) },
    );
  },
);

/** URIs that make a matcher try many ways, if it tries ways: the same thing again and again, and an end that spoils it. */
const HOSTILE = ["a/", "/", "%2F", "&q=1", ",", "?", "#", ".", "../"].flatMap((one) =>
  ["", "\n", "%zz"].map((end) => ({ one, end })),
);
it.each(Object.keys(TEMPLATES))(
  "%s reads a URI of 20 KB in no more than twice the steps of one of 10 KB",
  (template) => {
    const entry = entryOf(template);
    for (const start of [template.split("{", 1)[0], template.replaceAll(/\{[^}]*\}/g, "x")]) {
      for (const { one, end } of HOSTILE) {
        /** How many characters it decodes. All else that it does is dividing texts at a character. */
        const work = (length: number) => {
          let read = 0;
          const decode = (text: string) => {
            read += text.length;
            return decoded(text);
          };
          matcherOfAny(entry)(readingOf(`${start}${one.repeat(length / one.length)}${end}`, decode));
          return read;
        };
        expect(work(20_000), one + end).toBeLessThanOrEqual(2 * work(10_000) + 1_000);
      }
    }
  },
);
