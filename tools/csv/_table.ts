/** Reads a table from the text of a CSV file: its first row names the columns, the others are their values. */
import { ToolError } from "#tool";
import { Column, shared } from "./_columns.ts";
import { type Row, readRows } from "./_rows.ts";

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: number;
  readonly separator: string;
}

/**
 * @param text in pieces of any length
 * @throws {ToolError} if it is no table: what is wrong, and in which line
 */
export async function readTable(text: AsyncIterable<string>): Promise<Table> {
  let table: { columns: Column[]; rows: number; separator: string } | undefined;
  const reader = readRows((row) => {
    if (table === undefined) {
      table = { columns: columnsOf(row), rows: 0, separator: row.separator };
      return;
    }
    const { columns } = table;
    // A row that is too short has empty cells at its end, as spreadsheets write it.
    if (row.cells.length > columns.length) {
      throw new ToolError(`Line ${row.line} has ${row.cells.length} cells, and the header has ${columns.length}`);
    }
    table.rows++;
    for (const [index, column] of columns.entries()) column.add(row.cells[index] ?? "");
  });
  for await (const piece of text) reader.write(piece);
  reader.end();
  if (table === undefined) throw new ToolError("The file is empty");
  return table;
}

/** A column without a name is called by its number, and a second one of the same name has a number after it. */
function columnsOf({ cells, separator }: Row): Column[] {
  const used = new Map<string, number>();
  const all = shared(separator);
  return cells.map((cell, index) => {
    const name = cell.trim() || `column ${index + 1}`;
    const times = (used.get(name) ?? 0) + 1;
    used.set(name, times);
    return new Column(times === 1 ? name : `${name} (${times})`, all);
  });
}
