/** Which of wrangler's lines `npm start` leaves out: nothing that warns, fails or comes from a tool. */
import { expect, it } from "vitest";
import { bindingsTable, isHidden } from "../../../src/cli/start/hidden-lines.ts";

it.each([
  "[custom build] Running: npm run --silent discover",
  "[custom build] ",
  "[custom build] discovered 1 tool",
  "⎔ Starting local server...",
  "[wrangler:info] ✨ Parsed 1 valid header rule.",
  "Cloudflare collects anonymous telemetry about your usage of Wrangler. Learn more at https://example.com",
])("%j is left out at the start", (line) => {
  expect(isHidden(line, false)).toBe(true);
});

it("the address of a tunnel as a picture is left out, and without a tunnel, a bar that a tool draws is shown", () => {
  const picture = "█▀▀▀▀▀█ ▀▄█ █▀▀▀▀▀█";
  expect([isHidden(picture, true, true), isHidden(picture, true)]).toEqual([true, false]);
});

it.each([
  "[custom build] 1 warning(s) in tools:",
  "[custom build] 1 problem(s) in tools:",
  "[wrangler:warn] Unable to fetch",
  "✘ [ERROR] Address already in use (127.0.0.1:8787).",
  "Found 1 invalid header rule:",
  "█ a tool's bar",
  "",
])("%j is shown", (line) => {
  expect(isHidden(line, false)).toBe(false);
});

it("what discovery finds once it serves is shown", () => {
  expect(isHidden("[custom build] discovered 2 tools", true)).toBe(false);
});

it("the table of the bindings ends with an empty line, and what follows is shown", () => {
  const isInTable = bindingsTable();
  const lines = [
    "Before",
    "Your Worker has access to the following bindings:",
    "Binding  Mode",
    "env.KV  local",
    "",
    "After",
  ];
  expect(lines.filter((line) => !isInTable(line))).toEqual(["Before", "After"]);
});
