/** What `key=value` means, by the parameter's schema. */
import { describe, expect, it } from "vitest";
import { coerce } from "../../../../src/cli/call/input/coerce.ts";
import { readInput } from "../../../../src/cli/call/input/read-input.ts";

const either = (...anyOf: object[]) => ({ anyOf });
const [TEXT, NUMBER, INTEGER, BOOLEAN, NULL] = ["string", "number", "integer", "boolean", "null"].map((type) => ({
  type,
}));
const CASES: readonly (readonly [string, object | undefined, string[], unknown])[] = [
  ["a text stays a text", TEXT, ["12"], "12"],
  ["with quotes and brackets, too", TEXT, ['["a"]'], '["a"]'],
  ["and if it is empty", TEXT, [""], ""],
  ["a number", NUMBER, ["-1.5e3"], -1500],
  ["a number with a plus", NUMBER, ["+.5"], 0.5],
  ["what is no number stays, and does not fit", NUMBER, ["0x10"], "0x10"],
  ["an empty text is not zero", NUMBER, [""], ""],
  ["a whole number that would lose digits stays", INTEGER, ["12345678901234567890"], "12345678901234567890"],
  ["a boolean", BOOLEAN, ["false"], false],
  ["only true and false are booleans", BOOLEAN, ["yes"], "yes"],
  ["null, where it is allowed", { type: ["string", "null"] }, ["null"], null],
  ["null as a text", TEXT, ["null"], "null"],
  ["of a union, what fits", either(NUMBER ?? {}, TEXT ?? {}), ["12"], 12],
  ["of a union, else the text", either(NUMBER ?? {}, TEXT ?? {}), ["twelve"], "twelve"],
  ["of a union, not a number that is too small", either({ type: "number", minimum: 100 }, TEXT ?? {}), ["12"], "12"],
  ["a number or null", either(NUMBER ?? {}, NULL ?? {}), ["null"], null],
  ["leading zeros, where only a number is meant", INTEGER, ["007"], 7],
  ["leading zeros, where a text is as good", either(NUMBER ?? {}, TEXT ?? {}), ["007"], "007"],
  ["a telephone number, where anything is", {}, ["+4930123"], "+4930123"],
  ["a number as JSON has it, where anything is", {}, ["-1.5e3"], -1500],
  ["a schema that is only true", { type: "array", items: true }, ["1"], [1]],
  ["a choice among numbers", { enum: [1, 2] }, ["2"], 2],
  ["a choice among texts that look like numbers", { enum: ["1", "2"] }, ["2"], "2"],
  ["a constant", { const: true }, ["true"], true],
  ["a list of one", { type: "array", items: INTEGER }, ["1"], [1]],
  ["a list by repetition", { type: "array", items: INTEGER }, ["1", "2"], [1, 2]],
  ["a list as JSON", { type: "array", items: TEXT }, ['["1", "2"]'], ["1", "2"]],
  ["a list of lists", { type: "array", items: { type: "array", items: INTEGER } }, ["[1]", "[2]"], [[1], [2]]],
  ["an empty list", { type: "array", items: TEXT }, ["[]"], []],
  ["a list of objects", { type: "array", items: { type: "object" } }, ['{"a": 1}'], [{ a: 1 }]],
  ["a list or a text", either({ type: "array", items: TEXT }, TEXT ?? {}), ["a"], ["a"]],
  ["an object", { type: "object" }, ['{"a": 1}'], { a: 1 }],
  ["what is no object stays", { type: "object" }, ["a"], "a"],
  ["anything: JSON", {}, ["[1]"], [1]],
  ["anything: a text that is no JSON", {}, ["[1"], "[1"],
  ["anything, several times: a list", {}, ["1", "a"], [1, "a"]],
  ["a part that refers to another", { $ref: "#/$defs/x" }, ['{"a": 1}'], { a: 1 }],
];

describe("coerce", () => {
  it.each(CASES)("%s", (_, schema, texts, value) => {
    expect(coerce(texts, (schema ?? {}) as Record<string, unknown>)).toEqual(value);
  });
});

it.each(['{"id": 12345678901234567890}', '{"ids": [-9007199254740993]}'])("%s would lose digits", (json) => {
  const sources = { file: () => "", stdin: () => "" };
  expect(() => coerce([json], { type: "object" })).toThrow(/more digits than a number can keep/);
  expect(() => readInput([json], {}, sources)).toThrow(/more digits than a number can keep/);
});
