/** Reads CSV (RFC 4180) piece by piece, as it arrives, so that a file of any length takes the memory of one row. */
import { ToolError } from "#tool";

export const MAX_ROWS = 1_000_000;
export const MAX_COLUMNS = 200;
/** As in spreadsheets. */
export const MAX_CELL = 32_767;

/** If a header has as many of one as of another, the first: commas are common in texts. */
const SEPARATORS = ["\t", ";", ","];
/** Enough of a file to see its header, from which the separator is guessed. */
const HEADER_CHARACTERS = 65_536;

export interface Row {
  readonly cells: readonly string[];
  /** Line of the file in which the row begins, from 1. */
  readonly line: number;
  readonly separator: string;
}

export interface RowReader {
  /** Takes the next piece of the text, which may end anywhere. */
  write(text: string): void;
  /** Takes the last row. */
  end(): void;
}

/**
 * Hands each row to `onRow`. Lines end in LF, CRLF or CR; the separator is a comma, a semicolon or a tab. Empty lines
 * are left out.
 *
 * @throws {ToolError} from `write` and `end`: what is wrong, and in which line
 */
export function readRows(onRow: (row: Row) => void): RowReader {
  /** The beginning, until its separator is known. */
  let header: string | undefined = "";
  let separator = ",";
  /** A run of text up to the next letter that means something. */
  let plain = /[^,\r\n]*/y;
  let cells: string[] = [];
  let cell = "";
  /** "closing": after a quote in quotes, which ends the cell or is the first of two that stand for one. */
  let state: "start" | "plain" | "quoted" | "closing" = "start";
  let line = 1;
  let firstLine = 1;
  let cellLine = 1;
  let rows = 0;
  let isAfterReturn = false;

  function add(text: string): void {
    cell += text;
    if (cell.length <= MAX_CELL) return;
    const hint = state === "quoted" ? ": is its closing quote missing?" : "";
    throw new ToolError(`Line ${cellLine} has a cell of more than ${MAX_CELL} characters${hint}`);
  }

  function endCell(): void {
    cells.push(cell);
    cell = "";
    state = "start";
    if (cells.length > MAX_COLUMNS) throw new ToolError(`Line ${line} has more than ${MAX_COLUMNS} cells`);
  }

  function endRow(): void {
    endCell();
    if (cells.length > 1 || cells[0] !== "") {
      // The header is no row.
      if (rows++ > MAX_ROWS) throw new ToolError(`The file has more than ${MAX_ROWS} rows`);
      onRow({ cells, line: firstLine, separator });
    }
    cells = [];
  }

  function read(text: string): void {
    for (let at = 0; at < text.length; ) {
      if (state === "quoted") {
        const quote = text.indexOf('"', at);
        const inside = text.slice(at, quote < 0 ? undefined : quote);
        add(inside);
        line += inside.split("\n").length - 1;
        if (quote < 0) return;
        state = "closing";
        at = quote + 1;
        continue;
      }
      const letter = text[at];
      const isLineFeedOfReturn = isAfterReturn && letter === "\n";
      isAfterReturn = letter === "\r";
      if (isLineFeedOfReturn) at++;
      else if (letter === '"' && state !== "plain") {
        // The second of two quotes stands for one.
        if (state === "closing") add('"');
        else cellLine = line;
        state = "quoted";
        at++;
      } else if (letter === separator) {
        endCell();
        at++;
      } else if (letter === "\n" || letter === "\r") {
        endRow();
        firstLine = ++line;
        at++;
      } else if (state === "closing") {
        throw new ToolError(`Line ${line} has text after a closing quote. Write a quote in a cell as two: ""`);
      } else {
        state = "plain";
        cellLine = line;
        plain.lastIndex = at;
        plain.test(text);
        add(text.slice(at, plain.lastIndex));
        at = plain.lastIndex;
      }
    }
  }

  function guess(beginning: string): void {
    header = undefined;
    separator = separatorOf(beginning);
    plain = new RegExp(`[^${separator}\\r\\n]*`, "y");
    read(beginning);
  }

  return {
    write(text) {
      if (header === undefined) return read(text);
      header += text;
      if (/[\r\n]/.test(header) || header.length > HEADER_CHARACTERS) guess(header);
    },
    end() {
      if (header !== undefined) guess(header);
      if (state === "quoted") throw new ToolError(`The quote that begins in line ${cellLine} is never closed`);
      if (state !== "start" || cells.length > 0) endRow();
    },
  };
}

/** The most frequent separator of the first line, outside of quotes; a comma if it has none. */
function separatorOf(beginning: string): string {
  const [first = ""] = beginning
    .replaceAll(/"[^"]*("|$)/g, "")
    .trimStart()
    .split(/[\r\n]/, 1);
  const counts = SEPARATORS.map((separator) => first.split(separator).length);
  const most = Math.max(...counts);
  return (most > 1 && SEPARATORS[counts.indexOf(most)]) || ",";
}
