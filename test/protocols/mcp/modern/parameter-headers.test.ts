/** Headers that repeat parameters (2026-07-28, Streamable HTTP, Custom Headers from Tool Parameters). */
import { describe, expect, it } from "vitest";
import { call, handshake, mcp } from "../../../support/mcp.ts";
import { callModern } from "../../../support/modern-client.ts";

type Args = Record<string, unknown>;
type Sent = Record<string, string>;

const region = (args: Args, headers: Sent) => callModern("Talk_Region", args, { headers });

describe("served (Server Behavior for Custom Headers)", () => {
  it.each<[string, Args, Sent]>([
    ["nothing", {}, {}],
    ["a text", { region: "us-west1" }, { "mcp-param-region": "us-west1" }],
    ["a name in another case", { region: "us-west1" }, { "MCP-Param-REGION": "us-west1" }],
    ["a text in Base64", { region: "Hello, 世界" }, { "mcp-param-region": "=?base64?SGVsbG8sIOS4lueVjA==?=" }],
    ["plain ASCII in Base64", { region: "us-west1" }, { "mcp-param-region": "=?base64?dXMtd2VzdDE=?=" }],
    ["blanks around a text", { region: " padded " }, { "mcp-param-region": "=?base64?IHBhZGRlZCA=?=" }],
    ["two lines", { region: "line1\nline2" }, { "mcp-param-region": "=?base64?bGluZTEKbGluZTI=?=" }],
    ["an empty text", { region: "" }, { "mcp-param-region": "=?base64??=" }],
    // "a value without prefix or suffix is literal".
    ["half a sentinel", { region: "=?base64?YQ==" }, { "mcp-param-region": "=?base64?YQ==" }],
    ["an integer", { limit: 42 }, { "mcp-param-limit": "42" }],
    ["a negative integer", { limit: -7 }, { "mcp-param-limit": "-7" }],
    // Server Validation: "42.0 and 42 are considered equal".
    ["an integer with a fraction of zero", { limit: 42 }, { "mcp-param-limit": "42.0" }],
    ["zero", { limit: 0 }, { "mcp-param-limit": "0" }],
    ["true", { dry: true }, { "mcp-param-dry-run": "true" }],
    ["false", { dry: false }, { "mcp-param-dry-run": "false" }],
    ["a text further down", { within: { zone: "b" } }, { "mcp-param-zone": "b" }],
    [
      "all of them",
      { region: "a", limit: 1, dry: true, within: { zone: "b" } },
      {
        "mcp-param-region": "a",
        "mcp-param-limit": "1",
        "mcp-param-dry-run": "true",
        "mcp-param-zone": "b",
      },
    ],
    // "Parameter value is null: Server MUST NOT expect the header".
    ["null", { region: null, limit: null, within: { zone: null } }, {}],
    ["null further up", { within: null }, {}],
    ["no object further up", { within: "zone" }, {}],
    // Headers without a parameter are ignored.
    ["a header that the tool does not know", { region: "a" }, { "mcp-param-region": "a", "mcp-param-other": "b" }],
  ])("%s", async (_, args, headers) => {
    const { status, body } = await region(args, headers);
    expect([status, body.result?.structuredContent]).toEqual([200, args]);
  });

  it("without headers before 2026-07-28, which does not have them", async () => {
    for (const session of [{}, await handshake()]) {
      const { body } = await mcp(call("Talk_Region", { region: "a" }), session);
      expect(body.result.structuredContent).toEqual({ region: "a" });
    }
  });

  it("with any value, for a tool without such parameters", async () => {
    const { body } = await callModern("Math_Add", { a: 1, b: 2 }, { headers: { "mcp-param-a": "7" } });
    expect(body.result.structuredContent).toBe(3);
  });
});

describe("refused with 400 and -32020 (Server Validation)", () => {
  it.each<[string, Args, Sent, string]>([
    ["no header", { region: "a" }, {}, "is missing"],
    ["another text", { region: "a" }, { "mcp-param-region": "b" }, "differs from the body"],
    ["a text in another case", { region: "a" }, { "mcp-param-region": "A" }, "differs from the body"],
    ["a header for nothing", {}, { "mcp-param-region": "a" }, "differs from the body"],
    ["a header for null", { region: null }, { "mcp-param-region": "null" }, "differs from the body"],
    ["another integer", { limit: 42 }, { "mcp-param-limit": "43" }, "differs from the body"],
    ["a text for an integer", { limit: 42 }, { "mcp-param-limit": "many" }, "differs from the body"],
    ...["0x2a", "042", "4.2e1", "0b101010", "=?base64?IDQy?="].map((text): [string, Args, Sent, string] => [
      `${text}, which a proxy may read as another number`,
      { limit: 42 },
      { "mcp-param-limit": text },
      "differs from the body",
    ]),
    ["an empty text for zero", { limit: 0 }, { "mcp-param-limit": "=?base64??=" }, "differs from the body"],
    ["another word for true", { dry: true }, { "mcp-param-dry-run": "1" }, "differs from the body"],
    ["True", { dry: true }, { "mcp-param-dry-run": "True" }, "differs from the body"],
    ["no header for a text further down", { within: { zone: "b" } }, {}, "is missing"],
    ["a header that is sent twice", { region: "a" }, { "mcp-param-region": "a, a" }, "differs from the body"],
    ["Base64 of another text", { region: "a" }, { "mcp-param-region": "=?base64?Yg==?=" }, "differs from the body"],
    ["bad padding", { region: "a" }, { "mcp-param-region": "=?base64?YQ?=" }, "is malformed"],
    ["a bad alphabet", { region: "a" }, { "mcp-param-region": "=?base64?Y!==?=" }, "is malformed"],
    ["invalid UTF-8", { region: "\ufffd" }, { "mcp-param-region": "=?base64?/w==?=" }, "is malformed"],
    // "that contains invalid characters (see Value Encoding)"
    ["letters outside ASCII", { region: "ü" }, { "mcp-param-region": "ü" }, "is malformed"],
    ["a control character", { region: "a\u0007" }, { "mcp-param-region": "a\u0007" }, "is malformed"],
  ])("%s", async (_, args, headers, problem) => {
    const { status, body } = await region(args, headers);
    expect([status, body.id, body.error?.code]).toEqual([400, 1, -32020]);
    // The messages distinguish "missing", "different" and "malformed", so that readers look in the right place.
    expect(body.error.message).toMatch(new RegExp(`^The header mcp-param-[a-z-]+ ${problem}$`));
  });
});
