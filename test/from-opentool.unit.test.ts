/** A description of OpenTool's becomes tool definitions, or an error that says what to write. */
import { describe, expect, it } from "vitest";
import { fromOpenTool, type OpenToolOptions, type OpenToolTool, ToolError } from "../src/tool.ts";
import { Weather, WeatherException } from "./fixtures/opentool/weather/_weather.ts";

const whole = (described: object, schemas: object) => {
  const functions = [{ name: "act", description: "A.", ...described }];
  return { info: { version: "1.0.0" }, functions, schemas };
};
const doubling = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => {
      const next = at + 1 < count ? { $ref: `#/schemas/S${at + 1}` } : { type: "string" };
      return [`S${at}`, { type: "object", properties: { a: next, b: next } }];
    }),
  );
const chain = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `S${at}`,
      at + 1 < count ? { type: "array", items: { $ref: `#/schemas/S${at + 1}` } } : { type: "string" },
    ]),
  );
const nested = (levels: number) =>
  Array.from({ length: levels }).reduce<object>((items) => ({ type: "array", items }), { type: "string" });

type Call = OpenToolTool["call"];

/** A tool with the function `act`, whose description has these members. */
function toolWith(members: object, call: Call = () => ({}), more: object = {}): OpenToolTool {
  const described = { name: "act", description: "Acts.", parameters: [], ...members };
  return { call, load: () => ({ info: { version: "1.0.0" }, functions: [described], ...more }) };
}

/** The definition of the only function. */
async function actOf(tool: OpenToolTool, options?: OpenToolOptions) {
  const { act } = await fromOpenTool(tool, options)();
  if (act === undefined) throw new Error("there is no act");
  const { input, output, run } = act as unknown as {
    input: { schema: object };
    output: { schema: object };
    run(input: object): Promise<object>;
  };
  return { ...act, input: input.schema, output: output.schema, run };
}

const parameter = (schema: object, more: object = {}) => ({
  parameters: [{ name: "a", description: "A.", schema, required: true, ...more }],
});

describe("functions", () => {
  it("keep their names, and have the version of the description", async () => {
    const tools = await fromOpenTool(new Weather())();
    expect(Object.values(tools).map(({ name, version }) => `${name} ${version}`)).toEqual([
      ...["getForecast 2.1.0", "list_stations 2.1.0", "find-station 2.1.0", "record 2.1.0", "fail 2.1.0"],
    ]);
  });

  it("have the names of their toolkit, and another version, if the author says so", async () => {
    const act = await actOf(toolWith({}), { keepNames: false, version: "3.0.0", scopes: ["acts"] });
    expect(act).toMatchObject({ version: "3.0.0", scopes: ["acts"] });
    expect(act).not.toHaveProperty("name");
    expect(act).not.toHaveProperty("keepNames");
  });

  it("are read from the toJson() of the SDKs' own class", async () => {
    const { load, call } = toolWith({});
    const act = await actOf({ call, load: async () => ({ functions_: "private", toJson: () => load() }) });
    expect(act.description).toBe("Acts.");
  });
});

describe("what is not a tool of OpenTool's", () => {
  it.each<[string, unknown, string]>([
    ["a class", Weather, "fromOpenTool got the class Weather: write fromOpenTool(new Weather())"],
    ["nothing", undefined, "the argument of fromOpenTool has no load() and no call()"],
    ["an object without call", { load: () => toolWith({}).load() }, "the argument of fromOpenTool has no call()"],
    ["an object without load", { call: () => ({}) }, "the argument of fromOpenTool has no load()"],
    ["parameters by name", toolWith({ parameters: { a: {} } }), 'act: its "parameters" are not a list'],
  ])("%s", async (_, tool, message) => {
    await expect(fromOpenTool(tool as OpenToolTool)()).rejects.toThrow(message);
  });
});

