/** The names that tools have in a typed client. */
import { describe, expect, it } from "vitest";
import { nameTools } from "../../../src/cli/client/names.ts";
import type { ToolDefinition } from "../../../src/client/oxp/types.ts";
import { memberName } from "../../../src/connect/member-name.ts";

const tool = (id: string): ToolDefinition => ({
  ...{ id, name: "Any", description: "", version: "1.0.0" },
  input_schema: { parameters: {} },
  output_schema: {},
});

/** Each name with the id that it calls. */
function named(...ids: string[]): Record<string, string> {
  const { toolkits } = nameTools(ids.map(tool));
  const all = Array.from(toolkits, ([toolkit, members]) => members.map(({ name, id }) => [`${toolkit}.${name}`, id]));
  return Object.fromEntries(all.flat());
}

it.each([
  ["Calculator", "calculator"],
  ["SMS", "sms"],
  ["ReadPage", "readPage"],
  ["XMLParser", "xmlParser"],
  ["A1", "a1"],
  ["Read_page", "readPage"],
  ["read-page", "readPage"],
  ["__init__", "init"],
  ["2FA", "_2FA"],
  ["___", "_"],
  ["日本", "_"],
  ["delete", "delete"],
])("%s is %s", (name, expected) => expect(memberName(name)).toBe(expected));

it.each(["then", "constructor", "toString", "valueOf", "hasOwnProperty", "toJSON", "Then", "IsPrototypeOf"])(
  "%s gets an underscore, because every object or promise has it",
  (name) => expect(memberName(name)).toMatch(/^[a-z]\w*_$/),
);

it("__proto__ is no name that sets a prototype", () => {
  expect(named("__proto__.__proto__@1.0.0")).toEqual({ "proto.proto": "__proto__.__proto__" });
});

describe("versions", () => {
  it("names the latest by number and not by text, and each of several", () => {
    expect(named("A.B@2.0.0", "A.B@10.0.0", "A.B@1.9.9")).toEqual({
      "a.b": "A.B",
      "a.b@10.0.0": "A.B@10.0.0",
      "a.b@2.0.0": "A.B@2.0.0",
      "a.b@1.9.9": "A.B@1.9.9",
    });
    const [latest] = nameTools(["A.B@2.0.0", "A.B@10.0.0"].map(tool)).toolkits.get("a") ?? [];
    expect(latest?.tool.id).toBe("A.B@10.0.0");
  });

  it("names the only one once, even if it is listed twice", () => {
    expect(named("A.B@1.0.0")).toEqual({ "a.b": "A.B" });
    expect(named("A.B@1.0.0", "A.B@1.0.0")).toEqual({ "a.b": "A.B" });
  });
});

describe("names that differ in nothing but their spelling", () => {
  const expected = {
    "sms.post": "SMS.Post",
    "sms.post2": "Sms.Post",
    "sms.post3": "sms.post",
    "sms.post3@2.0.0": "sms.post@2.0.0",
    "sms.post3@1.0.0": "sms.post@1.0.0",
    "sms.postAll": "sms.post_all",
  };
  const ids = ["sms.post@1.0.0", "SMS.Post@1.0.0", "sms.post@2.0.0", "Sms.Post@1.0.0", "sms.post_all@1.0.0"];

  it("are numbered", () => expect(named(...ids)).toEqual(expected));

  it("are numbered alike in whatever order they are listed", () => {
    expect(named(...ids.toReversed())).toEqual(expected);
  });

  it("take no name that another tool has", () => {
    const all = named("A.b2@1.0.0", "A.B@1.0.0", "A.b@1.0.0", "A.B2@1.0.0");
    expect(new Set(Object.values(all)).size).toBe(4);
    expect(Object.keys(all).length).toBe(4);
  });
});

it("leaves out ids of another form", () => {
  const ids = ["A.B", "AB@1.0.0", "A.B@1", "A.B@latest", "", ".B@1.0.0", "A.@1.0.0", `A.B@${"9".repeat(100)}.0.0`];
  expect(nameTools(ids.map(tool))).toEqual({ toolkits: new Map(), leftOut: ids });
});

it("thousands of tools whose names are the same in the client are numbered, without trying all numbers for each", () => {
  const count = 20_000;
  const alike = Array.from(
    { length: count },
    (_, at) => `Kit.${"a".repeat(64)}${String.fromCodePoint(0x4e00 + at)}@1.0.0`,
  );
  const members = nameTools(alike.map(tool)).toolkits.get("kit") ?? [];
  const names = new Set(members.map(({ name }) => name));
  expect([names.size, names.has(`${"a".repeat(64)}${count}`)]).toEqual([count, true]);
});

it("thousands of versions of one tool are each named once", () => {
  const count = 30_000;
  const versions = Array.from({ length: count }, (_, at) => tool(`Kit.Add@1.0.${at}`));
  const members = nameTools(versions).toolkits.get("kit") ?? [];
  expect([members.length, members[0]?.id]).toEqual([count + 1, "Kit.Add"]);
});
