/** The line of a definition's member, in source as people write it. */
import { expect, it } from "vitest";
import { lineOfMember } from "../../../src/discovery/lib/member-line.ts";

const SOURCE = `const version = "2";

export default defineTool({
  version,
  input: v.object({
    description: v.string(),
  }),
  "title": "T",
  async run({ a }) {
    scopes(a);
  },
});
`;

it.each([
  ["version", 4],
  ["input", 5],
  ["title", 8],
  ["run", 9],
])("%s is on line %i", (member, line) => {
  expect(lineOfMember(SOURCE, member)).toBe(line);
});

it.each(["description", "scopes", "v"])(
  "%s is no member of the definition itself: its line is that of export",
  (member) => {
    expect(lineOfMember(SOURCE, member)).toBe(3);
  },
);

it("on one line, it is that line; without export default there is none", () => {
  expect(lineOfMember('\nexport default { version: "1", run };', "version")).toBe(2);
  expect(lineOfMember("const a = 1;\nexport { a as default };", "version")).toBeUndefined();
});
