/** Tests eraOf with a table: the era of a message depends on its headers and _meta alone. */
import { describe, expect, it } from "vitest";
import { eraOf, erasOf } from "../../../src/protocols/mcp/eras.ts";
import { extended } from "../../../src/protocols/mcp/methods/extension.ts";

const MODERN = "2026-07-28";
const VERSION = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const SUPPORTED = [MODERN, "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

interface Case {
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly meta?: unknown;
  readonly isRequest?: boolean;
}

const ERAS = erasOf(extended([]));

const era = ({ headers = {}, method = "tools/list", params = {}, meta, isRequest = true }: Case) =>
  eraOf(ERAS, new Headers(headers), {
    method,
    params: meta === undefined ? params : { ...params, _meta: meta },
    isRequest,
  });

const META = { [VERSION]: MODERN, [CAPABILITIES]: {} };
const headed = (method = "tools/list", more: Record<string, string> = {}) => ({
  "mcp-protocol-version": MODERN,
  "mcp-method": method,
  ...more,
});

describe("legacy (2026-07-28, basic/versioning, Backward Compatibility with Initialization-Based Versions)", () => {
  const init = { protocolVersion: "2025-11-25", capabilities: {} };
  it.each<[string, Case, string | undefined]>([
    ["no header, no _meta: the bare client", {}, undefined],
    ["no params at all", { params: undefined as never }, undefined],
    ["initialize", { method: "initialize", params: init }, undefined],
    // Observed: the v2 client sends these on legacy traffic too, including initialize.
    [
      "initialize with Mcp-Method and Mcp-Name",
      { method: "initialize", params: init, headers: { "mcp-method": "initialize", "mcp-name": "x" } },
      undefined,
    ],
    [
      "initialize with a version header",
      { method: "initialize", params: init, headers: { "mcp-protocol-version": "2025-11-25" } },
      "2025-11-25",
    ],
    [
      "tools/call with headers that differ from the body",
      {
        method: "tools/call",
        params: { name: "a" },
        headers: { "mcp-protocol-version": "2025-06-18", "mcp-method": "tools/list", "mcp-name": "b" },
      },
      "2025-06-18",
    ],
    ["_meta of legacy kind", { meta: { progressToken: 1 } }, undefined],
    ["_meta that is not an object", { meta: "2026-07-28" }, undefined],
    ["capabilities alone", { meta: { [CAPABILITIES]: {} } }, undefined],
    ["server/discover without _meta", { method: "server/discover" }, undefined],
    [
      "a legacy version in modern _meta, which the header repeats",
      { headers: { "mcp-protocol-version": "2025-11-25" }, meta: { [VERSION]: "2025-11-25" } },
      "2025-11-25",
    ],
    ...SUPPORTED.slice(1).map((revision): [string, Case, string] => [
      `the header ${revision}`,
      { headers: { "mcp-protocol-version": revision } },
      revision,
    ]),
    ["a padded header", { headers: { "mcp-protocol-version": "  2025-11-25\t" } }, "2025-11-25"],
    ["a header in capitals", { headers: { "MCP-PROTOCOL-VERSION": "2025-11-25" } }, "2025-11-25"],
    ["a notification", { method: "notifications/initialized", isRequest: false }, undefined],
  ])("%s", (_, opening, revision) => {
    expect(era(opening)).toEqual({ era: "legacy", revision });
  });
});

describe("modern (2026-07-28, basic/transports/streamable-http, Request Metadata)", () => {
  it.each<[string, Case]>([
    ["a complete request", { headers: headed(), meta: META }],
    [
      "initialize, which is then an unknown method",
      { method: "initialize", headers: headed("initialize"), meta: META },
    ],
    ["an unknown method", { method: "no/such", headers: headed("no/such"), meta: META }],
    // Case Sensitivity: "header names are case-insensitive".
    ["names in other cases", { headers: { "MCP-PROTOCOL-VERSION": MODERN, "mCp-mEtHoD": "tools/list" }, meta: META }],
    // RFC 9110, section 5.5: whitespace around a value is not part of it.
    [
      "padded values",
      {
        method: "tools/call",
        params: { name: "a" },
        headers: { "mcp-protocol-version": ` ${MODERN} `, "mcp-method": "\ttools/call ", "mcp-name": "  a  " },
        meta: META,
      },
    ],
    ...(
      [
        ["tools/call", { name: "a b" }, "a b"],
        ["prompts/get", { name: "a", uri: "b" }, "a"],
        ["resources/read", { uri: "file:///a", name: "b" }, "file:///a"],
        // Value Encoding: "servers MUST decode an encoded Mcp-Name … before comparing it".
        ["tools/call", { name: "Hello, 世界" }, "=?base64?SGVsbG8sIOS4lueVjA==?="],
        ["tools/call", { name: " padded " }, "=?base64?IHBhZGRlZCA=?="],
        ["tools/call", { name: "line1\nline2" }, "=?base64?bGluZTEKbGluZTI=?="],
        ["tools/call", { name: "=?base64?literal?=" }, "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
        ["tools/call", { name: "plain" }, "=?base64?cGxhaW4=?="],
        ["tools/call", { name: "" }, "=?base64??="],
        ["tools/call", { name: "\ufeffa" }, "=?base64?77u/YQ==?="],
        // No suffix, no prefix, another case: an ordinary value.
        ["tools/call", { name: "=?base64?YQ==" }, "=?base64?YQ=="],
        ["tools/call", { name: "YQ==?=" }, "YQ==?="],
        ["tools/call", { name: "=?BASE64?YQ==?=" }, "=?BASE64?YQ==?="],
      ] as const
    ).map(([method, params, name]): [string, Case] => [
      `${method} ${JSON.stringify(params)} as ${name}`,
      { method, params, headers: headed(method, { "mcp-name": name }), meta: META },
    ]),
    // The method handler reports the mistake: there is nothing to compare with here.
    ["a call without a name", { method: "tools/call", headers: headed("tools/call"), meta: META }],
    ["Mcp-Name where nothing is named", { headers: headed("tools/list", { "mcp-name": "whatever" }), meta: META }],
    ["a session id, which is ignored", { headers: headed("tools/list", { "mcp-session-id": "x" }), meta: META }],
    [
      "unknown capabilities and clientInfo",
      { headers: headed(), meta: { ...META, "io.modelcontextprotocol/clientInfo": 7, more: 1 } },
    ],
  ])("%s", (_, opening) => {
    // As sent: whoever reads it checks it.
    const { "io.modelcontextprotocol/clientInfo": clientInfo } = opening.meta as Record<string, unknown>;
    expect(era(opening)).toEqual({ era: "modern", capabilities: {}, clientInfo });
  });

  it("returns the capabilities", () => {
    const capabilities = { elicitation: { form: {} } };
    const opening = { headers: headed(), meta: { ...META, [CAPABILITIES]: capabilities } };
    expect(era(opening)).toEqual({ era: "modern", capabilities });
  });

  it.each<[string, Case]>([
    // "header requirements for notification POSTs are not defined by this revision"
    ["a notification with _meta alone", { method: "notifications/cancelled", meta: META, isRequest: false }],
    [
      "a notification with the header alone",
      { method: "notifications/cancelled", headers: { "mcp-protocol-version": MODERN }, isRequest: false },
    ],
    [
      "a notification whose Mcp-Method differs",
      { method: "notifications/x", headers: headed("tools/list"), meta: META, isRequest: false },
    ],
    ["a response", { params: undefined as never, headers: headed(), isRequest: false }],
  ])("%s", (_, opening) => {
    expect(era(opening)).toMatchObject({ era: "modern" });
  });
});

describe("malformed: 400 and -32602 (basic/index, _meta: a request missing any required field)", () => {
  it.each<[string, Case]>([
    ["the header without _meta", { headers: headed() }],
    ["the header with _meta that lacks the version", { headers: headed(), meta: { [CAPABILITIES]: {} } }],
    ["an empty _meta", { headers: headed(), meta: {} }],
    ["a _meta that is not an object", { headers: headed(), meta: [] }],
    // The official suite's server-stateless: -32602 also if headers are right and the field is absent.
    ["no capabilities", { headers: headed(), meta: { [VERSION]: MODERN } }],
    ["capabilities that are no object", { headers: headed(), meta: { [VERSION]: MODERN, [CAPABILITIES]: [] } }],
    ["capabilities of null", { headers: headed(), meta: { [VERSION]: MODERN, [CAPABILITIES]: null } }],
    ["a version that is not a string", { headers: headed(), meta: { [VERSION]: 20260728, [CAPABILITIES]: {} } }],
    ["a version of null", { headers: headed(), meta: { [VERSION]: null, [CAPABILITIES]: {} } }],
  ])("%s", (_, opening) => {
    expect(era(opening)).toMatchObject({ era: "refused", status: 400, error: { code: -32602 } });
  });
});

describe("unsupported: 400 and -32022 (basic/versioning, Protocol Version Negotiation)", () => {
  it.each<[string, Case, string]>([
    [
      "header and _meta of a version to come",
      {
        headers: headed("tools/list", { "mcp-protocol-version": "v999.0.0" }),
        meta: { ...META, [VERSION]: "v999.0.0" },
      },
      "v999.0.0",
    ],
    [
      "without capabilities, of which another version may know nothing",
      { headers: { "mcp-protocol-version": "1900-01-01" }, meta: { [VERSION]: "1900-01-01" } },
      "1900-01-01",
    ],
    ["the header alone", { headers: { "mcp-protocol-version": "1999-01-01" } }, "1999-01-01"],
    ["an empty header", { headers: { "mcp-protocol-version": "" } }, ""],
    ["a notification", { headers: { "mcp-protocol-version": "1999-01-01" }, isRequest: false }, "1999-01-01"],
    // RFC 9110, section 5.3: a header that is sent twice is one value with a comma.
    [
      "a header that is sent twice",
      { headers: { "mcp-protocol-version": "2025-11-25, 2025-11-25" } },
      "2025-11-25, 2025-11-25",
    ],
  ])("%s", (_, opening, requested) => {
    expect(era(opening)).toEqual({
      era: "refused",
      status: 400,
      error: { code: -32022, message: expect.any(String), data: { supported: SUPPORTED, requested } },
    });
  });
});

describe("headers that differ: 400 and -32020 (Streamable HTTP, Server Validation)", () => {
  const named = (name: string, params: Record<string, unknown> = { name: "a" }, method = "tools/call") => ({
    method,
    params,
    headers: headed(method, { "mcp-name": name }),
    meta: META,
  });
  it.each<[string, Case]>([
    ["_meta without the header", { headers: { "mcp-method": "tools/list" }, meta: META }],
    ["another version in _meta", { headers: headed(), meta: { ...META, [VERSION]: "v999.0.0" } }],
    ["a legacy version in _meta", { headers: headed(), meta: { ...META, [VERSION]: "2025-11-25" } }],
    ["a legacy version in the header", { headers: { ...headed(), "mcp-protocol-version": "2025-11-25" }, meta: META }],
    ["a legacy version in _meta alone", { meta: { [VERSION]: "2025-11-25" } }],
    [
      "a version header that is sent twice",
      { headers: { ...headed(), "mcp-protocol-version": `${MODERN}, ${MODERN}` }, meta: META },
    ],
    ["no Mcp-Method", { headers: { "mcp-protocol-version": MODERN }, meta: META }],
    ["another Mcp-Method", { headers: headed("tools/call"), meta: META }],
    // Case Sensitivity: "Header values (such as method names) are case-sensitive."
    ["Mcp-Method in capitals", { headers: headed("TOOLS/LIST"), meta: META }],
    ["an Mcp-Method that is sent twice", { headers: headed("tools/list, tools/list"), meta: META }],
    // Only Mcp-Name and Mcp-Param-* may be encoded.
    ["an encoded Mcp-Method", { headers: headed("=?base64?dG9vbHMvbGlzdA==?="), meta: META }],
    ["no Mcp-Name", { method: "tools/call", params: { name: "a" }, headers: headed("tools/call"), meta: META }],
    [
      "no Mcp-Name of a prompt",
      { method: "prompts/get", params: { name: "a" }, headers: headed("prompts/get"), meta: META },
    ],
    [
      "no Mcp-Name of a resource",
      { method: "resources/read", params: { uri: "a:b" }, headers: headed("resources/read"), meta: META },
    ],
    ["another Mcp-Name", named("b")],
    ["Mcp-Name in another case", named("A")],
    ["the name for the URI", named("n", { name: "n", uri: "a:b" }, "resources/read")],
    ["an Mcp-Name that is sent twice", named("a, a")],
    ["Base64 of another name", named("=?base64?Yg==?=")],
    ["Base64 without its padding", named("=?base64?YQ?=")],
    ["Base64 with excess padding", named("=?base64?YQ===?=")],
    ["Base64url", named("=?base64?Pz8_?=", { name: "???" })],
    ["Base64 with a blank", named("=?base64?Y Q==?=")],
    ["Base64 of invalid UTF-8", named("=?base64?/w==?=", { name: "\ufffd" })],
    ["Base64 that is none", named("=?base64?%%%%?=", { name: "=?base64?%%%%?=" })],
    ["the sentinel pattern in plain", named("=?base64?YQ==?=", { name: "=?base64?YQ==?=" })],
    ["an empty Mcp-Name", named("")],
    // "A header value contains invalid characters": visible ASCII, blank and tab are valid (Value Encoding).
    ["a letter outside ASCII", named("\u00fc", { name: "\u00fc" })],
    ["a control character", named("a\u0007", { name: "a\u0007" })],
  ])("%s", (_, opening) => {
    expect(era(opening)).toMatchObject({ era: "refused", status: 400, error: { code: -32020 } });
  });

  it.each<[string, Case, string]>([
    ["no Mcp-Method", { headers: { "mcp-protocol-version": MODERN }, meta: META }, "The header Mcp-Method is missing"],
    [
      "no version",
      { headers: { "mcp-method": "tools/list" }, meta: META },
      "The header MCP-Protocol-Version is missing",
    ],
    ["Base64 that is none", named("=?base64?%%%%?="), "The header Mcp-Name is malformed"],
    ["another Mcp-Name", named("b"), "The header Mcp-Name differs from the body"],
  ])("%s gets its own message", (_, opening, message) => {
    expect(era(opening)).toMatchObject({ error: { message } });
  });
});
