/** Prompts, resources and events of one name. Those of tools, as authors see them: read/mistakes.node.test.ts. */
import { expect, it } from "vitest";
import { conflicts } from "../../src/discovery/conflicts.ts";
import type { Candidate } from "../../src/discovery/read/inspected.ts";

const offer = (kind: string, file: string, name: string, uri?: string) =>
  ({ file: { kind, file }, name, id: name, inspected: uri === undefined ? {} : { resource: { uri } } }) as Candidate;
const found = (...offers: Candidate[]) => conflicts([], offers).map(({ file, problem }) => [file, problem]);

it.each(["prompt", "event"])("two of kind %s with one name are a mistake of the second", (kind) => {
  expect(found(offer(kind, "a.ts", "Kit_Sum"), offer(kind, "b.ts", "Kit_Sum"))).toEqual([
    ["b.ts", `it is the ${kind} Kit_Sum, and so is a.ts`],
  ]);
});

it("resources are told apart by their URIs, and not by their names", () => {
  const [one, other] = [
    offer("resource", "a.ts", "Notes", "notes://a"),
    offer("resource", "b.ts", "Notes", "notes://b"),
  ];
  expect(found(one, other)).toEqual([]);
  expect(found(one, offer("resource", "c.ts", "More", "notes://a"))).toEqual([
    ["c.ts", "it is the resource notes://a, and so is a.ts"],
  ]);
});

it("a prompt and an event may have one name", () => {
  expect(found(offer("prompt", "a.ts", "x"), offer("event", "b.ts", "x"))).toEqual([]);
});
