/** The samples of a call: which there are, and what they look like. samples.slow.test.ts runs them. */
import { describe, expect, it } from "vitest";
import { json, python, typescript, word } from "../../../../../src/features/page/browser/code/literals.ts";
import type { Call } from "../../../../../src/features/page/browser/code/sample.ts";
import { samples } from "../../../../../src/features/page/browser/code/samples.ts";
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

it("there are samples for three protocols, the clients and four SDKs of models, each with an id of its own", () => {
  const all = samples(callOf(LISTED, "Math.Add"));
  expect(all.map(({ id }) => id)).toEqual([
    ...["curl-oxp", "curl-mcp", "curl-opentool"],
    ...["clients-oxp", "clients-typed", "clients-opentool", "clients-shell", "clients-python"],
    ...["models-openai", "models-anthropic", "models-gemini", "models-ai-sdk"],
  ]);
});

it("an older version is named, and left out where it cannot be", () => {
  const older = made({}, "Math.Add@1.0.0");
  expect(
    ["curl-mcp", "curl-opentool", "clients-opentool", "models-openai", "models-gemini"].filter((id) => older.has(id)),
  ).toEqual([]);
  for (const id of ["curl-oxp", "clients-oxp", "clients-shell", "clients-python"]) {
    expect(older.get(id)?.text).toContain("Math.Add@1.0.0");
  }
  expect(older.get("clients-typed")?.text).toContain('client.math["add@1.0.0"]({ a: 10, b: 5 })');
});

describe("the key", () => {
  const commands = [
    ...["curl-oxp", "curl-mcp", "curl-opentool", "clients-oxp", "clients-typed", "clients-opentool"],
    ...["models-openai", "models-anthropic", "models-gemini", "models-ai-sdk"],
  ];

  it.each([
    [{ isOpen: true, hasKey: false }, false],
    [{ isOpen: false, hasKey: false }, true],
    [{ isOpen: false, hasKey: true }, true],
    [{ isOpen: true, hasKey: true }, true],
  ])("with %j is sent: %s", (access, isSent) => {
    for (const id of [...commands, "clients-python"]) {
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
  for (const id of ["curl-mcp", "models-openai"]) {
    expect(all.get(id)?.note).toContain("Only OXP can send API_KEY, CARRIER_LOGIN, TRIVET_USER_ID.");
  }
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

describe("a parameter with format password", () => {
  const SECRET = "hunter2-hunter2";
  const password = { type: "string", format: "password" };
  const schema = {
    type: "object",
    properties: {
      plain: password,
      reference: { $ref: "#/$defs/login" },
      list: { type: "array", items: { anyOf: [{ type: "number" }, password] } },
      tuple: { type: "array", prefixItems: [{ type: "string" }, password], items: false },
      group: { allOf: [{ properties: { inner: password } }, { properties: { inner: { minLength: 1 } } }] },
      record: { type: "object", additionalProperties: password },
      pattern: { type: "object", patternProperties: { "^x": password } },
      maybe: { type: ["string", "null"], format: "password" },
      open: { type: "string" },
    },
    $defs: {
      login: { oneOf: [{ type: "null" }, { properties: { word: password, more: { $ref: "#/$defs/login" } } }] },
    },
  };
  const input = {
    plain: SECRET,
    reference: { word: SECRET, more: { word: SECRET, more: null } },
    list: [1, SECRET],
    tuple: ["seen", SECRET],
    group: { inner: SECRET },
    record: { a: SECRET },
    pattern: { xa: SECRET },
    maybe: SECRET,
    open: "seen",
  };
  const given = { input };
  const all = samples(callOf([definition("Login.Try@1.0.0", schema)], "Login.Try", given));

  it("is in no sample, and its place is marked", () => {
    expect(JSON.stringify(all)).not.toContain(SECRET);
    expect(all.length).toBeGreaterThan(8);
    for (const { text, note, id } of all) {
      expect(text.match(/…/g), id).toHaveLength(9);
      expect(text.match(/seen/g), id).toHaveLength(2);
      expect(note, id).toMatch(/^Secrets are not shown: write each in place of …\.( |$)/);
    }
    expect(input.plain).toBe(SECRET);
  });

  it("is not mentioned where there is none", () => {
    expect(made().get("curl-oxp")?.note).toBeUndefined();
    const none = samples(callOf([definition("Login.Try@1.0.0", schema)], "Login.Try", { input: { open: "seen" } }));
    expect(none.map(({ note }) => note).join()).not.toContain("Secrets");
  });

  it("is found in a schema that refers to itself in more ways than can be followed", () => {
    const both = (name: string) => ({ anyOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`d${at}`, both(`d${(at + 1) % 40}`)]));
    const nested = { properties: { a: both("d0"), b: password }, $defs };
    const [sample] = samples(
      callOf([definition("Login.Try@1.0.0", nested)], "Login.Try", { input: { a: "seen", b: SECRET } }),
    );
    expect(sample?.text).toContain('"a": "seen", "b": "…"');
  });
});

it("a value that is nested deeply does not take for ever", () => {
  let value: unknown = "x".repeat(100);
  for (let depth = 0; depth < 60; depth++) value = depth % 2 ? { a: value } : [value];
  expect(typescript(value).split("\n")).toHaveLength(121);
  expect(python(value)).toContain("x");
});

it("an address that means something to a shell is quoted in every command", () => {
  const base = "https://$(id).example.com";
  for (const { text, language } of samples(callOf(LISTED, "Math.Add", { base }))) {
    for (const line of text.split("\n").filter((one) => one.includes("$(id)"))) {
      // Python and TypeScript have it in a literal of their own.
      expect(line).toMatch(language === "sh" || line.includes("npm run") ? /'https:\/\/\$\(id\)\S*'/ : /"https:/);
    }
  }
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
