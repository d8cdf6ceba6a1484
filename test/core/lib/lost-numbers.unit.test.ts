/** Numbers that JSON.parse turns into others are found in the text, wherever they are; and only those. */
import fc from "fast-check";
import { expect, it } from "vitest";
import {
  LOST_NUMBERS,
  type LostNumber,
  lostNumberOutside,
  MAY_HAVE_LOST,
  markLostNumbers,
} from "../../../src/core/lib/lost-numbers.ts";
import { cases } from "../../support/tier.ts";

function pathsIn(text: string): string[] | undefined {
  const value = JSON.parse(text);
  // As bodies are read: the others cannot have one.
  if (MAY_HAVE_LOST.test(text)) markLostNumbers(text, value);
  return value[LOST_NUMBERS]?.map(({ path }: LostNumber) => path.join("."));
}

const LOST = [
  ...["9007199254740992", "9007199254740993", "-9007199254740993", "12345678901234567890"],
  ...["1e400", "-1E+400", `1${"0".repeat(309)}`],
];
/** Of these, JSON carries as much as a number has. */
const KEPT = [
  ...["9007199254740991", "-9007199254740991", "1234567890123456", "1e300", "6.02214076e23", "9007199254740993.0"],
  ...["0.12345678901234567890", "1e16", "-0", "0"],
];

it.each(LOST)("%s is lost, with the path to it from each object and list around it", (number) => {
  const text = `{ "a" : [ 1, {"b~./": ${number} } ], "1234567890123456789": "12345678901234567890" }`;
  expect(pathsIn(text)).toEqual(["a.1.b~./"]);
  const value = JSON.parse(text);
  markLostNumbers(text, value);
  expect(value.a[LOST_NUMBERS]).toMatchObject([
    { path: ["1", "b~./"], message: expect.stringMatching(/send it as text/) },
  ]);
  expect({ ...value.a[1] }[LOST_NUMBERS]).toMatchObject([{ path: ["b~./"] }]);
  expect(JSON.stringify(value)).not.toContain("lost");
  expect(lostNumberOutside(value, ["a"])).toBeUndefined();
  expect(lostNumberOutside(value, ["a", "0"])).toMatch(/^a\.1\.b~\.\/: .* send it as text$/);
});

it.each(KEPT)("%s is not", (number) => {
  expect(pathsIn(`{"a":[${number},"\\"9007199254740993\\""],"9007199254740993":${number}}`)).toBeUndefined();
});

it("a text that is full of them is told of the first hundred", () => {
  expect(pathsIn(`[${Array(5_000).fill("1e999").join(",")}]`)).toHaveLength(100);
});

it("in any text, all of them are found, and nothing else", () => {
  const number = fc.constantFrom(...LOST.slice(0, 5), ...KEPT);
  const name = fc.constantFrom("a", "constructor", "9007199254740993", '"', "b c");
  const { node } = fc.letrec<{ node: { text: string; lost: string[] } }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      number.map((text) => ({ text, lost: LOST.includes(text) ? [""] : [] })),
      fc.constantFrom("9007199254740993", '\\"1', "").map((text) => ({ text: JSON.stringify(text), lost: [] })),
      fc.array(tie("node"), { maxLength: 3 }).map((items) => ({
        text: `[${items.map(({ text }) => text).join(" ,")}]`,
        lost: items.flatMap(({ lost }, at) => lost.map((path) => `${at}.${path}`)),
      })),
      fc.uniqueArray(fc.tuple(name, tie("node")), { maxLength: 3, selector: ([it]) => it }).map((members) => ({
        text: `{${members.map(([it, { text }]) => `${JSON.stringify(it)}:\n${text}`).join(",")}}`,
        lost: members.flatMap(([it, { lost }]) => lost.map((path) => `${it}.${path}`)),
      })),
    ),
  }));
  const holds = ({ text, lost }: { text: string; lost: string[] }) => {
    const found = pathsIn(`[${text}]`)?.map((path) => `${path}.`) ?? [];
    // The order is that of the object's members, in which numbers come first.
    expect(found.sort()).toEqual(lost.map((path) => `0.${path}`).sort());
  };
  fc.assert(fc.property(node, holds), { seed: 38, numRuns: cases(200, 10_000) });
});
