/** A call refuses whatever the tool's published schema refuses, in the shape of the protocol that it came in on. */
import { expect, it } from "vitest";
import { send } from "../support/http.ts";
import { call as callMcp, mcp } from "../support/mcp.ts";
import { rpc } from "../support/opentool.ts";
import { call, completed, postCall } from "../support/oxp.ts";

type Input = Record<string, unknown>;

/** Calls over all protocols, which must all refuse with the same messages. Returns these by parameter. */
async function mistakes(tool: string, input: Input): Promise<Record<string, string>> {
  const { status, body, text } = await call(`Strict.${tool}`, input);
  expect(status, text).toBe(422);
  const errors: Record<string, string> = body.parameter_errors;
  const line = Object.entries(errors).map(([path, message]) => (path === "input" ? message : `${path}: ${message}`));
  const opentool = await rpc(`Strict_${tool}`, input);
  expect(opentool.body.error).toEqual({ code: 422, message: `Invalid parameters: ${line.join("; ")}` });
  const { body: answer } = await mcp(callMcp(`Strict_${tool}`, input));
  expect(answer.error).toMatchObject({ code: -32602, message: `Invalid arguments: ${line.join("; ")}` });
  for (const said of [text, opentool.text, JSON.stringify(answer)]) expect(said).not.toContain("s3cret");
  return errors;
}

/** Calls over all protocols, which must all pass the input to the tool unchanged. */
async function passes(tool: string, input: Input): Promise<void> {
  expect(await completed(`Strict.${tool}`, input)).toEqual(input);
  expect((await rpc(`Strict_${tool}`, input)).body.result).toEqual(input);
  expect((await mcp(callMcp(`Strict_${tool}`, input))).body.result.structuredContent).toEqual(input);
}

const SMILE = "\u{1f600}";
const OBJECT = "Must be an object";

it.each<[string, Input, Record<string, string>]>([
  ["a list for an object", { filter: ["s3cret"] }, { filter: OBJECT }],
  ["an empty list for an object", { filter: [] }, { filter: OBJECT }],
  ["a list for a record", { filter: {}, labels: ["s3cret"] }, { labels: OBJECT }],
  ["a list for an object far down", { filter: {}, deep: [{ of: {} }, { of: ["s3cret"] }] }, { "deep.1.of": OBJECT }],
  [
    "a list in a list for an object, with its library's message",
    { filter: {}, deep: [[]] },
    { "deep.0.of": "Is required" },
  ],
  [
    "two characters of two UTF-16 units each for three characters",
    { filter: {}, name: SMILE + SMILE },
    { name: "Must be at least 3 characters long" },
  ],
  [
    "a value that the library refuses, next to one that it accepts",
    { filter: [], count: "s3cret" },
    { filter: OBJECT, count: "Must be a number" },
  ],
  ["a mistake that both find is reported once", { filter: "s3cret" }, { filter: OBJECT }],
  ["a missing object", { count: 1 }, { filter: "Is required" }],
])("a library accepts it, and the call does not: %s", async (_, input, expected) => {
  expect(await mistakes("Search", input)).toEqual(expected);
});

it.each<[string, Input]>([
  ["objects", { filter: { city: "Berlin" }, labels: { a: "b" }, deep: [{ of: { any: [1] } }] }],
  ["objects without members", { filter: {}, labels: {}, deep: [] }],
  ["three characters of two UTF-16 units each", { filter: {}, name: SMILE.repeat(3) }],
  ["names that every object inherits", { filter: {}, labels: { toString: "a", valueOf: "b" } }],
])("valid input is accepted: %s", async (_, input) => {
  await passes("Search", input);
});

it("members that the tool's schema does not name are dropped, and the published schema allows them", async () => {
  expect(await completed("Strict.Search", { filter: { city: "a", more: 1 }, other: 2 })).toEqual({
    filter: { city: "a" },
  });
});

