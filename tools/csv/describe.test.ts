/** What CSV.Describe finds in files, what it refuses, and that its picture shows what it says. */
import { describe, expect, it } from "vitest";
import { callTool } from "#test";
import { binsOf, short } from "./_chart.ts";
import { pictureIn } from "./_read-png.ts";

const SALES = `date,city,price
2026-01-01,Oslo,10
2026-01-02,"Rome, Italy",30
2026-01-03,Oslo,
2026-01-04,Oslo,20
`;

async function columnOf(csv: string, name?: string) {
  const { value } = await callTool("CSV.Describe", { csv });
  return value.columns.find((column) => column.name === (name ?? value.columns[0]?.name));
}

/** A file of one column with these cells. */
const column = (cells: readonly (string | number)[]) => ["x", ...cells].join("\n");

describe("an attached file", () => {
  it("is described, and one of its columns is drawn", async () => {
    const file = new File([SALES], "sales.csv", { type: "text/csv" });
    const { value, blocks } = await callTool("CSV.Describe", {}, { attachments: [file] });
    expect(value).toEqual({
      rows: 4,
      separator: ",",
      histogram_of: "price",
      columns: [
        { name: "date", type: "text", empty: 0, distinct: 4, most_frequent: expect.any(Array) },
        {
          name: "city",
          type: "text",
          empty: 0,
          distinct: 2,
          most_frequent: [
            { value: "Oslo", count: 3 },
            { value: "Rome, Italy", count: 1 },
          ],
        },
        {
          name: "price",
          type: "number",
          empty: 1,
          distinct: 3,
          numbers: { count: 3, min: 10, max: 30, mean: 20, median: 20, standard_deviation: 10 },
        },
      ],
    });
    expect(blocks).toEqual([
      { type: "text", text: JSON.stringify(value) },
      { type: "image", data: expect.any(String), mimeType: "image/png" },
    ]);
  });

  it("says the same as its text", async () => {
    const attached = await callTool("CSV.Describe", {}, { attachments: [{ name: "sales.csv", text: SALES }] });
    const pasted = await callTool("CSV.Describe", { csv: SALES });
    expect([attached.value, attached.blocks]).toEqual([pasted.value, pasted.blocks]);
  });

  it("may be large: 200,000 rows, of which the median is estimated", async () => {
    const lines = Array.from({ length: 200_000 }, (_, row) => `${row},"a ""quoted"" text of row ${row}",${row % 7}`);
    const file = new File(["n,text,week\n", lines.join("\n")], "large.csv");
    const { value } = await callTool("CSV.Describe", {}, { attachments: [file] });
    const [n, text, week] = value.columns;
    expect([value.rows, text?.distinct, text?.more_distinct, week?.distinct]).toEqual([200_000, 1_000, true, 7]);
    expect(n?.numbers).toMatchObject({ count: 200_000, min: 0, max: 199_999, median_of_sample: 10_000 });
    expect(n?.numbers?.mean).toBeCloseTo(99_999.5, 6);
    expect(n?.numbers?.standard_deviation).toBeCloseTo(57_735.17, 1);
    // The sample is the same each time: this is no matter of luck.
    expect(Math.abs((n?.numbers?.median ?? 0) - 100_000)).toBeLessThan(2_000);
  });

  it.each([
    ["bytes that are no UTF-8", new Uint8Array([0x61, 0x2c, 0xff, 0x0a])],
    ["an Excel workbook", new Uint8Array([0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x06, 0x00, 0x08, 0x00, 0xd3, 0x9b])],
  ])("is refused if it is not a text: %s", async (_, bytes) => {
    const { error } = await callTool("CSV.Describe", {}, { attachments: [new File([bytes], "book.xlsx")] });
    expect(error?.message).toBe('book.xlsx is not a text in UTF-8: save it as "CSV UTF-8"');
  });

  it("may begin with a byte order mark, and so may its text", async () => {
    const attached = await callTool(
      "CSV.Describe",
      {},
      { attachments: [{ name: "a.csv", text: '\ufeff"a",b\n1,2\n' }] },
    );
    const pasted = await callTool("CSV.Describe", { csv: '\ufeff"a",b\n1,2\n' });
    expect([attached, pasted].map(({ value }) => value.columns[0]?.name)).toEqual(["a", "a"]);
  });

  it("must not be empty", async () => {
    const { error } = await callTool("CSV.Describe", {}, { attachments: [{ name: "a.csv", text: "" }] });
    expect(error?.message).toBe("The file is empty");
  });

  it.each([
    ["more cells than the header", "a,b\n1,2\n\n1,2,3\n", "Line 4 has 3 cells, and the header has 2"],
    ["a quote without an end", 'a,b\n1,"2\n', "The quote that begins in line 2 is never closed"],
  ])("with %s is refused, and the line is named", async (_, text, message) => {
    const { error } = await callTool("CSV.Describe", {}, { attachments: [{ name: "a.csv", text }] });
    expect(error).toMatchObject({ message, canRetry: false });
  });

  it("must be one", async () => {
    const file = { name: "a.csv", text: SALES };
    const none = await callTool("CSV.Describe", {});
    expect(none.error?.message).toBe("There is no file: attach one, or pass its text as csv");
    const two = await callTool("CSV.Describe", {}, { attachments: [file, file] });
    const both = await callTool("CSV.Describe", { csv: SALES }, { attachments: [file] });
    expect([two.error?.message, both.error?.message]).toEqual(["Give one file at a time", "Give one file at a time"]);
  });
});

