import { expect, it } from "vitest";
import { callTool, readView } from "#test";

it("counts the words of an attached file", async () => {
  const attachments = [{ name: "hamlet.txt", text: "To be, or not to be: that's the question." }];
  const { value } = await callTool("Words.Count", {}, { attachments });
  expect(value).toMatchObject({ words: 9, different: 7 });
  expect(value.frequent.slice(0, 3)).toEqual([
    { word: "to", count: 2 },
    { word: "be", count: 2 },
    { word: "or", count: 1 },
  ]);
});

it.each([
  ["", 0],
  ["東京に行きました。", 5],
  ["Grüße, grüße!", 2],
])("%j has %i words", async (text, words) => {
  expect((await callTool("Words.Count", { text })).value.words).toBe(words);
});

it.each([
  [[], "Attach one file, or pass its text"],
  [["a", "b"], "Attach one file, or pass its text"],
  [["x".repeat(2_000_001)], "file.txt is larger than 2000000 bytes"],
  [[Uint8Array.of(0xff, 0xfe, 0x41)], "file.txt is not a text in UTF-8"],
])("refuses what it cannot read (%#)", async (contents, message) => {
  const attachments = contents.map((content) => new File([content], "file.txt"));
  expect((await callTool("Words.Count", {}, { attachments })).error?.message).toBe(message);
});

it("has a view, which loads nothing from elsewhere", async () => {
  const { value } = await readView("Words.Count");
  expect(value.html).toContain('"Words_Count"');
  expect(value.csp).toBeUndefined();
});
