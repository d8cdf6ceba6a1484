/** Single rules of listings, in all the spellings of what they find. The messages that authors see: listing.node.test.ts. */
import { expect, it } from "vitest";
import { RULES } from "../../../src/discovery/listing/rules.ts";

const breaches = (pattern: string) => {
  const input = { type: "object", properties: { p: { type: "string", pattern } } };
  return [...RULES.lookaround.check({ name: "Kit_Add", description: "Adds.", input, exploding: [] }, "trivet")].length;
};

it.each(["a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b"])("%s looks around", (pattern) => {
  expect(breaches(pattern)).toBe(1);
});

it.each(["(?:a)", "(?<a>b)", "\\(?=a", "[(?=]", "[\\](?<=]"])("%s does not", (pattern) => {
  expect(breaches(pattern)).toBe(0);
});