describe("numbers", () => {
  it.each([
    [[1, 2, 3, 4], { mean: 2.5, median: 2.5, standard_deviation: expect.closeTo(1.290994) }],
    [[5], { min: 5, max: 5, mean: 5, median: 5, standard_deviation: 0 }],
    [["-1.5", "+2", ".5", "1e3"], { min: -1.5, max: 1000, median: 1.25 }],
    // A naive sum of squares loses all digits here.
    [[1_000_000_001, 1_000_000_002, 1_000_000_003], { mean: 1_000_000_002, standard_deviation: 1 }],
  ])("%j", async (cells, expected) => {
    expect((await columnOf(column(cells)))?.numbers).toMatchObject(expected);
  });

  it("have a decimal comma where semicolons separate cells", async () => {
    expect((await columnOf("a;b\n1,5;x\n2,5;y\n"))?.numbers).toMatchObject({ min: 1.5, max: 2.5 });
    expect((await columnOf('a,b\n"1,5",x\n"2,5",y\n'))?.type).toBe("text");
  });

  it("may have other cells between them, which are counted: up to one in ten", async () => {
    const nine = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    expect((await columnOf(column([...nine, "n/a"])))?.numbers).toMatchObject({ count: 9, not_numbers: 1, mean: 5 });
    expect((await columnOf(column([...nine.slice(1), "n/a"])))?.type).toBe("text");
  });

  it.each(["1e999", "Infinity", "NaN", "0x10", "1 000", "1.2.3", "--1", "2026-01-01"])("%s is a text", async (cell) => {
    expect(await columnOf(column([cell]))).toMatchObject({ type: "text", most_frequent: [{ value: cell, count: 1 }] });
  });
});

describe("columns", () => {
  it("without a name, or with the same, are told apart", async () => {
    const { value } = await callTool("CSV.Describe", { csv: "a,,a\n1,2,3\n" });
    expect(value.columns.map(({ name }) => name)).toEqual(["a", "column 2", "a (2)"]);
  });

  it("may be empty, and rows too short", async () => {
    expect(await columnOf("a,b\n1\n2, \n", "b")).toEqual({
      name: "b",
      type: "empty",
      empty: 2,
      distinct: 0,
      most_frequent: [],
    });
  });

  it("of long texts are shown by their beginnings", async () => {
    const frequent = (await columnOf(column(["y".repeat(200)])))?.most_frequent;
    expect(frequent).toEqual([{ value: `${"y".repeat(99)}…`, count: 1 }]);
  });
});

