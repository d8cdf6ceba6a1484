/** Prompts, resources and events of one name. Those of tools, as authors see them: read/mistakes.node.test.ts. */
import { expect, it } from "vitest";
import { conflicts } from "../../src/discovery/conflicts.ts";
import type { Candidate } from "../../src/discovery/read/inspected.ts";

const primitive = (kind: string, file: string, name: string, uri?: string) =>
  ({ file: { kind, file }, name, id: name, inspected: uri === undefined ? {} : { resource: { uri } } }) as Candidate;
const found = (...primitives: Candidate[]) => conflicts([], primitives).map(({ file, problem }) => [file, problem]);

it.each(["prompt", "event"])("two of kind %s with one name are a mistake of the second", (kind) => {
  expect(found(primitive(kind, "a.ts", "Kit_Sum"), primitive(kind, "b.ts", "Kit_Sum"))).toEqual([
    ["b.ts", `it is the ${kind} Kit_Sum, and so is a.ts`],
  ]);
});

it("resources are told apart by their URIs, and not by their names", () => {
  const [one, other] = [
    primitive("resource", "a.ts", "Notes", "notes://a"),
    primitive("resource", "b.ts", "Notes", "notes://b"),
  ];
  expect(found(one, other)).toEqual([]);
  expect(found(one, primitive("resource", "c.ts", "More", "notes://a"))).toEqual([
    ["c.ts", "it is the resource notes://a, and so is a.ts"],
  ]);
});

it("a prompt and an event may have one name", () => {
  expect(found(primitive("prompt", "a.ts", "x"), primitive("event", "b.ts", "x"))).toEqual([]);
});
