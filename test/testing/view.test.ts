/** `readView`: the page of a tool's view, and what it may do. */
import { expect, it } from "vitest";
import { readView } from "../../src/testing/call.ts";

it("reads the page as hosts do", async () => {
  const { value, error } = await readView("Shown.Sum");
  expect(error).toBeUndefined();
  expect(value.uri).toMatch(/^ui:\/\/shown\/sum-[0-9a-f]{8}\.html$/);
  expect(value.html).toContain("<title>Sum</title>");
  expect(value.html).toContain('"Shown_Sum"');
  expect(value.csp).toEqual({ connectDomains: ["https://sums.example.com"] });
  expect(value.permissions).toEqual({ clipboardWrite: {} });
});

it.each([
  ["Shown_Sum", 'There is no view "Shown_Sum". Did you mean "Shown.Sum"? The views are Shown.Sum'],
  ["Talk.Show", 'There is no view "Talk.Show". The views are Shown.Sum'],
])("%s: an error says which tools have views", async (id, words) => {
  await expect(readView(id)).rejects.toThrow(words);
});
