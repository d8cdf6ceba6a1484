/** The documents for machines on a deployment: who sees what, valid for the tools that read them, and gone if off. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTools, type Deployment, deploy, deployAll, type Made } from "../../support/node/attacks/deployment.ts";
import { send } from "../../support/node/attacks/wire.ts";
import { build } from "../../support/node/build.ts";
import { runDiscovery } from "../../support/node/discovery.ts";
import { type Fork, makeFork } from "../../support/node/fork.ts";
import { postJson } from "../../support/node/http.ts";
import { modernRequest } from "../../support/node/long.ts";
import { project } from "../../support/node/project.ts";

let fork: Fork;
let closed: Deployment;
let described: Deployment;
let off: Deployment;
let oddlyNamed: Deployment;
let wrong: Deployment;
let key: Made;
beforeAll(async () => {
  fork = await buildTools();
  [closed, described, off, oddlyNamed, wrong] = (await deployAll(fork, [
    {},
    {
      PUBLIC: "true",
      SERVER_NAME: "weather tools",
      SERVER_TITLE: "Weather",
      SERVER_DESCRIPTION: "Weather of the past",
      SERVER_WEBSITE: "https://example.com",
      SERVER_ICONS: "https://example.com/icon.png data:image/png;base64,AA==",
      REGISTRY_NAME: "com.example/weather",
      JWT_ISSUER: "https://login.example.com",
      JWT_JWKS_URL: "https://login.example.com/keys",
    },
    { DOCUMENTS: "false", PUBLIC: "true" },
    { SERVER_NAME: "Wetter für alle!" },
    { REGISTRY_NAME: "weather" },
  ])) as [Deployment, Deployment, Deployment, Deployment, Deployment];
  key = await closed.makeKey({ scopes: ["vault:open"] });
});
afterAll(async () => {
  await closed?.stop();
  fork?.remove();
});

const PUBLIC = ["/mcp/server-card", "/.well-known/ai-catalog.json", "/server.json"];

async function get({ url }: Deployment, path: string, credential?: Made) {
  const headers = credential && { authorization: `Bearer ${credential.text}` };
  const response = await fetch(url + path, { ...(headers && { headers }) });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: any document may come back
  const body: any = text.startsWith("{") ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body };
}

describe("on a deployment that requires a credential", () => {
  it.each(PUBLIC)("%s is open and reveals nothing of the tools", async (path) => {
    const { status, text } = await get(closed, path);
    expect(status).toBe(200);
    expect(text).not.toMatch(/vault|shop|whisper|club|COUNTER/i);
  });

  it.each(["/openapi.json", "/vault/openapi.json", "/nothing/openapi.json", "/vault/mcp/server-card"])(
    "%s is not open",
    async (path) => {
      const { status, text } = await get(closed, path);
      expect(status).toBe(401);
      expect(text).not.toMatch(/vault|shop/i);
    },
  );

  it("the card says how to send a key, as long as there is no OAuth", async () => {
    const header = [{ name: "Authorization", isSecret: true, description: expect.stringContaining("API key") }];
    for (const path of ["/mcp/server-card", "/server.json"]) {
      expect((await get(closed, path)).body.remotes[0].headers).toEqual(header);
      expect((await get(described, path)).body.remotes[0]).not.toHaveProperty("headers");
    }
  });

  it("OpenAPI shows each caller its own tools, with an ETag of their own", async () => {
    const bound = await closed.makeKey({ scopes: [], toolkits: ["shop"] });
    const [all, few] = await Promise.all([key, bound].map((credential) => get(closed, "/openapi.json", credential)));
    const paths = (answer: typeof all) => Object.keys(answer?.body.paths).filter((path) => path.includes("."));
    expect(paths(all)).toContain("/tools/call/Vault.Open");
    expect(paths(few).length).toBeGreaterThan(0);
    expect(paths(few).every((path) => path.startsWith("/tools/call/Shop."))).toBe(true);
    expect(few?.text).not.toMatch(/vault|whisper/i);
    expect(few?.headers.get("etag")).not.toBe(all?.headers.get("etag"));
    expect(few?.headers.get("cache-control")).toContain("private");
    expect(all?.body.security).toEqual([{ key: [] }]);
    expect((await get(closed, "/vault/openapi.json", bound)).status).toBe(404);
  });

  it("a tool is called at its own path only with a credential, and only if the caller may", async () => {
    const path = `${closed.url}/tools/call/Vault.Open`;
    expect((await postJson(path, { input: {} })).status).toBe(401);
    const poor = await closed.makeKey({ scopes: [], toolkits: ["shop"] });
    const refused = await postJson(path, { input: {} }, { authorization: `Bearer ${poor.text}` });
    expect([refused.status, refused.body.message]).toEqual([400, "Tool 'Vault.Open' was not found"]);
  });
});

describe("what a deployment says of itself", () => {
  it("is in the card and in server.json, by the rules of their schemas", async () => {
    const [card, entry] = await Promise.all(
      ["/mcp/server-card", "/server.json"].map(async (path) => (await get(described, path)).body),
    );
    for (const document of [card, entry]) {
      expect(document).toMatchObject({
        name: "com.example/weather",
        title: "Weather",
        description: "Weather of the past",
        version: "1.0.0",
        websiteUrl: "https://example.com",
        remotes: [{ type: "streamable-http", url: `${described.url}/mcp` }],
      });
    }
    expect(card.$schema).toBe("https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json");
    expect(entry.$schema).toBe("https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json");
    expect(card.icons).toHaveLength(2);
    // The registry takes https only.
    expect(entry.icons).toEqual([{ src: "https://example.com/icon.png" }]);
    expect(entry.remotes[0]).not.toHaveProperty("supportedProtocolVersions");
  });

  it("is the same after the client has connected (MCP Server Cards, Consistency with Runtime Behavior)", async () => {
    const { body: message, headers } = modernRequest("server/discover", {}, { capabilities: {} });
    const { body } = await postJson(`${described.url}/mcp`, message, headers);
    const { title, description, version, icons } = (await get(described, "/mcp/server-card")).body;
    expect(body.result._meta["io.modelcontextprotocol/serverInfo"]).toMatchObject({
      title,
      description,
      version,
      icons,
    });
  });

  it("is in the catalogue under the name that directories know", async () => {
    const { body } = await get(described, "/.well-known/ai-catalog.json");
    expect(body.entries[0].identifier).toBe("urn:air:example.com:mcp:weather");
  });

  it("has a valid name without a setting, whatever the host and the server are called", async () => {
    for (const [host, name] of [
      ["a.b.example.com", "com.example.b.a/Wetter-f-r-alle-"],
      ["[::1]", "-1-/Wetter-f-r-alle-"],
    ] as const) {
      const { body } = await send(oddlyNamed.url, { path: "/server.json", host });
      expect(body.name).toBe(name);
      expect(body.name).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
    }
  });
});

describe("OpenAPI", () => {
  it("is valid by the schema of OpenAPI 3.1, and each schema in it by draft 2020-12", async () => {
    // All of them first: validating holds up this process, in which fetch would not notice that workerd closes an idle
    // connection.
    const documents = await Promise.all([
      get(closed, "/openapi.json", key),
      get(described, "/openapi.json"),
      get(closed, "/shop/openapi.json", key),
    ]);
    for (const { body } of documents) {
      const validator = new Validator();
      expect(await validator.validate(structuredClone(body))).toEqual({ valid: true });
      expect(validator.version).toBe("3.1");
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      ajv.addSchema({ $id: "https://document.example/", components: body.components });
      const texts = new Set(schemasOf(body).map((schema) => JSON.stringify(rooted(schema))));
      for (const text of texts) expect(() => ajv.compile(JSON.parse(text))).not.toThrow();
      const ids = Object.values(body.paths as Record<string, Operations>).flatMap((item) =>
        Object.values(item).map(({ operationId }) => operationId),
      );
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it("describes calls as they are: they can be made from it, and their results fit it", async () => {
    const fixture = makeFork("test/fixtures/traced");
    await build(fixture);
    const deployment = await deploy(fixture, { PUBLIC: "true", RATE_PER_MINUTE: "" });
    const { body: document } = await get(deployment, "/openapi.json");
    const [server] = document.servers;
    const bodies: Record<string, { body: object; status: number }> = {
      Hello_Greet: { body: { input: { name: "Ada" } }, status: 200 },
      Hello_Clear: { body: { input: {} }, status: 200 },
      Hello_Keep: { body: { input: {}, call_id: "from-openapi" }, status: 200 },
      Hello_Wait: { body: { input: {} }, status: 200 },
      // Without the secret, the call is refused.
      Hello_Open: { body: { input: { door: "1" } }, status: 400 },
    };
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema({ $id: "https://document.example/", components: document.components });
    const fits = (schema: object, value: unknown) => {
      const validate = ajv.compile(rooted(schema));
      return validate(value) ? [] : validate.errors;
    };
    const operations = Object.entries(document.paths as Record<string, Operations>).flatMap(([path, item]) =>
      item.post && path !== "/tools/call" ? [{ path, operation: item.post }] : [],
    );
    expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(Object.keys(bodies).sort());
    for (const { path, operation } of operations) {
      const sent = bodies[operation.operationId];
      const request = operation.requestBody?.content["application/json"].schema as object;
      expect(fits(request, sent?.body)).toEqual([]);
      const answer = await postJson(server.url + path, sent?.body);
      expect(answer.status, path).toBe(sent?.status);
      const range = operation.responses["4XX"];
      expect(range).toEqual({ $ref: "#/components/responses/Error" });
      const described =
        answer.status === 200 ? operation.responses[200] : (document.components.responses.Error as Described);
      expect(fits(described?.content["application/json"].schema as object, answer.body), path).toEqual([]);
    }
    const open = operations.find(({ path }) => path.endsWith("Hello.Open"));
    expect(open?.operation["x-oxp-requirements"]).toEqual({ secrets: [{ id: "DOOR_KEY" }] });
    const context = { secrets: [{ id: "DOOR_KEY", value: "k" }] };
    const sent = await postJson(`${server.url}/tools/call/Hello.Open`, { input: { door: "1" }, context });
    expect([sent.status, sent.body.result.success]).toEqual([200, false]);
    // A value of another type does not fit: the schema says something.
    const greet = operations.find(({ path }) => path.endsWith("Hello.Greet"))?.operation.responses[200];
    const wrong = { result: { call_id: "1", success: true, value: 7 } };
    expect(fits(greet?.content["application/json"].schema as object, wrong)).not.toEqual([]);
    await deployment.stop();
    fixture.remove();
  });
});

interface Described {
  readonly content: { readonly "application/json": { readonly schema: object } };
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
  readonly "x-oxp-requirements"?: object;
}
type Operations = Readonly<Record<string, Operation>>;

/** References lead to the document instead of the schema. */
function rooted(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"https://document.example/#/components'));
}

function schemasOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === "schema" ? [member as object] : schemasOf(member),
  );
}

describe('with DOCUMENTS = "false"', () => {
  it("in an environment, no path of theirs is served there", async () => {
    for (const path of [...PUBLIC, "/openapi.json"]) expect((await get(off, path)).status, path).toBe(404);
    expect((await postJson(`${off.url}/tools/call/Vault.Peek`, { input: {} })).status).toBe(404);
    expect((await postJson(`${off.url}/tools/call`, { request: { tool_id: "Vault.Nothing" } })).status).toBe(400);
  });

  it("everywhere, nothing of this is in the bundle", async () => {
    const WORDS = /server-card|ai-catalog|openapi\.json|server\.json/;
    const own = makeFork({});
    const bundle = async () => {
      await build(own);
      return readFileSync(join(own.root, "dist/index.js"), "utf8");
    };
    try {
      expect(await bundle()).toMatch(WORDS);
      const settings = readFileSync(join(own.root, "wrangler.toml"), "utf8");
      own.write("wrangler.toml", settings.replace("[vars]", '[vars]\nDOCUMENTS = "false"'));
      expect(await bundle()).not.toMatch(WORDS);
      // The bundle has what the generated files import.
      const without = await generated(own);
      own.write("wrangler.toml", settings.replace("[vars]", "[vars]\nDOCUMENTS = false"));
      expect(await generated(own)).toEqual(without);
      own.write("wrangler.toml", settings);
      expect(await generated(own)).not.toEqual(without);
    } finally {
      own.remove();
    }
  });
});

