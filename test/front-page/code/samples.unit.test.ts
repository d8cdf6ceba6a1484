/** The samples of a call: which there are, and what they look like. samples.node.test.ts runs them. */
import { describe, expect, it } from "vitest";
import { json, python, typescript, word } from "../../../src/front-page/code/literals.ts";
import { type Call, samples } from "../../../src/front-page/code/samples.ts";
import { callOf, definition, NASTY } from "./calls.ts";

const ADD = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
};
const LISTED = [definition("Math.Add@1.0.0", ADD), definition("Math.Add@2.0.0", ADD)];
const NEEDS = { secrets: [{ id: "API_KEY" }], authorization: [{ id: "carrier-login" }], user_id: true };

const made = (more: Partial<Call> = {}, id = "Math.Add") =>
  new Map(samples(callOf(LISTED, id, { input: { a: 10, b: 5 }, ...more })).map((sample) => [sample.id, sample]));
const textOf = (id: string, more?: Partial<Call>, tool?: string) => made(more, tool).get(id)?.text;

describe("curl, as README has it", () => {
  it.each([
    ["curl-oxp", "tools/call", '{"request": {"tool_id": "Math.Add", "input": {"a": 10, "b": 5}}}'],
    [
      "curl-mcp",
      "mcp",
      '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "Math_Add", "arguments": {"a": 10, "b": 5}}}',
    ],
    [
      "curl-opentool",
      "opentool/call",
      '{"jsonrpc": "2.0", "id": "1", "method": "Math_Add", "params": {"a": 10, "b": 5}}',
    ],
  ])("%s", (id, path, body) => {
    expect(textOf(id)).toBe(
      `curl -s http://127.0.0.1:8787/${path} -H 'Content-Type: application/json' \\\n  -d '${body}'`,
    );
  });
});

it("there are samples for three protocols, the clients and five APIs, each with an id of its own", () => {
  const all = samples(callOf(LISTED, "Math.Add"));
  expect(all.map(({ id }) => id)).toEqual([
    ...["curl-oxp", "curl-mcp", "curl-opentool"],
    ...["clients-oxp", "clients-typed", "clients-opentool", "clients-shell", "clients-python"],
    ...["openai", "openai-chat", "anthropic", "gemini", "ai-sdk"].flatMap((api) => [
      `definitions-${api}`,
      `definitions-${api}-calls`,
    ]),
  ]);
});

it("an older version is named, and left out where it cannot be", () => {
  const older = made({}, "Math.Add@1.0.0");
  expect(["curl-mcp", "curl-opentool", "clients-opentool"].filter((id) => older.has(id))).toEqual([]);
  for (const id of ["curl-oxp", "clients-oxp", "clients-shell", "clients-python", "definitions-openai-calls"]) {
    expect(older.get(id)?.text).toContain("Math.Add@1.0.0");
  }
  expect(older.get("clients-typed")?.text).toContain('client.math["add@1.0.0"]({ a: 10, b: 5 })');
});

describe("the key", () => {
  const commands = ["curl-oxp", "curl-mcp", "curl-opentool", "clients-oxp", "clients-typed", "clients-opentool"];

  it.each([
    [{ isOpen: true, hasKey: false }, false],
    [{ isOpen: false, hasKey: false }, true],
    [{ isOpen: false, hasKey: true }, true],
    [{ isOpen: true, hasKey: true }, true],
  ])("with %j is sent: %s", (access, isSent) => {
    for (const id of [...commands, "clients-python", "definitions-openai-calls"]) {
      expect(textOf(id, access)?.includes("TRIVET_KEY"), id).toBe(isSent);
    }
    for (const id of [...commands, "clients-shell", "clients-python"]) {
      expect(textOf(`${id}-variables`, access)).toBe(isSent ? "export TRIVET_KEY=trivet_…" : undefined);
    }
  });
});

it("what the tool requires is read from variables, which are set once", () => {
  const all = made({ needs: NEEDS });
  const exports = "export API_KEY=…\nexport CARRIER_LOGIN=…\nexport TRIVET_USER_ID=…";
  for (const id of ["curl-oxp", "clients-oxp", "clients-typed", "clients-shell", "clients-python"]) {
    expect(all.get(`${id}-variables`)?.text, id).toBe(exports);
    // In one tab, the variables first.
    expect(all.get(`${id}-variables`)?.title).toBe(all.get(id)?.title.replace("the call", "first, once per terminal"));
  }
  expect([...all.keys()].slice(0, 3)).toEqual(["curl-oxp-variables", "curl-oxp", "curl-mcp"]);
  expect(all.get("curl-oxp")?.text).toContain(`{"id": "API_KEY", "value": "'"$API_KEY"'"}`);
  expect(all.get("clients-oxp")?.text).toContain('process.env.CARRIER_LOGIN ?? ""');
  expect(all.get("clients-shell")?.text).toMatch(/ --send API_KEY --send CARRIER_LOGIN --send TRIVET_USER_ID$/);
  // OXP alone has a place for it.
  expect(all.get("curl-mcp")?.note).toContain("Only OXP can send API_KEY, CARRIER_LOGIN, TRIVET_USER_ID.");
  expect(all.get("curl-mcp")?.text).not.toContain("API_KEY");
});

it("says what the call lacks, while the form is not filled in", () => {
  const noteOf = (input: Call["input"], id = "curl-oxp") => made({ input }).get(id)?.note;
  expect(noteOf({})).toBe("Not filled in yet: a, b. The form is under Try it.");
  expect(noteOf({ a: 0 })).toMatch(/^Not filled in yet: b\./);
  expect(noteOf({ a: 0, b: 0 })).toBeUndefined();
  expect(noteOf({}, "clients-oxp")).toMatch(/^Not filled in yet: a, b\. .* The package trivet /);
});

it("no shell command has a comment, which an interactive zsh would run", () => {
  const commands = samples(callOf(LISTED, "Math.Add", { needs: NEEDS, isOpen: false })).filter(
    ({ language }) => language === "sh",
  );
  expect(commands.length).toBeGreaterThan(4);
  expect(commands.filter(({ text }) => /^\s*#|\s#/m.test(text))).toEqual([]);
});

describe("literals", () => {
  it.each(NASTY.map((value) => [value]))("%j is JSON, on one line", (value) => {
    const text = json({ value });
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ value })));
    expect(text).not.toContain("\n");
  });

  it("are written as people write them", () => {
    expect(json({ a: [1, { b: [] }], c: {} })).toBe('{"a": [1, {"b": []}], "c": {}}');
    expect(typescript({ a: 1, "b c": [true, null], __proto__x: {} })).toBe(
      '{ a: 1, "b c": [true, null], __proto__x: {} }',
    );
    expect(python({ a: [true, false, null] })).toBe('{"a": [True, False, None]}');
    const long = "x".repeat(60);
    expect(typescript({ first: long, second: [long] })).toBe(`{\n  first: "${long}",\n  second: ["${long}"],\n}`);
  });

  it("are quoted for a shell only where that is needed", () => {
    expect([word("https://a.example:1/b"), word("https://[::1]:80"), word("it's"), word("")]).toEqual([
      ...["https://a.example:1/b", "'https://[::1]:80'", "'it'\\''s'", "''"],
    ]);
  });
});
