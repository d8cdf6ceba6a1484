/** The log of `npm start`: which lines are entries, and where there are colours. Its words are in debugging.slow.test.ts. */
import { WriteStream } from "node:tty";
import { describe, expect, it } from "vitest";
import { type Paint, paintFor, readEntry, showEntry } from "../../../src/cli/start/entry.ts";
import { describeError } from "../../../src/core/lib/log.ts";

const PLACE = { root: "/project", fileOf: () => undefined };
const TERMINAL = { TERM: "xterm-256color" };
const NOW = new Date("2026-11-23T09:00:00");
const marked: Paint = (colour, text) => `<${colour} ${text}>`;

describe("a line is an entry", () => {
  it("if it is the JSON of one", () => {
    expect(readEntry('{"level":"info","message":"hello"}')).toEqual({ level: "info", message: "hello" });
  });
  it.each([
    "hello",
    "{}",
    "{",
    '{"level":"loud","message":"hello"}',
    '{"level":"info","message":1}',
    "[1]",
    "null",
    "",
    '{"level":"info","message":"hello","error":null}',
    '{"level":"info","message":"hello","error":"text"}',
    '{"level":"info","message":"hello","error":{"name":"E","message":1}}',
    '{"level":"info","message":"hello","error":{"name":"E","message":"m","cause":[]}}',
  ])("and otherwise it stays as it is: %s", (line) => {
    expect(readEntry(line)).toBeUndefined();
  });
});

it.each([
  ["completed", "green"],
  ["failed", "red"],
  ["timed_out", "red"],
  ["refused", "yellow"],
])("the outcome %s is %s", (outcome, colour) => {
  const entry = { level: "info", message: "call", outcome, durationMs: 3, protocol: "mcp", tool: "A.B@1.0.0" } as const;
  expect(showEntry(entry, PLACE, marked, NOW)).toContain(
    `<dim 09:00:00>  A.B@1.0.0  <${colour} ${outcome.replace("_", " ")}>  3 ms  mcp`,
  );
});

it("has colours only where the stream is a terminal that wants them", () => {
  const entry = { level: "error", message: "broken" } as const;
  // A test's own output is no terminal.
  const depth = (env: object) => WriteStream.prototype.getColorDepth.call(process.stdout, env);
  const shown = (isTTY: boolean, env: Record<string, string>) => {
    const before = process.env;
    process.env = env;
    try {
      const stream = Object.assign(Object.create(process.stdout), { isTTY, getColorDepth: () => depth(env) });
      return showEntry(entry, PLACE, paintFor(stream), NOW).includes("\u001b[31m");
    } finally {
      process.env = before;
    }
  };
  expect([shown(true, TERMINAL), shown(false, TERMINAL), shown(true, { ...TERMINAL, NO_COLOR: "1" })]).toEqual([
    true,
    false,
    false,
  ]);
});

it("causes that form a circle end", () => {
  const error = new Error("a");
  error.cause = new Error("b", { cause: error });
  const text = showEntry({ level: "error", message: "m", error: describeError(error) }, PLACE, (_, text) => text, NOW);
  expect(text.match(/caused by Error: /g)).toHaveLength(8);
});

it("an error of the local runtime that is only a number gets a hint", () => {
  const error = describeError(new Error("internal error; reference = abc123"));
  const text = showEntry({ level: "error", message: "m", error }, PLACE, (_, text) => text, NOW);
  expect(text).toContain("usually a host name that does not exist");
});

describe("what a caller or a tool chose cannot steer the terminal, nor pass for another line", () => {
  const plain: Paint = (_, text) => text;
  const shown = (entry: object) => showEntry(readEntry(JSON.stringify(entry)) as never, PLACE, plain, NOW);
  /** Clears the screen, sets the window's title, reverses the text, and forges a call. */
  const EVIL = "\u001b[2J\u001b]0;x\u0007\u009b1m\u202e\u2028\r\n09:00:01  Bank.Pay@1.0.0  completed";
  const CALL = { level: "info", message: "call", outcome: "failed", durationMs: 1, protocol: "oxp" };

  it.each([
    { level: "info", message: EVIL },
    { level: "info", message: "tool log", tool: EVIL, data: EVIL },
    { level: "info", message: "tool log", data: { [EVIL]: [EVIL] }, [EVIL]: EVIL },
    { ...CALL, tool: EVIL, detail: EVIL },
    { ...CALL, outcome: EVIL, reason: EVIL, protocol: EVIL, detail: { EVIL } },
    { level: "info", message: "m", time: EVIL },
  ])("%j is one line of visible characters", (entry) => {
    expect(shown(entry)).toMatch(/^[^\p{Cc}\u2028-\u202e]+$/u);
  });

  it("an error's further lines are indented", () => {
    const error = { name: EVIL, message: EVIL, stack: `x\n    at ${EVIL}`, cause: { name: "E", message: EVIL } };
    const [, ...lines] = shown({ level: "error", message: "m", error }).split("\n");
    expect(lines.length).toBeGreaterThan(2);
    for (const line of lines) expect(line).toMatch(/^ {2}[^\p{Cc}\u2028-\u202e]+$/u);
  });

  it("a reason that is the name of a built-in member gets no hint", () => {
    expect(shown({ ...CALL, outcome: "refused", reason: "constructor" })).not.toContain("native code");
  });

  it("escapes are shown, and other scripts stay as they are", () => {
    expect(shown({ level: "info", message: "tool log", data: "Grüße 👩‍🚀 \u001b[0m" })).toContain(
      "data=Grüße 👩‍🚀 \\u001b[0m",
    );
  });

  it("an error with more causes than the Worker describes is not the Worker's", () => {
    let error: object = { name: "E", message: "m" };
    for (let depth = 0; depth < 1_000; depth++) error = { name: "E", message: "m", cause: error };
    expect(readEntry(JSON.stringify({ level: "error", message: "m", error }))).toBeUndefined();
  });

  it("the stack begins and ends at lines of tools/, not of the framework", () => {
    const at = ["src/core/ask.ts:3:1", "tools/kit/_help.ts:2:2", "src/core/lib/each.ts:9:9", "tools/kit/add.ts:5:9"];
    const frames = [...at, "src/core/run.ts:1:1"].map((place) => `    at do (file:///project/${place})`);
    const error = { name: "E", message: "a", stack: `E: a\n${frames.join("\n")}` };
    expect(shown({ level: "error", message: "m", error }).match(/^ {6}at .*$/gm)).toEqual([
      "      at do (tools/kit/_help.ts:2:2)",
      "      at do (tools/kit/add.ts:5:9)",
    ]);
  });

  it("neither a message that looks like a frame nor a file on another machine is a frame", () => {
    const stack = "E: a\n    at pay (file://bank/tools/a.ts:1:1)\n    at run (file://host/tools/b.ts:2:2)";
    const error = { name: "E", message: "a\n    at pay (file://bank/tools/a.ts:1:1)", stack };
    expect(shown({ level: "error", message: "m", error }).match(/^ {6}at .*$/gm)).toEqual([
      "      at run (file://host/tools/b.ts:2:2)",
    ]);
  });
});
