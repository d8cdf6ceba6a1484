/** The parts of `npm run call` that need no server: tools by name, values of the environment, names of files, progress. */
import { describe, expect, it } from "vitest";
import { findTool } from "../../../src/cli/call/find.ts";
import { startLimit } from "../../../src/cli/call/limit.ts";
import { displayOn } from "../../../src/cli/call/progress.ts";
import type { Tool } from "../../../src/cli/call/protocols/connection.ts";
import { safeName } from "../../../src/cli/call/save.ts";
import { findValues } from "../../../src/cli/call/values.ts";
import { variableOf } from "../../../src/connect/variables.ts";

const tool = (id: string, version?: string): Tool => ({
  ...{ id, name: id.replace(".", "_"), version, description: "", input: {} },
});

describe("findTool", () => {
  const TOOLS = [
    tool("Math.Add", "1.0.0"),
    tool("Math.Add", "2.0.0"),
    tool("Math.Add", "10.0.0"),
    tool("TwoWords.SayHello", "1.2.0"),
  ];

  it.each([
    ["Math.Add", "10.0.0"],
    ["Math_Add", "10.0.0"],
    ["math/add", "10.0.0"],
    ["Math.Add@2", "2.0.0"],
    ["math/add@1.0.0", "1.0.0"],
    ["two-words/say-hello", "1.2.0"],
    ["TwoWords.SayHello@1.2.0", "1.2.0"],
  ])("%s", (wanted, version) => {
    expect(findTool(wanted, TOOLS).version).toBe(version);
  });

  it.each([
    ["Math.Ad", "did you mean Math.Add?"],
    ["add", "did you mean Math.Add?"],
    ["Nothing.Alike", "`npm run call` lists those that there are"],
    ["Math.Add@3", "Math.Add has no version 3.0.0: there is 10.0.0, 2.0.0, 1.0.0."],
  ])("%s: %s", (wanted, sentence) => {
    expect(() => findTool(wanted, TOOLS)).toThrow(sentence);
  });

  it("without versions says which protocol has them", () => {
    expect(() => findTool("Math.Add@1", [tool("Math.Add")])).toThrow("add --protocol oxp");
    expect(() => findTool("Math.Add", [])).toThrow("this server lists none");
  });

  it("without versions says that the names may be those of one protocol", () => {
    const kept: Tool = { ...tool("Tides.GetHighTide"), id: "get_high_tide", name: "get_high_tide" };
    expect(() => findTool("Tides.GetHighTide", [kept])).toThrow(
      "over this protocol: list its names with the same --protocol, or leave out --protocol",
    );
  });
});

describe("what a tool needs", () => {
  const needs = { secrets: ["A_KEY"], tokens: ["my-login"], userId: true };
  const all = { A_KEY: "a", MY_LOGIN: "b", TRIVET_USER_ID: "c" };

  it("is found by its ids", () => {
    expect(variableOf("my-login")).toBe("MY_LOGIN");
    expect(variableOf("google")).toBe("google");
    expect(findValues(needs, all).values).toEqual({
      secrets: [{ id: "A_KEY", value: "a" }],
      authorization: [{ id: "my-login", token: "b" }],
      user_id: "c",
    });
  });

  it("is all there, or not at all", () => {
    const { values, set, missing } = findValues(needs, { ...all, MY_LOGIN: "" });
    expect({ values, set, missing }).toEqual({
      values: undefined,
      set: ["A_KEY", "TRIVET_USER_ID"],
      missing: ["MY_LOGIN"],
    });
    expect(findValues(needs, all, ["A_KEY"]).missing).toEqual(["MY_LOGIN", "TRIVET_USER_ID"]);
    expect(findValues(undefined, all)).toEqual({ values: undefined, set: [], missing: [] });
  });
});

describe("safeName", () => {
  const named = (name: string | undefined, type?: string) =>
    safeName({ name, type, bytes: new Uint8Array() }, { name: "Kit_Draw" });

  it.each([
    ["chart.png", "image/png", "chart.png"],
    [undefined, "image/png; charset=x", "Kit_Draw.png"],
    ["chart", "image/png", "chart.png"],
    ["..", undefined, "Kit_Draw.bin"],
    ["../../etc/passwd", undefined, "etc-passwd.bin"],
    ["..\\..\\evil.exe", undefined, "evil.exe"],
    [".bashrc", "text/plain", "bashrc.txt"],
    ["-rf", "text/plain", "rf.txt"],
    ["a\u0000b\nc$(x).txt", undefined, "a-b-c-x-.txt"],
    ["%2e%2e%2fx.csv", undefined, "x.csv"],
    ["ä ö.txt", undefined, "ä-ö.txt"],
    [`${"x".repeat(80)}.${"y".repeat(75)}.csv`, undefined, `${"y".repeat(75)}.csv`],
    [`${"x".repeat(300)}.csv`, undefined, `${"x".repeat(76)}.csv`],
  ])("%j (%s) is %s", (name, type, safe) => {
    expect(named(name, type)).toBe(safe);
  });
});

describe("progress", () => {
  function on(isTTY: boolean) {
    let written = "";
    const display = displayOn({ isTTY, columns: 20, write: (text: string) => (written += text) });
    return { display, written: () => written };
  }

  it("is one line that changes on a terminal", () => {
    const { display, written } = on(true);
    display.progress("one of two");
    display.progress("one of two");
    display.progress("a line that is too long for it\nand another");
    display.say("hello");
    display.clear();
    const erase = "\r\u001b[2K";
    expect(written()).toBe(`${erase}one of two${erase}a line that is too ${erase}hello\n`);
  });

  it("is lines elsewhere, each once, without what would change a terminal", () => {
    const { display, written } = on(false);
    display.progress("one\u001b[2J");
    display.progress("one");
    display.say("two\r\u0007");
    display.clear();
    expect(written()).toBe("one\ntwo  \n");
  });

  it("waits while a question is open", async () => {
    const { display, written } = on(true);
    await display.pausedFor(async () => {
      display.progress("hidden");
      display.say("later");
    });
    expect(written()).toBe("later\n");
  });
});

describe("the time of a call", () => {
  it("does not run while the person answers", async () => {
    const limit = startLimit(200);
    await limit.pausedFor(() => new Promise((resume) => setTimeout(resume, 400)));
    expect(limit.signal.aborted).toBe(false);
    await new Promise((over) => limit.signal.addEventListener("abort", over));
    expect(limit.signal.reason).toMatchObject({ reason: "timed out" });
  });
});
