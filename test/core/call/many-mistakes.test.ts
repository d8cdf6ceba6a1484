/** Inputs with as many mistakes as a body has room for: each mistake that is collected costs an object. */
import { describe, expect, it } from "vitest";
import { post } from "../../support/http.ts";
import { rpc } from "../../support/opentool.ts";
import { call, completed } from "../../support/oxp.ts";

const ITEMS = 150_000;
/** Almost as many as a body may have. */
const OBJECTS = 90_000;
const list = (item: unknown, length = typeof item === "object" ? OBJECTS : ITEMS) => Array.from({ length }, () => item);

async function mistakes(tool: string, input: Record<string, unknown>): Promise<Record<string, string>> {
  const { status, body, text } = await call(`Strict.${tool}`, input);
  expect(status, text.slice(0, 500)).toBe(422);
  return body.parameter_errors;
}

it.each<[string, string, unknown, Record<string, string>]>([
  ["objects without any of their members", "rows", {}, { "rows.0.a": "Is required" }],
  [
    "texts of which only the library says that they are wrong",
    "emails",
    "",
    { "emails.0": "Must be an email address" },
  ],
  ["values that no compiled check looks at", "texts", 1, { "texts.0": "Must be a string" }],
])(
  "a list of nothing but wrong %s: the first is reported, and no other is looked for",
  async (_, name, item, expected) => {
    expect(await mistakes("Rows", { [name]: list(item) })).toEqual(expected);
  },
);

it("a large input gets one mistake per parameter from the compiled check", async () => {
  const found = await mistakes("RowsOfZod", { rows: list({}), name: "" });
  expect(found).toEqual({ "rows.0.a": "Is required", name: "Must be at least 3 characters long" });
});

it.each([
  ["a library that cannot stop", "RowsOfZod"],
  ["a schema that waits for each item", "RowsAsync"],
])("%s accepts lists up to a limit, and a longer one is the caller's mistake", async (_, tool) => {
  const tooMany = { input: "Must hold at most 10000 values" };
  expect(await mistakes(tool, { texts: list(1) })).toEqual(tooMany);
  expect(await mistakes(tool, { texts: list("x", 10_000) })).toEqual(tooMany);
  expect(Object.keys(await mistakes(tool, { texts: list(1, 9_000) }))[0]).toBe("texts.0");
  expect(await completed(`Strict.${tool}`, { texts: list("x", 9_999) })).toBe(9_999);
});

it("an input that the compiled check refuses, and that makes the library throw (zod in a promise), is the caller's mistake", async () => {
  const name = "\u{1f600}\u{1f600}";
  expect(await mistakes("RowsOfZod", { name })).toEqual({ name: "Must be at least 3 characters long" });
});

it("a small input gets all of its mistakes at once", async () => {
  const found = await mistakes("Rows", { rows: [{}, { a: "" }], emails: ["", "a@b.example", ""], texts: list(1, 50) });
  expect(Object.keys(found)).toHaveLength(5 + 4 + 2 + 50);
});

it("an input of over 200 values gets only its first: each may cost as many objects as a union has members", async () => {
  expect(await mistakes("Rows", { texts: list(1, 200) })).toEqual({ "texts.0": "Must be a string" });
});

describe("a member's name of 500,000 letters, wrong in 150 places", () => {
  const input = { series: { [`k${"ä".repeat(500_000)}`]: list("x", 150) } };
  const MOST = 100_000;

  it.each(["Rows", "RowsOfZod"])("is not repeated in each mistake (OXP, %s)", async (tool) => {
    const { status, text, body } = await call(`Strict.${tool}`, input);
    expect(status).toBe(422);
    expect(text.length).toBeLessThan(MOST);
    expect(Object.keys(body.parameter_errors)[0]).toMatch(/^series\.kä+…ä+\.0$/);
    expect(body.parameter_errors.input).toBe("and 50 more mistakes");
  });

  it("is not repeated in each mistake (MCP, OpenTool)", async () => {
    const params = { name: "Strict_Rows", arguments: input };
    const answers = [
      await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      await rpc("Strict_Rows", input),
    ];
    for (const { text } of answers) {
      expect(text).toMatch(/series\.kä+…ä+\.0: Must be a number.*; and 50 more mistakes/);
      expect(text.length).toBeLessThan(MOST);
    }
  });

  it("is not repeated in a library's message (zod names the members that it does not know)", async () => {
    const { text } = await call("Strict.RowsOfZod", { only: { ["k".repeat(500_000)]: 1 } });
    expect(text.length).toBeLessThan(MOST);
    expect(text).toContain("Unrecognized key");
  });
});

it("a large valid input reaches the tool", async () => {
  const row = { a: "", b: "", c: "", d: "", e: "" };
  const input = { rows: list(row, 10_000), emails: list("a@b.example", 10_000), texts: list("", 100_000) };
  expect(await completed("Strict.Rows", input)).toBe(120_000);
});
