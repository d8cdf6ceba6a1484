/**
 * Resources with operators in their URIs, with annotations, sizes and `_meta`, on the built Worker, for the official
 * clients of every era: they list the templates, expand them, complete their variables and read what they made.
 */
import { Client, type ClientOptions, StreamableHTTPClientTransport, UriTemplate } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { UriTemplate as UriTemplateV1 } from "@modelcontextprotocol/sdk/shared/uriTemplate.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deploy } from "../../support/node/attacks/deployment.ts";
import type { Deployed } from "../../support/node/deployed.ts";
import { builtFork, type Fork, testSettings } from "../../support/node/fork.ts";
import { echoFamily as family, echoResource as resource } from "../../support/node/project.ts";

const FILES = {
  "pages/page.resource.ts": family("docs://{+path}", 'complete: { path: (prefix) => [prefix + "/deeper"] }'),
  "pages/edit.resource.ts": family("docs://{+path}/edit"),
  "pages/one.resource.ts": family("docs://drafts/{name}"),
  "pages/index.resource.ts": resource('uri: "docs://index", description: "All pages."'),
  "pages/secret.resource.ts": family("docs://secret/{name}", 'scopes: ["docs:secret"]'),
  "pages/vault.resource.ts": family("docs://vault/{+path}", 'scopes: ["docs:secret"]'),
  "pages/repo.resource.ts": family("repo://{owner}{/path*}", 'complete: { path: () => ["src"] }'),
  "pages/dump.resource.ts": family("dump://all{.format}"),
  "pages/tags.resource.ts": family("tags://{tag*}"),
  "pages/part.resource.ts": family("part://page{#part}"),
  "search/notes.resource.ts": family(
    "search://notes{?q,limit,tag*}",
    'complete: { q: (prefix, { limit }) => [prefix + "!" + (limit ?? "")] }',
  ),
  "search/plain.resource.ts": resource('uri: "search://notes", description: "All notes."'),
  "search/open.resource.ts": family("search://tasks?state=open{&q}"),
  "shown/all.resource.ts": `import { defineResource } from "#tool";
export default defineResource({
  uri: "shown://all",
  description: "Everything.",
  annotations: { audience: ["assistant"], priority: 0.3, lastModified: "2026-07-28T09:00:00+02:00" },
  size: 5,
  meta: { "com.example/shelf": { row: 3 } },
  ttlMs: 60_000,
  read: () => ({ uri: "shown://all", text: "whole", meta: { "com.example/read": true } }),
});\n`,
  "shown/each.resource.ts": family(
    "shown://{id}",
    'annotations: { priority: 1 }, meta: { "com.example/shelf": null }, icons: [{ src: "https://x.example/i.png" }]',
  ),
  "shown/link.ts": `import { defineTool, rich } from "#tool";
const annotations = { audience: ["user"], priority: 0, lastModified: "2026-07-28T09:00:00Z" } as const;
const meta = { "com.example/n": 1 };
const icons = [{ src: "https://x.example/i.png" }];
export default defineTool({
  version: "1.0.0",
  description: "Returns blocks with all that they may have.",
  run: () => rich(1, [
    { type: "text", text: "t", annotations, meta },
    { type: "resource_link", uri: "shown://all", name: "all", size: 5, icons, annotations, meta },
    { type: "resource", resource: { uri: "shown://all", text: "whole", meta }, annotations, meta },
  ]),
});\n`,
  "shown/tell.prompt.ts": `import { definePrompt } from "#tool";
export default definePrompt({
  description: "Links.",
  get: () => [{ type: "resource_link", uri: "shown://all", name: "all", size: 5, annotations: { priority: 1 }, meta: { n: 1 } }],
});\n`,
};

let fork: Fork;
let served: Deployed;
let full: string;
let half: string;
beforeAll(async () => {
  fork = await builtFork(FILES, testSettings({ closed: true }));
  served = await deploy(fork, { RATE_PER_MINUTE: "" });
  [full, half] = (await Promise.all(
    [{ scopes: ["*"] }, {}].map(async (terms) => (await served.makeKey(terms)).text),
  )) as [string, string];
});
afterAll(async () => {
  await served?.stop();
  fork?.remove();
});