describe("the picture", () => {
  const draw = async (csv: string, name?: string) => {
    const { value, blocks } = await callTool("CSV.Describe", { csv, ...(name !== undefined && { column: name }) });
    const block = blocks.find(({ type }) => type === "image");
    return { of: value.histogram_of, picture: block?.type === "image" ? await pictureIn(block.data) : undefined };
  };

  it("is of the first column of numbers, or of another", async () => {
    const csv = "a,b,c\nx,1,5\ny,2,5\n";
    expect((await draw(csv)).of).toBe("b");
    expect((await draw(csv, "c")).of).toBe("c");
  });

  it("has bars as high as there are numbers", async () => {
    // Nine numbers from 0 on, three of 1 and none of 2.
    const { picture } = await draw(column([...Array(9).fill(0.5), ...Array(3).fill(1.5), 3.5]));
    const heights = picture?.heightsOf("#2f81f7") ?? [];
    const tallest = Math.max(...heights);
    expect([picture?.width, picture?.height]).toEqual([720, 400]);
    expect(tallest).toBeGreaterThan(100);
    expect(new Set(heights.map((height) => Math.round((9 * height) / tallest)))).toEqual(new Set([0, 9, 3, 1]));
  });

  it.each([
    // 0.3 / 0.1 is a little less than 3, and still 0.3 begins the bar from 0.3 on.
    [[0.1, 0.2, 0.3, 0.3, 0.4, 0.7, 1.4], 0.1, 0.1, [1, 1, 2, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]],
    [[1, 2, 2, 4], 1, 1, [1, 2, 0, 1]],
    [[-0.5, 0.5], -0.5, 0.1, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]],
    [[7, 7], 6, 1, [0, 2, 0]],
    [[0.1 + 0.2, 0.3], 0.25, 0.05, [0, 2, 0]],
  ])("of %j has bars from %d on, %d wide", (numbers, start, width, counts) => {
    const bars = binsOf(numbers);
    expect([bars.bins[0]?.start, bars.width]).toEqual([expect.closeTo(start), expect.closeTo(width)]);
    expect(bars.bins.map(({ count }) => count)).toEqual(counts);
  });

  it("has short numbers", () => {
    const numbers = [0, 1.5, -20, 0.1 + 0.2, 9_999, 12_000, 3_400_000, 2.5e12, -1e-7];
    expect(numbers.map((number) => short(number))).toEqual([
      "0",
      "1.5",
      "-20",
      "0.3",
      "9999",
      "12k",
      "3.4M",
      "2.5e+12",
      "-1e-7",
    ]);
    expect([1_000_001, 1_700_500_000].map((number) => short(number, 7))).toEqual(["1.000001M", "1.7005e+9"]);
  });

  it("is drawn of equal numbers, of tiny and of huge ones", async () => {
    for (const cells of [[7, 7], [0], [-3e-9, 1e-9], [1e99, -1e99], [1e15, 1e15 + 1], [5e-324, 0]]) {
      const { picture } = await draw(column(cells));
      expect(Math.max(...(picture?.heightsOf("#2f81f7") ?? [])), String(cells)).toBeGreaterThan(100);
    }
  });

  it("is not there without numbers", async () => {
    expect(await draw("a\nx\n")).toEqual({ of: undefined, picture: undefined });
  });

  it("of a column that has no numbers is refused, with those that have", async () => {
    const { error } = await callTool("CSV.Describe", { csv: SALES, column: "city" });
    expect(error).toMatchObject({
      message: "There is no column of numbers with the name city",
      additionalPromptContent: "columns of numbers: price",
    });
  });
});