it("what an author's schema mends is accepted, and nothing else that the listing refuses", async () => {
  const mended = { limit: 5, tags: ["a"], name: "abc" };
  const sent = { limit: "5", tags: '["a"]', name: " abc " };
  expect(await completed("Strict.Mended", sent)).toEqual(mended);
  expect((await rpc("Strict_Mended", sent)).body.result).toEqual(mended);
  expect((await mcp(callMcp("Strict_Mended", sent))).body.result.structuredContent).toEqual(mended);
  expect(Object.keys(await mistakes("Mended", { limit: "many", tags: "a", name: "abcd", place: [] }))).toEqual([
    ...["limit", "tags", "name", "place"],
  ]);
});

const WRITTEN: readonly [name: string, input: Input, expected: Record<string, string>][] = [
  ["nothing at all", {}, { id: "Is required" }],
  ["a wrong type", { id: "s3cret" }, { id: "Must be a whole number" }],
  ["null", { id: null }, { id: "Must be a whole number" }],
  ["a fraction", { id: 1.5 }, { id: "Must be a whole number" }],
  ["too little", { id: 0 }, { id: "Must be at least 1" }],
  ["a text of another form", { id: 1, code: "s3cret" }, { code: "Must be of the form ^[A-Z]{2}$" }],
  ["a parameter that there is not", { id: 1, extra: "s3cret" }, { extra: "Is not a parameter of this tool" }],
  ["a list for an object", { id: 1, place: ["s3cret"] }, { place: OBJECT }],
  ["a missing member", { id: 1, places: [{ street: "a" }, {}] }, { "places.1.street": "Is required" }],
  ["a member of a wrong type", { id: 1, places: [{ street: 5 }] }, { "places.0.street": "Must be a string" }],
  [
    "a member that there is not",
    { id: 1, place: { street: "a", more: "s3cret" } },
    { "place.more": "Is not a parameter of this tool" },
  ],
  ["no form of two", { id: 1, by: {} }, { by: "mail: Is required, or phone: Is required" }],
  [
    "both forms where it must be one",
    { id: 1, by: { mail: "s3cret", phone: "s3cret" } },
    { by: "Must match exactly one of the schema's alternatives" },
  ],
  ["a value for a form", { id: 1, by: "s3cret" }, { by: OBJECT }],
  ["an item twice", { id: 1, tags: ["s3cret", "b", "s3cret"] }, { tags: "Must not contain an item twice" }],
  ["no item of a kind", { id: 1, some: ["s3cret", 5] }, { some: "Must contain an item that the schema requires" }],
  ["a name of another form", { id: 1, named: { ab: 1, S3: 1 } }, { "named.S3": "Must have a different name" }],
  ["a missing member next to another", { id: 1, named: { from: 1 } }, { "named.to": "Is required" }],
  ["an excluded value", { id: 1, not: "a" }, { not: "Must not be a value that the schema excludes" }],
  ["too many items", { id: 1, pair: [1, 2, 3] }, { pair: "Must have at most 2 items" }],
  ["several at once", { code: 1, tags: {} }, { id: "Is required", code: "Must be a string", tags: "Must be a list" }],
];

it.each(WRITTEN)("jsonSchema() without a function checks: %s", async (_, input, expected) => {
  expect(await mistakes("Written", input)).toEqual(expected);
});

it("jsonSchema() without a function accepts valid input, and does not check formats", async () => {
  const by = { mail: "a@example.com" };
  await passes("Written", { id: 1, code: "DE", place: { street: "a" }, places: [{ street: "b", more: 1 }], by });
  await passes("Written", { id: 2, tags: ["a", "b"], when: "tomorrow", m0: "" });
});

it("names that every object inherits are members like any other: __proto__ supplies no required member", async () => {
  const poison = '{"__proto__":{"street":"a"}}';
  for (const [input, path] of [
    [`{"id":1,"place":${poison}}`, "place.street"],
    ['{"__proto__":{"id":1}}', "id"],
  ]) {
    const { body } = await postCall(`{"request":{"tool_id":"Strict.Written","input":${input}}}`);
    expect(body.parameter_errors).toMatchObject({ [path as string]: "Is required" });
  }
  for (const name of ["constructor", "toString", "__proto__"]) {
    const { body } = await postCall(`{"request":{"tool_id":"Strict.Written","input":{"id":1,"${name}":1}}}`);
    expect(body.parameter_errors).toEqual({ [name]: "Is not a parameter of this tool" });
  }
});