/** What discovery writes. */
async function generated({ root }: Fork): Promise<string[]> {
  const folder = join(root, "src/generated");
  expect((await runDiscovery(join(root, "tools"), join(folder, "catalog.ts"))).code).toBe(0);
  return ["catalog.ts", "features.ts"].map((name) => readFileSync(join(folder, name), "utf8"));
}

describe("a setting that directories would refuse", () => {
  const right = [
    'DOCUMENTS = ""',
    `SERVER_DESCRIPTION = "${"\u{1F327}".repeat(100)}"`,
    'REGISTRY_NAME = "io.github.me/a_b.c-d"',
  ];
  const refused = [
    ...['DOCUMENTS = "no"', `SERVER_DESCRIPTION = "${"x".repeat(101)}"`],
    ...[
      'REGISTRY_NAME = "weather"',
      'REGISTRY_NAME = "a/b/c"',
      'REGISTRY_NAME = "com example/x"',
      'REGISTRY_NAME = "/x"',
    ],
  ];
  it("makes a deployment refuse every request", async () => {
    expect((await get(wrong, "/health")).status).toBe(503);
    expect((await get(wrong, "/server.json")).status).toBe(503);
  });

  it("is an error of discovery, which says what to write", async () => {
    const made = project();
    const found = async (lines: readonly string[]) => {
      writeFileSync(join(made.folder, "wrangler.toml"), `name = "test"\n[vars]\n${lines.join("\n")}\n`);
      return made.discover();
    };
    expect(await found(right)).toMatchObject({ code: 0, stderr: "" });
    for (const line of refused) {
      const { code, stderr } = await found([line]);
      expect([code, stderr.split("\n").slice(0, 2)]).toEqual([1, ["1 problem(s) in settings:", "wrangler.toml:3"]]);
      expect(stderr).toContain(`problem: ${line.replace(" =", " is")} in [vars]`);
      expect(stderr).toMatch(/fix: +write /);
    }
  });
});