describe("parameters", () => {
  it.each<[string, object, object]>([
    [
      "become members of an object",
      parameter({ type: "string", enum: ["x", null] }),
      { properties: { a: { type: "string", enum: ["x", null], description: "A." } }, required: ["a"] },
    ],
    [
      "may be left out if they are not required",
      parameter({ type: "string" }, { required: false }),
      { properties: { a: { type: "string", description: "A." } } },
    ],
    [
      "have the description of their schema, if they have none",
      parameter({ type: "string", description: "Of the schema." }, { description: undefined }),
      { properties: { a: { type: "string", description: "Of the schema." } }, required: ["a"] },
    ],
    [
      "have their name as description, if there is no other: OXP demands one",
      parameter({ type: "string" }, { description: "" }),
      { properties: { a: { type: "string", description: "a" } }, required: ["a"] },
    ],
    ["may be missing", { parameters: undefined }, { properties: {} }],
    [
      'may be called "$ref" and "type"',
      parameter({ type: "object", properties: { $ref: { type: "string" }, type: { type: "string" } } }),
      {
        properties: {
          a: {
            type: "object",
            properties: { $ref: { type: "string" }, type: { type: "string" } },
            description: "A.",
          },
        },
        required: ["a"],
      },
    ],
  ])("%s", async (_, members, expected) => {
    expect((await actOf(toolWith(members))).input).toEqual({ type: "object", ...expected });
  });

  it("refer to schemas, which may refer to others", async () => {
    const schemas = {
      City: { type: "string" },
      Trip: { type: "object", properties: { from: { $ref: "#/schemas/City" }, to: { $ref: "#/schemas/City" } } },
    };
    const { input } = await actOf(toolWith(parameter({ $ref: "#/schemas/Trip" }), undefined, { schemas }));
    expect(input).toMatchObject({ properties: { a: { properties: { from: schemas.City, to: schemas.City } } } });
  });
});

describe("what is returned", () => {
  const value = (schema: object, description?: string) => ({ return: { name: "made", description, schema } });
  it.each<[string, object, object]>([
    ["nothing: any map", { return: null }, {}],
    ["not said: any map", {}, {}],
    [
      "a value: it is under its name",
      value({ type: "integer" }, "A number."),
      { properties: { made: { type: "integer", description: "A number." } } },
    ],
    [
      "a list: it is under its name",
      value({ type: "array", items: { type: "object", required: ["x"] } }),
      { properties: { made: { type: "array", items: { type: "object", required: ["x"] } } } },
    ],
    [
      "an object: it is the map, of which nothing is required",
      value({ type: "object", properties: { x: { type: "number" } }, required: ["x"] }),
      { properties: { x: { type: "number" } }, required: [] },
    ],
  ])("%s", async (_, members, expected) => {
    expect((await actOf(toolWith(members))).output).toEqual({ type: "object", ...expected });
  });

  it("is the map of `call`, and an empty one if that returns nothing", async () => {
    const returned: unknown[] = [{ x: 1 }, undefined, null];
    const { run } = await actOf(toolWith({}, () => returned.shift() as object));
    expect([await run({}), await run({}), await run({})]).toEqual([{ x: 1 }, {}, {}]);
  });
});

