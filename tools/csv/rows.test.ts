/** How `_rows.ts` reads CSV: RFC 4180, what other programs write, and pieces that end anywhere. */
import { describe, expect, it } from "vitest";
import { MAX_CELL, MAX_COLUMNS, MAX_ROWS, readRows } from "./_rows.ts";

/** Rows of a text that arrives in pieces of this many letters. */
function rowsOf(text: string, size = text.length || 1) {
  const rows: (readonly string[])[] = [];
  const lines: number[] = [];
  const reader = readRows(({ cells, line }) => {
    rows.push(cells);
    lines.push(line);
  });
  for (let at = 0; at < text.length; at += size) reader.write(text.slice(at, at + size));
  reader.end();
  return { rows, lines };
}

describe.each([
  [
    "cells and rows",
    "a,b\n1,2\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "no line end at the end",
    "a,b\n1,2",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "CRLF",
    "a,b\r\n1,2\r\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "CR alone",
    "a,b\r1,2\r",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "empty lines",
    "\na,b\n\n\r\n1,2\n\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "empty cells",
    ",\n,,\n1,\n",
    [
      ["", ""],
      ["", "", ""],
      ["1", ""],
    ],
  ],
  [
    "quotes",
    '"a","b"\n"1, 2",""\n',
    [
      ["a", "b"],
      ["1, 2", ""],
    ],
  ],
  ["quotes in quotes", '"say ""hi""",""""\n', [['say "hi"', '"']]],
  [
    "lines in quotes",
    '"a\nb\r\nc",d\n1,2',
    [
      ["a\nb\r\nc", "d"],
      ["1", "2"],
    ],
  ],
  ["a quote within a cell is a letter", 'a 5" disk,b\n', [['a 5" disk', "b"]]],
  [
    "semicolons",
    "a;b,c\n1;2\n",
    [
      ["a", "b,c"],
      ["1", "2"],
    ],
  ],
  [
    "tabs",
    "a\tb, c\n1\t2\n",
    [
      ["a", "b, c"],
      ["1", "2"],
    ],
  ],
  [
    "separators in the quotes of the header",
    '"x,y,z";b\n1;2\n',
    [
      ["x,y,z", "b"],
      ["1", "2"],
    ],
  ],
  ["one column", "a\n1\n", [["a"], ["1"]]],
  ["letters of two units", "😀,é\n", [["😀", "é"]]],
  ["nothing", "", []],
])("%s", (_, text, rows) => {
  it.each([1, 2, 3, 5, 1_000])("in pieces of %i letters", (size) => {
    expect(rowsOf(text, size).rows).toEqual(rows);
  });
});

it("knows in which line a row begins", () => {
  expect(rowsOf('a,b\r\n"1\n\n",2\n\n3,4').lines).toEqual([1, 2, 6]);
});

describe("refuses, and names the line", () => {
  it.each([
    [
      "text after a quote",
      'a,b\n\n"1"x,2\n',
      'Line 3 has text after a closing quote. Write a quote in a cell as two: ""',
    ],
    ["a quote without an end", 'a,b\n1,"2\n3,4\n', "The quote that begins in line 2 is never closed"],
    ["a long cell", `a,b\n1,${"x".repeat(MAX_CELL + 1)}`, "Line 2 has a cell of more than 32767 characters"],
    [
      "a long cell in quotes",
      `a,b\n1,"${"x\n".repeat(MAX_CELL)}`,
      "Line 2 has a cell of more than 32767 characters: is its closing quote missing?",
    ],
    ["many cells", `a\n1\n${",".repeat(MAX_COLUMNS)}\n`, "Line 3 has more than 200 cells"],
    ["many rows", `a\n${"1\n".repeat(MAX_ROWS + 1)}`, "The file has more than 1000000 rows"],
  ])("%s", (_, text, message) => {
    expect(() => rowsOf(text)).toThrow(message);
    expect(() => rowsOf(text, 4_001)).toThrow(message);
  });

  it("not a file that is just within the limits", () => {
    expect(rowsOf(`a\n${"1\n".repeat(MAX_ROWS)}`).rows).toHaveLength(MAX_ROWS + 1);
    expect(rowsOf(`${"x".repeat(MAX_CELL)}${",".repeat(MAX_COLUMNS - 1)}\n`).rows[0]).toHaveLength(MAX_COLUMNS);
  });
});
