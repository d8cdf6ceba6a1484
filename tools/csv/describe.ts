/** Takes a file, and returns statistics and a picture of it. */
import * as v from "valibot";
import { defineTool, rich, type ToolContext, ToolError } from "#tool";
import { histogram, short } from "./_chart.ts";
import type { Column } from "./_columns.ts";
import { png } from "./_png.ts";
import { readTable } from "./_table.ts";

const count = v.pipe(v.number(), v.integer());

export default defineTool({
  version: "1.0.0",
  title: "Describe a CSV file",
  description:
    "Describes the columns of a CSV file: how many cells are empty or different; of numbers their range, mean, median " +
    "and standard deviation; of texts the most frequent. Draws a histogram of one column of numbers.",
  annotations: { readOnly: true },
  attachments: true,
  // A file of a million rows takes about two seconds of CPU.
  rate: 60,
  input: v.object({
    csv: v.optional(v.pipe(v.string(), v.description("The text of the file, if it is not attached."))),
    column: v.optional(
      v.pipe(v.string(), v.description("The column of which to draw a histogram. Default: the first with numbers.")),
    ),
  }),
  output: v.object({
    rows: v.pipe(count, v.description("Without the header, which is the first row.")),
    separator: v.string(),
    columns: v.array(
      v.object({
        name: v.string(),
        type: v.picklist(["number", "text", "empty"]),
        empty: count,
        distinct: v.pipe(count, v.description("How many different values there are.")),
        more_distinct: v.optional(v.pipe(v.boolean(), v.description("True if there are more than were counted."))),
        numbers: v.optional(
          v.object({
            count,
            min: v.number(),
            max: v.number(),
            mean: v.number(),
            median: v.number(),
            standard_deviation: v.pipe(v.number(), v.description("Of a sample: divided by count - 1.")),
            median_of_sample: v.optional(
              v.pipe(count, v.description("The median is of so many numbers, chosen at random from all of them.")),
            ),
            not_numbers: v.optional(v.pipe(count, v.description("Cells with something else, which do not count."))),
          }),
        ),
        most_frequent: v.optional(
          v.pipe(v.array(v.object({ value: v.string(), count })), v.description("Of the values that were counted.")),
        ),
      }),
    ),
    histogram_of: v.optional(v.pipe(v.string(), v.description("The column in the picture."))),
  }),
  async run({ csv, column }, ctx) {
    const { columns, rows, separator } = await readTable(textOf(csv, ctx));
    const drawn = columnToDraw(columns, column);
    const statistics = columns.map((column) => column.statistics);
    if (drawn === undefined) return { rows, separator, columns: statistics };
    const value = { rows, separator, columns: statistics, histogram_of: drawn.name };
    const image = (await png(histogram(captionOf(drawn)))).toBase64();
    return rich(value, [
      // Over MCP, blocks take the place of the value's text, and many models see nothing else.
      { type: "text", text: JSON.stringify(value) },
      { type: "image", data: image, mimeType: "image/png" },
    ]);
  },
});

type Call = Pick<ToolContext, "attachments" | "signal">;

/** The text, in pieces: all of it would not fit into memory if the file is large. */
async function* textOf(csv: string | undefined, { attachments, signal }: Call): AsyncGenerator<string> {
  const [file, second] = attachments;
  if (second !== undefined || (file !== undefined && csv !== undefined)) throw new ToolError("Give one file at a time");
  if (csv !== undefined) return yield csv.replace(/^\ufeff/, "");
  if (file === undefined) throw new ToolError("There is no file: attach one, or pass its text as csv");
  const notText = (cause?: unknown) =>
    new ToolError(`${file.name} is not a text in UTF-8: save it as "CSV UTF-8"`, { cause });
  try {
    const decoder = new TextDecoderStream("utf-8", { fatal: true, ignoreBOM: false });
    for await (const piece of (await file.stream()).pipeThrough(decoder)) {
      // Nobody waits any more.
      signal.throwIfAborted();
      if (piece.includes("\0")) throw notText();
      yield piece;
    }
  } catch (error) {
    // The decoder throws a TypeError.
    throw error instanceof TypeError ? notText(error) : error;
  }
}

/** @throws {ToolError} if the column that was asked for cannot be drawn */
function columnToDraw(columns: readonly Column[], name: string | undefined): Column | undefined {
  const numeric = columns.filter(({ isNumeric }) => isNumeric);
  if (name === undefined) return numeric[0];
  const found = numeric.find((column) => column.name === name);
  if (found !== undefined) return found;
  throw new ToolError(`There is no column of numbers with the name ${name}`, {
    additionalPromptContent: `columns of numbers: ${numeric.map(({ name }) => name).join(", ") || "none"}`,
  });
}

function captionOf({ name, numbers, sample }: Column) {
  const { count, median, min, max, mean, median_of_sample } = numbers;
  const values = median_of_sample ? `${median_of_sample} of ${short(count)} values` : `${count} values`;
  return {
    title: name,
    subtitle: `${values}, ${short(min, 7)} to ${short(max, 7)}, mean ${short(mean)}`,
    numbers: sample,
    median,
  };
}
