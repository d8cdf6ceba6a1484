/** OXP 1.0 apart from calls: health, info, listing, versions of the protocol. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { type Answer, send } from "../../support/http.ts";
import { ListToolsResponse, ServerErrorResponse } from "../../support/oxp-shapes.ts";

const ids = ({ body }: Answer): string[] => body.tools.map(({ id }: { id: string }) => id);

describe("GET /health", () => {
  it("MUST exist, MUST need no credential, is JSON", async () => {
    const { status, headers, body } = await send("/health");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(body).toEqual({ status: "ok" });
  });

  it("ignores a credential if the server requires none (Server authentication: none)", async () => {
    expect((await send("/health", { headers: { authorization: "Bearer wrong" } })).status).toBe(200);
  });

  it.each(["/health", "/info", "/tools", "/opentool/version", "/opentool/load", "/"])(
    "HEAD %s answers as GET does, without a body (RFC 9110, section 9.3.2)",
    async (path) => {
      const get = await send(path);
      const head = await send(path, { method: "HEAD" });
      expect([head.status, head.text]).toEqual([200, ""]);
      expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"));
      expect(head.headers.get("etag")).toBe(get.headers.get("etag"));
    },
  );
});

describe("GET /info", () => {
  it('answers {"version": "x.y.z"}', async () => {
    expect((await send("/info")).body).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });
});

describe("GET /tools (OXP 1.0, List Tools)", () => {
  it("lists definitions that fit their closed schema, none of them twice", async () => {
    const answer = await send("/tools");
    expect(answer.status).toBe(200);
    v.parse(ListToolsResponse, answer.body);
    expect(new Set(ids(answer)).size).toBe(ids(answer).length);
    expect(ids(answer)).toContain("Math.Add@1.0.0");
  });

  it("has `tools` first, and `items`, the same array", async () => {
    const { body } = await send("/tools");
    expect(Object.keys(body)).toEqual(["$schema", "tools", "items"]);
    expect(body.items).toEqual(body.tools);
  });

  it("lists every version of a tool under one name", async () => {
    const { body } = await send("/tools");
    const versions = body.tools.filter(({ name }: { name: string }) => name === "Versions_Number");
    expect(versions.map(({ id }: { id: string }) => id)).toEqual([
      "Versions.Number@1.0.0",
      "Versions.Number@2.0.0",
      "Versions.Number@10.0.0",
    ]);
  });

  it("describes a tool as the documents' example does", async () => {
    const { body } = await send("/tools");
    const find = (id: string) => body.tools.find((tool: { id: string }) => tool.id === id);
    // List Tools, Response (With Tools).
    expect(find("Failing.Doorbell@0.1.0")).toEqual({
      id: "Failing.Doorbell@0.1.0",
      name: "Failing_Doorbell",
      description: "Rings a doorbell given a doorbell ID.",
      version: "0.1.0",
      input_schema: {
        parameters: {
          type: "object",
          properties: { doorbell_id: { type: "string", description: "The ID of the doorbell to ring." } },
          required: ["doorbell_id"],
        },
      },
      output_schema: null,
    });
    // `{}` for any value, and `properties` always present.
    expect(find("Needs.Everything@1.0.0")).toMatchObject({
      input_schema: { parameters: { type: "object", properties: {} } },
      output_schema: {},
      requirements: {
        authorization: [{ id: "google", oauth2: { scopes: ["mail.read"] } }],
        secrets: [{ id: "API_KEY" }],
        user_id: true,
      },
    });
    expect(find("Needs.Nothing@1.0.0")).not.toHaveProperty("requirements");
    expect(find("LOUD.Say@1.0.0")).toHaveProperty("name", "LOUD_Say");
    expect(find("TwoWords.SayHello@1.0.0")).toHaveProperty("name", "TwoWords_SayHello");
  });
});

describe("versions of the protocol", () => {
  const SUPPORTED = [
    "urn:oxp:1.0",
    "otc://1.0",
    "https://openexecprotocol.org/spec/http/1.0/openapi.json",
    "https://example.com/specification/http/1.0/openapi.json",
  ];
  const UNSUPPORTED = [
    "urn:oxp:2.0",
    "urn:oxp:1.0 ",
    "URN:OXP:1.0",
    "otc://2.0",
    "",
    "1",
    "https://example.com/spec/http/2.0/openapi.json",
    "/spec/http/1.0/openapi.json",
  ];

  it.each(SUPPORTED)("?$schema=%s is 1.0", async (named) => {
    const { status, body } = await send(`/tools?$schema=${encodeURIComponent(named)}`);
    expect(status).toBe(200);
    expect(body.$schema).toBe("urn:oxp:1.0");
  });

  it.each(SUPPORTED)("OXP-Version: %s is 1.0", async (named) => {
    expect((await send("/tools", { headers: { "oxp-version": named } })).status).toBe(200);
  });

  it("OXP-Version: 1.0 is 1.0", async () => {
    expect((await send("/tools", { headers: { "oxp-version": "1.0" } })).status).toBe(200);
  });

  it.each(UNSUPPORTED)("?$schema=%j: 400 that names the supported versions", async (named) => {
    const { status, body } = await send(`/tools?$schema=${encodeURIComponent(named)}`);
    expect(status).toBe(400);
    v.parse(ServerErrorResponse, body);
    expect(body.message).toContain("urn:oxp:1.0");
  });

  it.each(["2.0", "urn:oxp:2.0", "1"])("OXP-Version: %s: 400 that names what is supported", async (named) => {
    const { status, body } = await send("/tools", { headers: { "oxp-version": named } });
    expect(status).toBe(400);
    v.parse(ServerErrorResponse, body);
    expect(body.message).toContain("urn:oxp:1.0");
  });
});

describe("conditional listings (RFC 9110, sections 8.8.3 and 13.1.2)", () => {
  it.each([
    ["the tag itself", (tag: string) => tag],
    ["the tag made weak by a proxy that compresses", (tag: string) => `W/${tag}`],
    ["a list that holds it", (tag: string) => `"other", ${tag}`],
    ["*", () => "*"],
  ])("%s: 304 without a body", async (_, known) => {
    const tag = (await send("/tools")).headers.get("etag") ?? "";
    const { status, text, headers } = await send("/tools", { headers: { "if-none-match": known(tag) } });
    expect([status, text]).toEqual([304, ""]);
    expect(headers.get("etag")).toBe(tag);
  });

  it("another tag: 200", async () => {
    expect((await send("/tools", { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  });

  it("differs by protocol and by toolkit", async () => {
    const paths = ["/tools", "/math/tools", "/loud/tools", "/opentool/load", "/math/opentool/load"];
    const tags = await Promise.all(paths.map(async (path) => (await send(path)).headers.get("etag")));
    expect(new Set(tags).size).toBe(paths.length);
    expect(tags).not.toContain(null);
  });

  it("a version that is not served is refused before the tag is checked", async () => {
    expect((await send("/tools?$schema=urn:oxp:9", { headers: { "if-none-match": "*" } })).status).toBe(400);
  });
});
