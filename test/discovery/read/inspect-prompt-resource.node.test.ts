/**
 * Every mistake in a prompt or a resource ends the build with a message that names the file, the problem and the fix.
 */
import { beforeAll, expect, it } from "vitest";
import { about } from "../../support/node/discovery.ts";
import { project } from "../../support/node/project.ts";

/** A prompt's members, the problem, the fix. */
const PROMPTS: readonly (readonly [string, string, string])[] = [
  ["", "its default export is not a prompt definition", "definePrompt({"],
  ['get: () => ""', "it has no description", "add description"],
  [
    'description: "P", ttlMs: 1, get: () => ""',
    'a prompt has no member "ttlMs"',
    "scopes, rate, timeoutMs, env, trace, get",
  ],
  ['description: "P", scopes: "s", get: () => ""', 'its "scopes" is not a list of scopes', "scopes: ["],
  ['description: "P", scopes: ["a b"], get: () => ""', 'its "scopes" is not a list of scopes', "scopes: ["],
  ['description: "P", rate: "10", get: () => ""', "its rate is not a whole number of calls a minute", "rate: 10"],
  ['description: "P", timeoutMs: 0, get: () => ""', "its timeoutMs is not a number", "timeoutMs: 30_000"],
  [
    'description: "P", arguments: { city: { description: "C", complete: ["Oslo"] } }, get: () => ""',
    'the completion of "city" is not a function',
    "write a function",
  ],
  [
    'description: "P", arguments: { city: { description: "C", title: 5 } }, get: () => ""',
    'the title of the argument "city" is not a string',
    "leave it out",
  ],
  [
    'description: "P", arguments: { city: { description: "C", title: () => "City" } }, get: () => ""',
    'the title of the argument "city" is not a string',
    "leave it out",
  ],
  [
    'description: "P", arguments: { city: { description: "C", required: "yes" } }, get: () => ""',
    'the required of the argument "city" is not true or false',
    "required: true",
  ],
  [
    'description: "P", icons: [{ src: "https://x.example/", sizes: 48n }], get: () => ""',
    'its "icons" is not',
    "sizes",
  ],
];
/** A resource's members besides its description and `read`. */
const RESOURCES: readonly (readonly [string, string, string])[] = [
  ['uri: "x://0", once: true', 'a resource has no member "once"', "ttlMs"],
  ['uri: "x://1", rate: 0.5', "its rate is not a whole number", "rate: 10"],
  ['uri: "x://2", scopes: ["*"]', 'its "scopes" is not a list', "scopes: ["],
  ['uri: "x://3", ttlMs: -1', "its ttlMs is not a whole number of milliseconds", "ttlMs: 60_000"],
  ['uri: "x://4", ttlMs: 0.5', "its ttlMs is not a whole number of milliseconds", "ttlMs: 60_000"],
  ['uri: "x://5", ttlMs: Infinity', "its ttlMs is not a whole number of milliseconds", "ttlMs: 60_000"],
  ['uri: "x://6", ttlMs: "1h"', "its ttlMs is not a whole number of milliseconds", "ttlMs: 60_000"],
  ['uri: "x://{y}/7", complete: { y: "Oslo" }', 'the completion of "y" is not a function', "write a function"],
  ['uri: "x://{y}/8", complete: { z: () => [] }', 'complete has "z"', "remove it"],
  ['uri: "x://{y}/9", complete: () => []', 'its "complete" is not an object', "write complete: {"],
  ['uri: "x:///{y"', "its uri is not an absolute URI", 'uri: "notes://note/{id}"'],
  ['uri: "{+y}"', "its uri is not an absolute URI", 'uri: "notes://all"'],
  ['uri: "x://{y}{z}"', "two {variables} in one segment", 'put a "/" between them'],
  ['uri: "x://{+y}{z}"', "two {variables} in one segment", 'put a "/" between them'],
  ['uri: "x://{y}{.z}"', "two {variables} in one segment", 'put a "/" between them'],
  ['uri: "x://{;y}"', "its uri has {;y}, which clients do not expand", "write {?y}, a query"],
  ['uri: "x://{y:3}"', "its uri has {y:3}, which clients do not expand", "write y without a length"],
  ['uri: "x://{y-z}"', "its uri has {y-z}, which does not name a variable", "letters, digits and _"],
  ['uri: "x://{?}"', "its uri has {?}, which does not name a variable", "{?q,limit}"],
  ['uri: "x://{y,z}"', "its uri has {y,z}, which clients expand in different ways", "write {y}/{z}"],
  ['uri: "x://a{/y,z}"', "its uri has {/y,z}, which clients expand in different ways", "a list: {name*}"],
  ['uri: "x://{+y*}"', "its uri has {+y*}, a list whose entries cannot be told apart", "{/name*}"],
  ['uri: "x://a{.y*}"', "its uri has {.y*}, a list whose entries cannot be told apart", "{/name*}"],
  ['uri: "x://a-{y*}"', "its uri has text beside the list {y*}", 'put a "/" between them'],
  ['uri: "x://{+y}/{+z}"', "its uri has {+y} and {+z}, so where the first one ends", "into the query: {?y}"],
  ['uri: "x://{+y}{/z}"', "its uri has {+y} and {/z}, so where the first one ends", "keep one of them"],
  ['uri: "x://a{/y}/b"', "its uri goes on after {/y}, which may be left out", "at the end of the path"],
  ['uri: "x://a{?y}/b"', "its uri goes on after {?y}", "notes://all{?q}{#part}"],
  ['uri: "x://a{#y}{?z}"', "its uri goes on after {#y}", "notes://all{?q}{#part}"],
  ['uri: "x://a#b{#y}"', 'its uri has a "#" before {#y}', "remove one of the two"],
  ['uri: "x://a{?y}{&z}"', "its uri has the variables of its query in several", "write {?y,z}"],
  ['uri: "x://a?b=1{?y}"', 'its uri has a "?" before {?y}', "write {&y}"],
  ['uri: "x://a{&y}"', 'its uri has no "?" before {&y}', "write {?y}"],
  ['uri: "x://a?b={b}{&y}"', "its query has {variables} both after a = and in {&…}", "in one {?…}"],
  ['uri: "x://{y}{?y}"', "its uri has the variable y twice", "rename one of the two"],
  ['uri: "x://a{?y}", complete: { z: () => [] }', 'complete has "z"', "remove it"],
  ['uri: "x://10", annotations: true', "its annotations are not an object", "write annotations: {"],
  ['uri: "x://11", annotations: { readOnly: true }', 'a resource has no annotation "readOnly"', "audience, priority"],
  [
    'uri: "x://12", annotations: { audience: "user" }',
    "the audience in its annotations is not a list",
    'audience: ["user"]',
  ],
  [
    'uri: "x://13", annotations: { audience: ["all"] }',
    "the audience in its annotations is not a list",
    '["assistant"]',
  ],
  [
    'uri: "x://14", annotations: { priority: 2 }',
    "the priority in its annotations is not a number from 0 to 1",
    "priority: 1",
  ],
  ['uri: "x://15", annotations: { lastModified: "2026-07-28" }', "not a date and time with a time zone", "T09:00:00Z"],
  ['uri: "x://16", annotations: { lastModified: new Date(0) }', "not a date and time with a time zone", "T09:00:00Z"],
  ['uri: "x://17", size: 0.5', "its size is not a whole number of bytes", "size: 1_024"],
  ['uri: "x://{y}/18", size: 1', "it has a size, but its uri has {variables}", "remove size"],
  ['uri: "x://19", meta: { at: new Date(0) }', 'its "meta" is not an object that JSON can represent', "write meta: {"],
];
const MISTAKES = [
  ...PROMPTS.map(([members, ...said], at) => ({ name: `p-x${at}.prompt`, text: `{ ${members} }`, said })),
  ...RESOURCES.map(([members, ...said], at) => ({
    name: `r-x${at}.resource`,
    text: `{ description: "R", read: () => "", ${members} }`,
    said,
  })),
];

