/** Long lists against schemas with many choices: the work per item does not grow with the number of choices. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { call, completed } from "../../support/oxp.ts";

const ITEMS = 500;
const list = (item: unknown, length = ITEMS) => Array.from({ length }, () => item);

async function mistakes(input: object): Promise<Record<string, string>> {
  const { status, body, text } = await call("Strict.Choices", input);
  expect(status, text.slice(0, 500)).toBe(422);
  return body.parameter_errors;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe(`${ITEMS} values, each one of 249 choices`, () => {
  it.each([
    ["texts", { codes: list("code-200") }, 0],
    ["objects, whatever the order of their members", { places: list({ at: [1], code: "code-200" }) }, 4],
    ["values next to objects", { places: [null, 0, -0, false, "else", ...list(null)] }, 0],
  ])("%s: no value is printed once for each choice", async (_, input, perItem) => {
    // The choices themselves are built when the tool is first called.
    await completed("Strict.Choices", {});
    const spelled = vi.spyOn(JSON, "stringify");
    const length = Object.values(input)[0]?.length;
    expect(await completed("Strict.Choices", input)).toBe(length);
    expect(spelled.mock.calls.length).toBeLessThan(perItem * ITEMS + 100);
  });

  it.each<[string, object]>([
    ["a text that is not among them", { codes: [...list("code-1"), "code-249"] }],
    ["an object that has a member more", { places: [{ code: "code-1", at: [1], more: 1 }] }],
    ["an object that has a member less", { places: [{ code: "code-1" }] }],
    ["an object with another value far down", { places: [{ code: "code-1", at: [2] }] }],
    ["a text that spells an object", { places: ['{"at":[1],"code":"code-1"}'] }],
    ["a text that spells a value", { places: ["null"] }],
    ["a list for a value", { places: [[]] }],
  ])("%s is refused", async (_, input) => {
    const [said = ""] = Object.values(await mistakes(input));
    expect(said).toMatch(/^Must be one of .*"code-0".*"code-248"/);
  });
});

it.each<[string, unknown, boolean]>([
  ["the same, in another order", { y: [0], x: 2 }, true],
  ["with a member more", { x: 1, y: [0], z: 1 }, false],
  ["with a member less", { x: 1 }, false],
  ["with a list for an object", [1, [0]], false],
  ["with an object for a list", { x: 1, y: { 0: 0, length: 1 } }, false],
  ["with a longer list", { x: 1, y: [0, 0] }, false],
  ["with null", { x: 1, y: null }, false],
  ["with an own member that objects inherit", { x: 1, y: [0], valueOf: 1 }, false],
])("a constant object, %s", async (_, point, fits) => {
  const { status } = await call("Strict.Choices", { point });
  expect(status).toBe(fits ? 200 : 422);
});

describe("a list that lacks what it must contain", () => {
  /** The length of the longest array that was pushed to during a run. */
  async function longestList(run: () => Promise<unknown>): Promise<number> {
    let longest = 0;
    const { push } = Array.prototype;
    // Not vitest's spy, which records its calls in an array as well.
    Array.prototype.push = function (...items) {
      const length = Reflect.apply(push, this, items);
      if (length > longest) longest = length;
      return length;
    };
    try {
      await run();
    } finally {
      Array.prototype.push = push;
    }
    return longest;
  }

  it("gets one mistake, not one for each item", async () => {
    let found: unknown;
    const longest = await longestList(async () => {
      found = await mistakes({ tags: [...list("neither", 20_000), "this"] });
    });
    expect(found).toEqual({ tags: "Must contain an item that the schema requires" });
    expect(longest).toBeLessThan(5_000);
  });

  it("accepts a list that has enough", async () => {
    expect(await completed("Strict.Choices", { tags: [...list("neither"), "this", "that"] })).toBe(ITEMS + 2);
    expect(await mistakes({ tags: ["this"] })).toHaveProperty("tags");
  });
});
