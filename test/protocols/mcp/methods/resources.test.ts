/** Resources and templates: lists, reading, errors (server/resources). */
import { describe, expect, it } from "vitest";
import { handshake, mcp, request } from "../../../support/mcp.ts";
import { modern } from "../../../support/modern-client.ts";

const read = async (uri: unknown, path?: string) =>
  (await modern("resources/read", { uri }, path ? { path } : {})).body;
const encoded = (text: string) => `=?base64?${new TextEncoder().encode(text).toBase64()}?=`;

describe("resources/list and resources/templates/list (Resource; Resource Templates)", () => {
  it("have what a client needs for each, and are separate", async () => {
    const { resources } = (await modern("resources/list")).body.result;
    const { resourceTemplates } = (await modern("resources/templates/list")).body.result;
    expect(resources).toContainEqual({
      uri: "talk://news",
      name: "News",
      title: "What is new",
      description: "A text.",
      mimeType: "text/markdown",
      icons: [{ src: "https://example.com/news.png" }],
    });
    expect(resources).toContainEqual({
      uri: "talk://picture",
      name: "Talk_Picture",
      description: "Every byte there is.",
    });
    expect(resourceTemplates).toContainEqual({
      uriTemplate: "talk://people/{person}/pets/{pet}.json",
      name: "Talk_Pet",
      description: "A pet of somebody.",
      mimeType: "application/json",
    });
    // Reading a resource tells how long it may be cached.
    expect(resourceTemplates).toContainEqual({
      uriTemplate: "talk://kept/{any}",
      name: "Talk_Kept",
      description: "How often it was read, by those who did not keep it.",
    });
    for (const { uri } of resources) expect(uri).not.toContain("{");
    for (const { uriTemplate } of resourceTemplates) expect(uriTemplate).toContain("{");
  });

  it.each(["resources/list", "resources/templates/list"])(
    "%s has one toolkit's resources on a toolkit's path",
    async (method) => {
      const of = async (path: string) => {
        const { resources, resourceTemplates } = (await modern(method, {}, { path })).body.result;
        return (resources ?? resourceTemplates).length;
      };
      expect(await of("/talk/mcp")).toBe(await of("/mcp"));
      expect(await of("/math/mcp")).toBe(0);
    },
  );

  it.each([
    ["resources/list", "resources"],
    ["resources/templates/list", "resourceTemplates"],
  ])("%s is the same before 2026-07-28", async (method, member) => {
    const since = (await modern(method)).body.result[member];
    const before = (await mcp(request(method), await handshake())).body.result;
    expect(before).toEqual({ [member]: since });
  });
});

