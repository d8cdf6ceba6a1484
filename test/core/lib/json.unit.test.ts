/** Tests core/lib/json.ts: which values JSON can represent, how deeply they may nest, and their canonical text. */
import { describe, expect, it } from "vitest";
import {
  canonical,
  countContainers,
  isRecord,
  type Json,
  NotJson,
  nestsDeeperThan,
  toJson,
} from "../../../src/core/lib/json.ts";
import { nested } from "../../support/nested.ts";

describe("countContainers", () => {
  it.each<[unknown, number]>([
    [1, 0],
    [[{}, [], { a: {} }], 5],
    // 1 + 1,367 places of twelve to an object.
    [{ 900: 1 }, 114],
    [{ 900: 1, 2300: 1 }, 289],
    // V8 keeps no places for numbers that are this far apart.
    [{ 1024: 1 }, 1],
    [{ 4000: 1 }, 1],
    [{ "-1": 1, "01": 1, x1: 1 }, 1],
  ])("of %j is %d", (value, count) => {
    expect(countContainers(value, 100_000)).toBe(count);
  });
});

it.each(['{"900":1}', '{"1":2,"__proto__":3,"a":4}', '{"0":1,"4294967294":2}', '{"4294967295":1,"7":{"900":[]}}'])(
  "toJson copies an object with numbers as keys as it is: %s",
  (text) => {
    const value = JSON.parse(text);
    const copy = toJson(value);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
    expect(copy).not.toBe(value);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  },
);

describe("toJson", () => {
  it.each([
    [null],
    [true],
    [0],
    [-1.5],
    [""],
    ["\ud800"],
    [[]],
    [{}],
    [[1, [2, { a: [] }]]],
    [Object.assign(Object.create(null), { a: 1 })],
  ])("%j is JSON already: an equal copy", (value) => {
    const json = toJson(value);
    expect(JSON.stringify(json)).toBe(JSON.stringify(value));
    if (typeof value === "object" && value !== null) expect(json).not.toBe(value);
  });

  it("reads each member once: getters, proxies and lists may return something else the next time", () => {
    let looks = 0;
    const getter = {
      get a() {
        return ++looks;
      },
    };
    const proxy = new Proxy({ b: 1 }, { get: (_, name) => (name === "b" ? ++looks : undefined) });
    const list = Object.defineProperty([0], 0, { get: () => ++looks, enumerable: true });
    const json = toJson([getter, proxy, list]);
    const printed = '[{"a":1},{"b":2},[3]]';
    expect([JSON.stringify(json), JSON.stringify(json)]).toEqual([printed, printed]);
  });

  it("keeps -0, as JSON.stringify prints 0 for it anyway", () => {
    expect(JSON.stringify(toJson(-0))).toBe("0");
  });

  it("calls toJSON, within lists and objects too, and does not change its argument", () => {
    const given = { at: new Date(0), list: [1, new Date(0)], kept: [1] };
    const json = toJson(given) as { [member: string]: Json };
    expect(json).toEqual({ at: "1970-01-01T00:00:00.000Z", list: [1, "1970-01-01T00:00:00.000Z"], kept: [1] });
    expect(given.at).toBeInstanceOf(Date);
    expect(given.list[1]).toBeInstanceOf(Date);
  });

  it("unboxes as JSON.stringify does", () => {
    expect(toJson([Object(1), Object("a"), Object(false)])).toEqual([1, "a", false]);
  });

  it("keeps an own member called __proto__ a member", () => {
    const json = toJson({ ...JSON.parse('{"__proto__":{"a":1}}'), at: new Date(0) });
    expect(JSON.stringify(json)).toBe('{"__proto__":{"a":1},"at":"1970-01-01T00:00:00.000Z"}');
  });

  it("returns values that JSON.stringify can always print without loss", () => {
    const value = toJson({ a: [new Date(0), { b: Object(1) }], c: undefined, "": null });
    expect(JSON.parse(JSON.stringify(value))).toEqual({ a: ["1970-01-01T00:00:00.000Z", { b: 1 }], "": null });
  });

  const ring: unknown[] = [];
  ring.push({ ring });
  const self = { toJSON: () => self };
  it.each<[string, unknown, string]>([
    ["NaN", Number.NaN, ""],
    ["Infinity", { a: [0, Number.NEGATIVE_INFINITY] }, "a.1"],
    ["a bigint", { a: 1n }, "a"],
    ["a boxed bigint", [Object(1n)], "0"],
    ["a boxed NaN", [Object(Number.NaN)], "0"],
    ["a function", { a: { b: () => 1 } }, "a.b"],
    ["a symbol", Symbol("x"), ""],
    ["undefined in a list", [undefined], "0"],
    // biome-ignore lint/suspicious/noSparseArray: a hole is what is tested
    ["a hole in a list", [1, , 2], "1"],
    ["a Map", new Map(), ""],
    ["a Set", { a: new Set() }, "a"],
    ["bytes", new Uint8Array(1), ""],
    ["a buffer", { a: new ArrayBuffer(1) }, "a"],
    ["a regular expression", { a: /x/ }, "a"],
    ["an error", [new TypeError("no")], "0"],
    ["an error with members of its own", Object.assign(new Error("no"), { code: 1 }), ""],
    ["a response", { answer: new Response("x") }, "answer"],
    ["headers", new Headers({ a: "b" }), ""],
    ["a promise", [Promise.resolve(1)], "0"],
    ["a cycle", ring, ""],
    ["a toJSON that leads to itself", self, ""],
    ["a toJSON that returns nothing", { a: { toJSON: () => undefined } }, "a"],
  ])("%s: refused, with its path", (_, value, path) => {
    let thrown: unknown;
    try {
      toJson(value);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(NotJson);
    expect((thrown as NotJson).path).toBe(path);
  });

  it.each<[unknown, string]>([
    [new Map(), "The value is a Map, which JSON cannot represent"],
    [{ a: /x/ }, "a is a RegExp, which JSON cannot represent"],
    [new RangeError("s3cret"), "The value is an Error, which JSON cannot represent"],
    [new Response("s3cret"), "The value is a Response, which JSON cannot represent"],
  ])("%o: the message names its kind, but not its content", (value, message) => {
    expect(() => toJson(value)).toThrow(message);
  });

  it("accepts objects of a tool's own classes, whatever their toStringTag", () => {
    class Money {
      amount = 5;
      get [Symbol.toStringTag]() {
        return "Money";
      }
    }
    const given = [new Money(), new (class Empty {})(), new URL("http://a.test/")];
    expect(JSON.stringify(toJson(given))).toBe('[{"amount":5},{},"http://a.test/"]');
  });

  it("endless nesting without a cycle is refused without a stack overflow", () => {
    expect(() => toJson(JSON.parse(nested(150_000)))).toThrow(NotJson);
    expect(() => toJson(JSON.parse(nested(200)))).not.toThrow();
  });
});

describe("nestsDeeperThan", () => {
  it.each([
    [1, 0, true],
    [1, 1, false],
    [64, 64, false],
    [65, 64, true],
    [150_000, 64, true],
  ])("%i levels, limit %i: %s", (levels, limit, deeper) => {
    expect(nestsDeeperThan(JSON.parse(nested(levels)), limit)).toBe(deeper);
    const objects = JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);
    expect(nestsDeeperThan(objects, limit)).toBe(deeper);
  });

  it("is false for values that are not containers", () => {
    expect([null, 1, "[[[", true].map((value) => nestsDeeperThan(value, 0))).toEqual([false, false, false, false]);
  });

  it("finds the deep branch behind many shallow ones", () => {
    expect(nestsDeeperThan([...Array(1000).fill([]), [[[]]]], 3)).toBe(true);
  });
});

