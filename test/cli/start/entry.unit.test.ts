/** The log of `npm start`: which lines are entries, and where there are colours. Its words are in debugging.node.test.ts. */
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