let stderr = "";
beforeAll(async () => {
  const files = MISTAKES.map(({ name, text }) => [`kit/${name}.ts`, `export default ${text};`]);
  const lines = 'export default {\n  description: "R",\n  read: () => "",\n  uri: "x://{y:3}",\n};\n';
  files.push(["kit/lines.resource.ts", lines]);
  ({ stderr } = await project(Object.fromEntries(files)).discover());
});

it("resources with mistakes, whose URIs are unknown, are not said to be the same", () => {
  expect(stderr).not.toContain("undefined");
});

it("a message about a URI has its line", () => {
  expect(stderr).toMatch(/^tools\/kit\/lines\.resource\.ts:4\n {2}problem: its uri has \{y:3\}/m);
});

it.each(MISTAKES)("$name: $text", ({ name, said }) => {
  for (const words of said) expect(about(stderr, `tools/kit/${name}.ts`)).toContain(words);
});

it.each([
  ["note.prompt.ts", 'export default { description: "P", rate: 7, get: () => "" };'],
  ["notes.resource.ts", 'export default { description: "R", uri: "x://y", rate: 7, read: () => "" };'],
])("a rate without a limiter: %s", async (file, text) => {
  const made = project({
    [`kit/${file}`]: text,
    "../wrangler.toml": '[[ratelimits]]\nname = "RATE_10"\nnamespace_id = "1"\nsimple = { limit = 10, period = 60 }\n',
  });
  const { code, stderr } = await made.discover();
  expect(code).toBe(1);
  expect(stderr).toContain(`tools/kit/${file}`);
  expect(stderr).toContain("wrangler.toml has no rate limiter RATE_7");
  expect(stderr).toContain("write a rate of 10");
});