it("calls with the function's name, the tool's own `this` and arguments with a prototype", async () => {
  class Own {
    readonly #secret = 42;
    load = toolWith(parameter({ type: "string" })).load;
    call(name: string, args: Record<string, unknown>) {
      return { name, args: `${args}`, secret: this.#secret };
    }
  }
  const { run } = await actOf(new Own());
  expect(await run({ __proto__: null, a: "x" })).toEqual({ name: "act", args: "[object Object]", secret: 42 });
});

describe("a description that cannot be served", () => {
  const recursive = { Tree: { type: "object", properties: { children: { $ref: "#/schemas/Forest" } } } };
  const schemas = { ...recursive, Forest: { type: "array", items: { $ref: "#/schemas/Tree" } } };
  it.each<[string, object | null, string]>([
    ["none", null, "load() returns null, but must return a description, which lists the functions"],
    ["one without functions", { code: 404 }, 'load() returns an object without "functions"'],
    [
      "no info",
      { functions: [] },
      'info.version is missing, and the tools need one: write fromOpenTool(…, { version: "1.0.0" })',
    ],
    [
      "a version of two integers",
      { info: { version: "1.0" }, functions: [] },
      'info.version is "1.0", which is not three integers: write fromOpenTool(…, { version: "1.0.0" })',
    ],
    [
      "a version that is a number",
      { info: { version: 1 }, functions: [] },
      "info.version is 1, which is not three integers",
    ],
    [
      "a schema that contains itself",
      parameter({ $ref: "#/schemas/Tree" }),
      'act, Tree, Forest: the schema "Tree" contains itself',
    ],
    [
      "a schema that doubles with each reference",
      whole(parameter({ $ref: "#/schemas/S0" }), doubling(30)),
      "it has more than 10000 references",
    ],
    [
      "schemas that lead from one to the next without end",
      whole(parameter({ $ref: "#/schemas/S0" }), chain(5_000)),
      "it has more than 10000 references",
    ],
    [
      "a schema of 10,000 levels",
      parameter(nested(10_000)),
      "load() returns schemas that are nested over 256 levels deep",
    ],
    [
      "a reference that leads nowhere",
      parameter({ type: "array", items: { $ref: "#/schemas/City" } }),
      'act: "$ref": "#/schemas/City" is not among the description\'s schemas',
    ],
    [
      "a reference to somewhere else",
      { return: { name: "x", schema: { $ref: "https://example.com/x.json" } } },
      'act: "$ref": "https://example.com/x.json" is not among',
    ],
    [
      "a type that OpenTool does not have",
      { return: { name: "x", schema: { type: "float" } } },
      'act: there is no type "float": write boolean, integer, number, string, array, object',
    ],
    [
      "an enum with a choice of another type",
      parameter({ type: "integer", enum: [1, "two"] }),
      'act: the enum has "two", which is not of type integer',
    ],
    [
      "an enum with false",
      parameter({ type: "string", enum: [false] }),
      "act: the enum has false, which is not of type string",
    ],
  ])("%s", async (_, given, message) => {
    const isWhole = given === null || "functions" in given || "code" in given;
    const tool = isWhole ? { call: () => ({}), load: () => given } : toolWith(given, undefined, { schemas });
    await expect(fromOpenTool(tool)()).rejects.toThrow(message);
    await expect(fromOpenTool(tool)()).rejects.toThrow(TypeError);
  });
});

describe("what `call` throws", () => {
  const thrownBy = async (thrown: unknown) => {
    const { run } = await actOf(toolWith({}, () => Promise.reject(thrown)));
    return run({}).catch((error: unknown) => error);
  };
  it.each<[string, object]>([
    ["an exception with toJson()", new WeatherException(405, "Function Not Supported: act")],
    ["an object with code and message", { code: 400, message: "Invalid Arguments: {}" }],
    ["an object with toJson()", { toJson: () => ({ code: 500, message: "Tool break exception" }) }],
  ])("%s fails the call with its message", async (_, thrown) => {
    const error = await thrownBy(thrown);
    expect(error).toBeInstanceOf(ToolError);
    const { message = "" } = "toJson" in thrown ? (thrown.toJson as () => { message: string })() : (thrown as Error);
    expect(error).toMatchObject({ message, cause: thrown, fault: { message } });
  });

  it.each<[string, unknown]>([
    ["an error", new Error("s3cret")],
    ["an error with the code of an HTTP library", Object.assign(new Error("s3cret"), { code: 500 })],
    ["an exception with a code of its own", new WeatherException(7, "s3cret")],
    ["a DOMException, which has a code too", new DOMException("s3cret", "AbortError")],
    ["an object without message", { code: 500 }],
    ["an object whose code is a text", { code: "500", message: "s3cret" }],
    ["a text", "s3cret"],
    ["nothing", undefined],
    ["null", null],
  ])("%s stays what it is, so that callers get the fixed sentence", async (_, thrown) => {
    expect(await thrownBy(thrown)).toBe(thrown);
  });

  it("includes what it throws before it returns a promise", async () => {
    const { run } = await actOf(
      toolWith({}, () => {
        throw new WeatherException(500, "At once");
      }),
    );
    await expect(run({})).rejects.toBeInstanceOf(ToolError);
  });
});