describe("resources/read (Reading Resources; Resource Contents)", () => {
  it("of a text", async () => {
    const { contents } = (await read("talk://news")).result;
    expect(contents).toEqual([{ uri: "talk://news", mimeType: "text/markdown", text: "# Nothing new" }]);
  });

  it("of bytes, in Base64", async () => {
    const { contents } = (await read("talk://picture")).result;
    const { blob, ...rest } = contents[0];
    expect(rest).toEqual({ uri: "talk://picture", mimeType: "application/octet-stream" });
    const bytes = Uint8Array.from(atob(blob), (letter) => letter.charCodeAt(0));
    expect(Array.from(bytes)).toEqual(Array.from({ length: 256 }, (_, byte) => byte));
  });

  it.each([
    ["talk://people/ann/pets/rex.json", { person: "ann", pet: "rex" }],
    ["talk://people/Ann%20Lee/pets/%F0%9F%90%B6.json", { person: "Ann Lee", pet: "🐶" }],
    ["talk://people/a%3Fb/pets/100%25.json", { person: "a?b", pet: "100%" }],
    ["talk://people/.../pets/.hidden.json", { person: "...", pet: ".hidden" }],
    ["talk://people/a+b/pets/x.json.json", { person: "a+b", pet: "x.json" }],
    ["talk://people/{person}/pets/{pet}.json", { person: "{person}", pet: "{pet}" }],
    ["talk://people/__proto__/pets/constructor.json", { person: "__proto__", pet: "constructor" }],
  ])("of a template, with its variables decoded: %s (RFC 6570, section 3.2.2)", async (uri, variables) => {
    const { contents } = (await read(uri)).result;
    expect(contents).toEqual([{ uri, mimeType: "application/json", text: JSON.stringify(variables) }]);
  });

  it("of several contents, each with its own URI and type", async () => {
    const { contents } = (await read("talk://people/ann/pets/two.json")).result;
    expect(contents).toEqual([
      { uri: "talk://one", mimeType: "application/json", text: "1", _meta: { "com.example/n": 1 } },
      { uri: "talk://two", mimeType: "image/png", blob: "AA==" },
    ]);
  });

  const UNKNOWN = [
    "talk://never-was",
    "talk://news/",
    "TALK://NEWS",
    "talk://people//pets/rex.json",
    "talk://people/a/b/pets/rex.json",
    "talk://people/ann/pets/rexXjson",
    "talk://people/ann/pets/rex.json?x=1",
    "talk://people/ann/pets/rex.json#x",
    "xtalk://people/ann/pets/rex.json",
    // Invalid UTF-8 matches nothing.
    "talk://people/%ff/pets/rex.json",
    "talk://people/%zz/pets/rex.json",
    // Decoded, a variable is still one segment, and a plain name: authors build paths of it (RFC 3986, 3.3 and 5.2.4).
    "talk://people/a%2Fb/pets/rex.json",
    "talk://people/..%2F..%2Fetc/pets/passwd.json",
    "talk://people/a%5cb/pets/rex.json",
    "talk://people/a\\b/pets/rex.json",
    "talk://people/./pets/rex.json",
    "talk://people/../pets/rex.json",
    "talk://people/%2e%2E/pets/rex.json",
    "talk://people/ann/pets/...json",
    "talk://people/ann%00/pets/rex.json",
    "talk://people/ann/pets/rex%0d%0a.json",
    "talk://people/ann/pets/rex%7F.json",
    "talk://people/ann/pets/rex%C2%85.json",
    // The author's `read` finds none.
    "talk://people/ann/pets/none.json",
    "__proto__",
  ];
  it.each(UNKNOWN)("of %j, which does not exist, is -32602 with its URI (Error Handling)", async (uri) => {
    const { error, result } = await read(uri);
    expect(result).toBeUndefined();
    expect(error).toMatchObject({ code: -32602, data: { uri } });
  });

  it.each(UNKNOWN)("of %j is -32002 before 2026-07-28 (2025-11-25, server/resources, Error Handling)", async (uri) => {
    const { error } = (await mcp(request("resources/read", { uri }), await handshake())).body;
    expect(error).toMatchObject({ code: -32002, data: { uri } });
  });

  it.each([[undefined], [7], [null], [["talk://news"]]])("of a URI of %j is -32602", async (uri) => {
    expect((await read(uri)).error.code).toBe(-32602);
  });

  it("of a URI that a header carries in Base64 (Streamable HTTP, Value Encoding)", async () => {
    const uri = "talk://people/Zoë/pets/rex.json";
    const headers = { "mcp-name": encoded(uri) };
    const { body } = await modern("resources/read", { uri }, { headers });
    expect(body.result.contents[0].text).toBe('{"person":"Zoë","pet":"rex"}');
  });

  it("of another toolkit's is unknown on a toolkit's path", async () => {
    expect((await read("talk://news", "/math/mcp")).error.code).toBe(-32602);
    expect((await read("talk://news", "/talk/mcp")).result.contents).toHaveLength(1);
  });

  it("that fails is -32603 with a safe message", async () => {
    const { error } = await read("talk://people/ann/pets/fault.json");
    expect(error).toEqual({ code: -32603, message: "The pet bit" });
  });

  it("that cannot be loaded is -32603 under its id", async () => {
    const { status, body } = await modern("resources/read", { uri: "talk://unloadable/x" }, { id: "u" });
    expect([status, body.id, body.error?.code]).toEqual([200, "u", -32603]);
    expect(JSON.stringify(body)).not.toContain("hidden");
  });

  it.each([
    ["talk://reads", 0],
    ["talk://people/ann/pets/rex.json", 0],
    ["talk://kept/it", 600_000],
  ])("of %s may be cached for %d ms, as its definition says (server/utilities/caching)", async (uri, ttlMs) => {
    expect((await read(uri)).result).toMatchObject({ ttlMs, cacheScope: "private" });
  });

  it("is served before 2026-07-28 without caching hints", async () => {
    for (const headers of [await handshake(), {}]) {
      for (const uri of ["talk://news", "talk://kept/it"]) {
        const { result } = (await mcp(request("resources/read", { uri }), headers)).body;
        expect(Object.keys(result)).toEqual(["contents"]);
      }
    }
  });
});
