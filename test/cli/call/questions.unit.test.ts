/** Questions of a tool, answered line by line. */
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Question } from "../../../src/cli/call/protocols/connection.ts";
import { askPerson } from "../../../src/cli/call/questions.ts";

/** Answers with these lines. After the last one, the input ends, as with Ctrl+D. */
async function answered(question: Question, lines: readonly string[], signal = new AbortController().signal) {
  const input = new PassThrough();
  const output = new PassThrough();
  let printed = "";
  const left = [...lines];
  output.on("data", (chunk) => {
    printed += chunk;
    if (!/: $/.test(String(chunk))) return;
    const line = left.shift();
    if (line === undefined) input.end();
    else input.write(`${line}\n`);
  });
  const answer = await askPerson(question, { input, output, interrupt: () => {} }, signal);
  return { answer, printed };
}

const form = (properties: object, required: readonly string[] = []): Question => ({
  message: "Please say.",
  form: { type: "object", properties, required },
});
const content = async (properties: object, lines: readonly string[], required: readonly string[] = []) =>
  (await answered(form(properties, required), lines)).answer;

const RED = { const: "#f00", title: "Red" };
const BLUE = { const: "#00f", title: "Blue" };

describe("a form", () => {
  it.each<[string, object, string[], unknown]>([
    ["a text", { type: "string" }, ["12"], "12"],
    ["a number", { type: "number" }, ["1.5"], 1.5],
    ["a number, after what is none", { type: "integer", minimum: 2 }, ["x", "1.5", "1", "2"], 2],
    ["a boolean", { type: "boolean" }, ["maybe", "true"], true],
    ["a choice by number", { type: "string", enum: ["S", "L"] }, ["2"], "L"],
    ["a choice by its value, after what is none", { type: "string", enum: ["S", "L"] }, ["3", "XL", "S"], "S"],
    ["a choice by its title", { type: "string", oneOf: [RED, BLUE] }, ["blue"], "#00f"],
    ["a choice with names", { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] }, ["Large"], "l"],
    ["several choices", { type: "array", items: { enum: ["a", "b", "c"], type: "string" } }, ["1, c"], ["a", "c"]],
    ["several with titles", { type: "array", items: { anyOf: [RED, BLUE] } }, ["Red,2"], ["#f00", "#00f"]],
    ["too many, then fewer", { type: "array", items: { enum: ["a", "b"] }, maxItems: 1 }, ["1,2", "2"], ["b"]],
    ["the default", { type: "integer", default: 3 }, [""], 3],
    [
      "an address, after what is none",
      { type: "string", format: "email" },
      ["ada", "ada@example.com"],
      "ada@example.com",
    ],
    ["a length", { type: "string", minLength: 2 }, ["a", "ab"], "ab"],
  ])("takes %s", async (_, field, lines, value) => {
    expect(await content({ field }, lines, ["field"])).toEqual({ action: "accept", content: { field: value } });
  });

  it("asks again for what is required, and leaves out what is not", async () => {
    const fields = { name: { type: "string" }, nick: { type: "string" } };
    expect(await content(fields, ["", "Ada", ""], ["name"])).toEqual({ action: "accept", content: { name: "Ada" } });
  });

  it("says what it wants, without what would change the terminal", async () => {
    const name = { type: "string", title: "Name\u001b[2J", description: "As in your \u001b]0;passport\u0007." };
    const { printed } = await answered(form({ name, size: { type: "string", enum: ["S"], default: "S" } }), ["a", ""]);
    expect(printed).toBe(
      "\nPlease say.  (Ctrl+D declines)\n  As in your .\nName (text, Enter for none): " +
        '  1. S\nsize (one, Enter for "S"): ',
    );
  });

  it("without fields is accepted with Enter", async () => {
    expect(await content({}, [""])).toEqual({ action: "accept", content: {} });
  });

  it("is declined by the end of the input", async () => {
    expect(await content({ name: { type: "string" } }, [])).toEqual({ action: "decline" });
  });
});

describe("a page", () => {
  const page: Question = { message: "Please pay.", url: "https://pay.example.com/1" };

  it("is shown, and waits for Enter", async () => {
    const { answer, printed } = await answered(page, [""]);
    expect(answer).toEqual({ action: "accept" });
    expect(printed).toContain("Open this page: https://pay.example.com/1\n");
  });

  it("can be declined", async () => {
    expect((await answered(page, [])).answer).toEqual({ action: "decline" });
  });
});

it("a call that ends while the person thinks takes its question back", async () => {
  const end = new AbortController();
  const input = new PassThrough();
  const asked = askPerson(
    form({ a: { type: "string" } }),
    { input, output: new PassThrough(), interrupt: () => {} },
    end.signal,
  );
  end.abort(new Error("too late"));
  await expect(asked).rejects.toThrow("too late");
});