describe("canonical", () => {
  it.each<[string, string, string]>([
    ["order of members", '{"b":1,"a":{"d":1,"c":2}}', '{"a":{"c":2,"d":1},"b":1}'],
    ["white space", '{ "a" : [ 1 , 2 ] }', '{"a":[1,2]}'],
    ["spelling of numbers", "[1.0, 1e2, -0]", "[1,100,0]"],
    ["escapes", '"\\u0061"', '"a"'],
  ])("is the same text whatever the %s", (_, one, other) => {
    expect(canonical(JSON.parse(one))).toBe(canonical(JSON.parse(other)));
  });

  it.each<[unknown, unknown]>([
    [1, "1"],
    [null, "null"],
    [[], {}],
    [
      [1, 2],
      [2, 1],
    ],
    [["a,b"], ["a", "b"]],
    [{ a: 1 }, { a: "1" }],
    [{ 'a":1,"b': 1 }, { a: 1, b: 1 }],
    [{ a: null }, {}],
    ["\u00e9", "e\u0301"],
    ["\ud800", "\ud801"],
    [JSON.parse('{"__proto__":1}'), {}],
  ])("%j and another value differ", (one, other) => {
    expect(canonical(one)).not.toBe(canonical(other));
  });

  it("is JSON that means the same", () => {
    const value = { b: [1, "x", null, { d: false, c: "\ud800" }], a: {} };
    expect(JSON.parse(canonical(value))).toEqual(value);
  });
});

describe("isRecord", () => {
  it("takes objects only", () => {
    expect([{}, Object.create(null), [], null, "x", 1, undefined].map(isRecord)).toEqual([
      true,
      true,
      ...Array(5).fill(false),
    ]);
  });
});