it("parameters and members named like keywords are listed and checked, and so is data with such names", async () => {
  const { body } = await send("/tools");
  const { input_schema } = body.tools.find(({ id }: { id: string }) => id === "Strict.Keywords@1.0.0");
  const { properties } = input_schema.parameters;
  const text = { type: "string" };
  expect(properties).toMatchObject({
    definitions: text,
    $defs: text,
    $anchor: text,
    $ref: text,
    within: { properties: { $anchor: text }, patternProperties: { definitions: { type: "number" } } },
    one: { enum: [{ definitions: 1 }, "b"], default: { definitions: 1 }, examples: [{ $ref: "#" }] },
    same: { const: { $defs: [{ $anchor: "a" }] } },
    on: { dependencies: { definitions: { required: ["name"] } } },
    code: { contentSchema: { required: ["name"] } },
  });
  const wrong: Input = { definitions: 1, $defs: 1, $anchor: 1, $ref: 1, one: {}, same: { $defs: [{}] } };
  expect(await mistakes("Keywords", wrong)).toEqual({
    ...Object.fromEntries(["definitions", "$defs", "$anchor", "$ref"].map((name) => [name, "Must be a string"])),
    one: 'Must be one of {"definitions":1}, "b"',
    same: 'Must be {"$defs":[{"$anchor":"a"}]}',
  });
  const within = { definitions: 1, $anchor: 1 };
  expect(await mistakes("Keywords", { within, on: { definitions: 1 } })).toEqual({
    "within.$anchor": "Must be a string",
    "on.name": "Is required",
  });
  await passes("Keywords", {
    ...{ definitions: "a", $defs: "b", $anchor: "c", $ref: "d", within: { definitions: 1, $anchor: "e" } },
    ...{ one: { definitions: 1 }, same: { $defs: [{ $anchor: "a" }] }, on: { definitions: 1, name: 1 } },
  });
});

it("at most a hundred mistakes are reported, and the rest counted", async () => {
  const input = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`m${index}`, index]));
  const found = await mistakes("Written", input);
  expect(Object.keys(found)).toHaveLength(101);
  expect(found.input).toBe("and 51 more mistakes");
});

it("a list of 40,000 wrong items is reported by its first", async () => {
  const places = Array.from({ length: 40_000 }, () => ({ street: 1 }));
  expect(await mistakes("Written", { id: 1, places })).toEqual({ "places.0.street": "Must be a string" });
});

it("of 60,000 different items the last is found to be a duplicate", async () => {
  const tags = Array.from({ length: 60_000 }, (_, index) => index.toString(36));
  await passes("Written", { id: 1, tags });
  expect(await mistakes("Written", { id: 1, tags: [...tags, "1"] })).toEqual({
    tags: "Must not contain an item twice",
  });
});

it("jsonSchema() with a function is checked by that function alone", async () => {
  await passes("Judged", { id: "what the schema refuses, and the function does not" });
  expect(await mistakes("Judged", { id: "no" })).toEqual({ id: "Must not be no" });
});

it.each<[string, Input, Record<string, string>]>([
  ["an object for a text", { mail: { a: [1, 2] } }, { mail: "Must be a string" }],
  ["a text that is too long", { mail: "s3cret s3cret" }, { mail: "Must be at most 10 characters long" }],
  ["a number that is too small", { mail: "a", count: -1 }, { count: "Must be at least 0" }],
  ["none of the choices", { mail: "a", size: "s3cret" }, { size: 'Must be one of "S", "L"' }],
  ["nothing", {}, { mail: "Is required" }],
])(
  "keywords that an author lists as metadata are enforced, though no library checks them: %s",
  async (_, input, expected) => {
    expect(await mistakes("Said", input)).toEqual(expected);
  },
);

it("input that fits such metadata passes", async () => {
  await passes("Said", { mail: "a", count: 0, size: "S" });
});

it("a refused call does not use up its idempotency key: the corrected call runs", async () => {
  const call_id = crypto.randomUUID();
  expect((await call("Strict.Search", { filter: [] }, { call_id })).status).toBe(422);
  expect(await completed("Strict.Search", { filter: {} }, { call_id })).toEqual({ filter: {} });
});