const INFO = { name: "trivet-test", version: "1.0.0" };
const headersOf = (key: string) => ({ requestInit: { headers: { Authorization: `Bearer ${key}` } } });

async function connectV1(key: string): Promise<ClientV1> {
  const client = new ClientV1(INFO);
  const transport = new TransportV1(new URL(`${served.url}/mcp`), headersOf(key));
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<ClientV1["connect"]>[0]);
  return client;
}

function connectV2(options: ClientOptions) {
  return async (key: string): Promise<Client> => {
    const client = new Client(INFO, options);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), headersOf(key)));
    return client;
  };
}

const PINNED = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;

describe.each([
  ["@modelcontextprotocol/sdk, 2025-11-25", connectV1, UriTemplateV1],
  ["@modelcontextprotocol/client, 2025-11-25", connectV2({}), UriTemplate],
  ["@modelcontextprotocol/client, 2026-07-28", connectV2(PINNED), UriTemplate],
] as const)("%s", (name, connect, Template) => {
  const isModern = name.endsWith("2026-07-28");
  let client: Client | ClientV1;
  beforeAll(async () => {
    client = await connect(full);
  });
  afterAll(() => client?.close());

  const read = async (uri: string, by = client) => {
    const { contents } = await by.readResource({ uri });
    return JSON.parse((contents[0] as { text: string }).text);
  };

  it.each([
    ["docs://{+path}", { path: "guide/a b/100% ü.md" }, { path: "guide/a b/100% ü.md" }],
    ["docs://{+path}/edit", { path: "guide/start" }, { path: "guide/start" }],
    ["repo://{owner}{/path*}", { owner: "a&b", path: ["src", "a,b c"] }, { owner: "a&b", path: ["src", "a,b c"] }],
    ["repo://{owner}{/path*}", { owner: "me" }, { owner: "me", path: [] }],
    ["dump://all{.format}", { format: "tar.gz" }, { format: "tar.gz" }],
    ["dump://all{.format}", {}, {}],
    ["tags://{tag*}", { tag: ["a,b", "c"] }, { tag: ["a,b", "c"] }],
    ["part://page{#part}", { part: "a/b?c#d e" }, { part: "a/b?c#d e" }],
    [
      "search://notes{?q,limit,tag*}",
      { q: "a&b=c/../%2F +", tag: ["x", "y,z"] },
      { q: "a&b=c/../%2F +", tag: ["x", "y,z"] },
    ],
    ["search://notes{?q,limit,tag*}", { q: "", limit: "5" }, { q: "", limit: "5", tag: [] }],
    ["search://tasks?state=open{&q}", { q: "é" }, { q: "é" }],
    ["search://tasks?state=open{&q}", {}, {}],
  ])("lists %s, expands it with %j, and reads that", async (uriTemplate, values, variables) => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map((one) => one.uriTemplate)).toContain(uriTemplate);
    expect(await read(new Template(uriTemplate).expand(values as Record<string, string | string[]>))).toEqual(
      variables,
    );
  });

  it("completes their variables, as far as what is typed can become one", async () => {
    const complete = async (uri: string, name: string, value: string, others: Record<string, string> = {}) => {
      const params = { ref: { type: "ref/resource" as const, uri }, argument: { name, value } };
      return (await client.complete({ ...params, context: { arguments: others } })).completion.values;
    };
    expect(await complete("docs://{+path}", "path", "guide")).toEqual(["guide/deeper"]);
    expect(await complete("docs://{+path}", "path", "a\nb")).toEqual([]);
    expect(await complete("repo://{owner}{/path*}", "path", "", { owner: "me" })).toEqual(["src"]);
    expect(await complete("repo://{owner}{/path*}", "path", "", { owner: "a/b" })).toEqual([]);
    expect(await complete("search://notes{?q,limit,tag*}", "q", "a/b", { limit: "../5", x: "1" })).toEqual([
      "a/b!../5",
    ]);
    await expect(complete("search://notes{?q,limit,tag*}", "x", "")).rejects.toMatchObject({ code: -32602 });
  });

  it("gets from the most literal one: a fixed URI before a template, one segment before several", async () => {
    expect(await read("docs://index")).toEqual({});
    expect(await read("docs://%69ndex")).toEqual({});
    expect(await read("search://notes")).toEqual({});
    expect(await read("search://note%73")).toEqual({});
    expect(await read("docs://drafts/x")).toEqual({ name: "x" });
    expect(await read("docs://drafts/x/y")).toEqual({ path: "drafts/x/y" });
    expect(await read("docs://secret/x")).toEqual({ name: "x" });
    expect(await read("docs://vault/x/y")).toEqual({ path: "x/y" });
  });

  it("cannot reach what its key may not see through another template, however the URI is escaped", async () => {
    const other = await connect(half);
    for (const uri of [
      "docs://secret/x",
      "docs://secret%2Fx",
      "docs://%73ecret/x",
      "docs://vault/x/y",
      "docs://vault%2fx/y",
      "docs://v%61ult/x",
      "docs://./secret/x",
      "docs:///secret/x",
      "docs://secret//x",
      "docs://x/../secret/x",
    ]) {
      await expect(other.readResource({ uri }), uri).rejects.toThrow("Resource not found");
    }
    expect(await read("docs://open/x", other)).toEqual({ path: "open/x" });
    await other.close();
  });

  it("gets annotations, size and _meta in listings, and those of contents when it reads", async () => {
    const { resources } = await client.listResources();
    expect(resources.find(({ uri }) => uri === "shown://all")).toEqual({
      uri: "shown://all",
      name: "Shown_All",
      description: "Everything.",
      annotations: { audience: ["assistant"], priority: 0.3, lastModified: "2026-07-28T09:00:00+02:00" },
      size: 5,
      _meta: { "com.example/shelf": { row: 3 } },
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.find(({ uriTemplate }) => uriTemplate === "shown://{id}")).toEqual({
      uriTemplate: "shown://{id}",
      name: "Shown_Each",
      description: "A family.",
      icons: [{ src: "https://x.example/i.png" }],
      annotations: { priority: 1 },
      _meta: { "com.example/shelf": null },
    });
    const result = await client.readResource({ uri: "shown://all" });
    expect(result.contents).toEqual([{ uri: "shown://all", text: "whole", _meta: { "com.example/read": true } }]);
    if (isModern) expect(result).toMatchObject({ ttlMs: 60_000, cacheScope: "private" });
    else expect(Object.keys(result)).toEqual(["contents"]);
  });

  it("gets them in the blocks of tools and prompts", async () => {
    const annotations = { audience: ["user"], priority: 0, lastModified: "2026-07-28T09:00:00Z" };
    const _meta = { "com.example/n": 1 };
    const { content } = await client.callTool({ name: "Shown_Link", arguments: {} });
    expect(content).toEqual([
      { type: "text", text: "1" },
      { type: "text", text: "t", annotations, _meta },
      {
        type: "resource_link",
        uri: "shown://all",
        name: "all",
        size: 5,
        icons: [{ src: "https://x.example/i.png" }],
        annotations,
        _meta,
      },
      { type: "resource", resource: { uri: "shown://all", text: "whole", _meta }, annotations, _meta },
    ]);
    const { messages } = await client.getPrompt({ name: "Shown_Tell" });
    expect(messages[0]?.content).toMatchObject({ size: 5, annotations: { priority: 1 }, _meta: { n: 1 } });
  });

  it.each(["docs://", "search://notes?q=", "repo://x/", "tags://,"])(
    "is told that there is nothing at %s and 100 KB more",
    async (start) => {
      for (const one of ["a", "a/", "%2F", "&q=", ",", "?", "%"]) {
        const uri = start + one.repeat(100_000 / one.length);
        await expect(client.readResource({ uri })).rejects.toThrow("Resource not found");
      }
    },
  );
});
