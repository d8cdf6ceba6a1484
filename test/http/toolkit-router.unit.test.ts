/** The app's router: plain paths, alone and under a toolkit, and paths with parameters. */
import { describe, expect, it } from "vitest";
import { ToolkitRouter } from "../../src/http/toolkit-router.ts";

const router = new ToolkitRouter<string>((path) => {
  const [, first, ...rest] = path.split("/");
  return first === "math" && rest.length > 0
    ? { path: `/${rest.join("/")}`, toolkit: "math" }
    : { path, toolkit: undefined };
});
router.add("GET", "/tools", "list");
router.add("POST", "/rest/:toolkit/:tool", "call");
router.add("GET", "/rest/:toolkit/:tool", "describe");
router.add("PUT", "/files/:id", "upload");

describe("plain paths", () => {
  it("are found alone and under a toolkit", () => {
    expect(router.match("GET", "/tools")).toEqual([[["list", {}]]]);
    expect(router.match("GET", "/math/tools")).toEqual([[["list", { toolkit: "math" }]]]);
    expect(router.match("POST", "/tools")).toEqual([[]]);
  });
});

describe("paths with parameters", () => {
  it("give each parameter one decoded segment", () => {
    expect(router.match("POST", "/rest/math/add%20up")).toEqual([[["call", { toolkit: "math", tool: "add up" }]]]);
    expect(router.match("PUT", "/math/files/7")).toEqual([[["upload", { id: "7", toolkit: "math" }]]]);
  });
  it.each(["/rest/math", "/rest//add", "/rest/math/add/x", "/xrest/math/add"])("do not fit %s", (path) => {
    expect(router.match("POST", path)).toEqual([[]]);
  });
  it("leave a malformed escape unchanged", () => {
    expect(router.match("PUT", "/files/%zz")).toEqual([[["upload", { id: "%zz" }]]]);
  });
});

it("returns the methods of a path", () => {
  expect(router.methodsOf("/tools")).toEqual(["GET"]);
  expect(router.methodsOf("/rest/math/add")).toEqual(["POST", "GET"]);
  expect(router.methodsOf("/nothing")).toEqual([]);
});
