/** `FunctionCall`, `ToolReturn` and the exceptions as OpenTool 1.0 has them (sections 4 and 6), and `resolveSchema`. */
import { describe, expect, it } from "vitest";
import { errorOf } from "../../../src/client/opentool/response.ts";
import {
  ErrorNullException,
  FunctionCall,
  OpenToolException,
  OpenToolServerCallException,
  OpenToolServerNoAccessException,
  OpenToolServerUnauthorizedException,
  ResponseNullException,
  resolveSchema,
  ToolReturn,
} from "../../../src/client/opentool.ts";

describe("FunctionCall", () => {
  const json = { id: "call-7", name: "add", arguments: { a: 1, list: [{}] } };

  it("is made of JSON, and becomes it again", () => {
    const call = FunctionCall.fromJson(JSON.parse(JSON.stringify(json)));
    expect(call).toEqual(new FunctionCall("call-7", "add", json.arguments));
    expect(call).toBeInstanceOf(FunctionCall);
    expect(call.toJson()).toEqual(json);
    expect(JSON.parse(JSON.stringify(call))).toEqual(json);
  });

  it.each([
    [undefined, "FunctionCall must be an object, not undefined"],
    [null, "FunctionCall must be an object, not null"],
    [[json], "FunctionCall must be an object, not an array"],
    [JSON.stringify(json), "FunctionCall must be an object, not a string: parse it with JSON.parse first"],
    [{ ...json, id: 7 }, "FunctionCall.id must be a string, not a number"],
    [{ ...json, id: undefined }, "FunctionCall.id must be a string, not undefined"],
    [{ ...json, name: null }, "FunctionCall.name must be a string, not null"],
    [{ ...json, arguments: undefined }, "FunctionCall.arguments must be an object, not undefined"],
    [{ ...json, arguments: [1] }, "FunctionCall.arguments must be an object, not an array"],
    // As the APIs of models have it.
    [
      { ...json, arguments: "{}" },
      "FunctionCall.arguments must be an object, not a string: parse it with JSON.parse first",
    ],
  ])("is not made of %j", (wrong, message) => {
    expect(() => FunctionCall.fromJson(wrong)).toThrow(new TypeError(message));
  });
});

describe("ToolReturn", () => {
  const json = { id: "call-7", result: { sum: 3 } };

  it("is made of JSON, and becomes it again", () => {
    const toolReturn = ToolReturn.fromJson(json);
    expect(toolReturn).toEqual(new ToolReturn("call-7", { sum: 3 }));
    expect(toolReturn.toJson()).toEqual(json);
  });

  it.each([
    ["[]", "ToolReturn must be an object, not a string: parse it with JSON.parse first"],
    [{ result: {} }, "ToolReturn.id must be a string, not undefined"],
    [{ id: "a", result: null }, "ToolReturn.result must be an object, not null"],
    [{ id: "a", result: 3 }, "ToolReturn.result must be an object, not a number"],
  ])("is not made of %j", (wrong, message) => {
    expect(() => ToolReturn.fromJson(wrong)).toThrow(new TypeError(message));
  });
});

describe("exceptions", () => {
  const cause = new Error("why");
  it.each([
    ["ResponseNullException", new ResponseNullException(204, { cause }), { code: 204, message: "Response is null" }],
    ["ErrorNullException", new ErrorNullException(200, { cause }), { code: 200, message: "Error is null" }],
    [
      "OpenToolServerUnauthorizedException",
      new OpenToolServerUnauthorizedException({ cause }),
      { code: 401, message: "Please check API Key is VALID or NOT" },
    ],
    [
      "OpenToolServerNoAccessException",
      new OpenToolServerNoAccessException({ cause, reason: "timeout", status: 200 }),
      { code: 404, message: "Please check OpenTool Server is RUNNING or NOT" },
    ],
    [
      "OpenToolServerCallException",
      new OpenToolServerCallException("No such city", { cause, code: 422, data: { a: 1 } }),
      { message: "No such city" },
    ],
  ])("%s has the document's name, code, message and JSON", (name, exception, json) => {
    expect(exception.toJson()).toEqual(json);
    expect(exception).toMatchObject({ name, message: json.message, cause });
    expect(exception).toBeInstanceOf(OpenToolException);
    expect(exception).toBeInstanceOf(Error);
    expect(String(exception)).toBe(`${name}: ${json.message}`);
  });

  it("can be made as the document makes them", () => {
    expect(new OpenToolServerUnauthorizedException().code).toBe(401);
    expect(new OpenToolServerNoAccessException()).toMatchObject({ code: 404, reason: "unreachable" });
    expect(new OpenToolServerCallException("x")).toMatchObject({ message: "x", code: undefined, data: undefined });
    expect("cause" in new ResponseNullException(200)).toBe(false);
  });
});

describe("resolveSchema", () => {
  const schemas = {
    User: { type: "object", properties: { friend: { $ref: "#/schemas/User" } } },
    Alias: { $ref: "#/schemas/User" },
    Self: { $ref: "#/schemas/Other" },
    Other: { $ref: "#/schemas/Self" },
  };
  const resolve = ($ref: string) => resolveSchema({ schemas }, { $ref });

  it("follows references, one or several", () => {
    expect(resolve("#/schemas/User")).toBe(schemas.User);
    expect(resolve("#/schemas/Alias")).toBe(schemas.User);
    expect(resolveSchema({}, { type: "string" })).toEqual({ type: "string" });
  });

  it.each(["#/schemas/Nobody", "#/schemas/toString", "#/schemas/User/properties", "User", ""])(
    "knows no %s",
    ($ref) => {
      expect(() => resolve($ref)).toThrow(new TypeError(`The document has no schema ${$ref}`));
      expect(() => resolveSchema({}, { $ref })).toThrow(TypeError);
    },
  );

  it("does not go in circles", () => {
    expect(() => resolve("#/schemas/Self")).toThrow("is defined by itself");
  });
});

it("an error with more levels than JSON can be written with is still an exception", () => {
  const levels = 200_000;
  const error = JSON.parse(`{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`);
  expect(errorOf(error, 200, (text) => text)).toBeInstanceOf(OpenToolServerCallException);
});
