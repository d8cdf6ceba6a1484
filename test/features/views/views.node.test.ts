/** Views over real HTTP, for clients of both eras: what those get that show views, and what all others get (MCP Apps). */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SECRET } from "../../support/node/attacks/tokens.ts";
import { type Deployed, type Env, runAll } from "../../support/node/deployed.ts";
import { builtFork, type Fork, testSettings, withVars } from "../../support/node/fork.ts";
import { tokenOf } from "../../support/node/long.ts";
import { type Client, clients, SHOWS, serveViews, TOOLS } from "../../support/node/views.ts";

let fork: Fork;
/** Two deployments of one fork: one that anyone may call, and one that requires credentials. */
let server: Deployed;
let closed: Deployed;
let showing: Client[];
let others: Client[];
beforeAll(async () => {
  fork = await builtFork({ ...TOOLS }, withVars(testSettings({ closed: true }), { JWT_SECRET: SECRET }));
  const open = ({ JWT_SECRET: _, RATE_PER_MINUTE: __, ...env }: Env) => ({
    ...env,
    PUBLIC: { type: "text", value: "true" },
  });
  [server, closed] = (await runAll(fork, [open, (env) => env])) as [Deployed, Deployed];
  showing = await clients(server.url, SHOWS);
  others = [
    ...(await clients(server.url, {})),
    // "mimeTypes: array of supported content types (REQUIRED)": one that shows another type shows none of ours.
    ...(await clients(server.url, { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/uri-list"] } } })),
  ];
});
afterAll(async () => {
  await server?.stop();
  fork?.remove();
});

interface Listed {
  readonly name: string;
  readonly _meta?: { readonly ui?: { readonly resourceUri?: string } };
}

async function tools(client: Client, path?: string): Promise<ReadonlyMap<string, Listed>> {
  const { result } = await client.ask("tools/list", {}, path);
  return new Map(result.tools.map((one: Listed) => [one.name, one]));
}

const FORECAST = /^ui:\/\/weather\/forecast-[0-9a-f]{8}\.html$/;

async function forecastUri(client: Client): Promise<string> {
  return (await tools(client)).get("Weather_Forecast")?._meta?.ui?.resourceUri ?? "";
}

describe.each([
  ["2025-11-25", 0],
  ["2026-07-28", 1],
] as const)("a client of %s that shows views", (_revision, at) => {
  const client = () => showing[at] as Client;

  it("is told that the server has them, beside what it can otherwise", async () => {
    const { capabilities } = (await client().ask("initialize")).result;
    expect(capabilities.extensions).toEqual(SHOWS.extensions);
    expect(capabilities.tools).toEqual({ listChanged: true });
  });

  it("finds the view of a tool in its listing, for ChatGPT too, and beside what the author says", async () => {
    const listed = await tools(client());
    const uri = expect.stringMatching(FORECAST);
    expect(listed.get("Weather_Forecast")?._meta).toEqual({
      ui: { resourceUri: uri },
      "ui/resourceUri": uri,
      "openai/outputTemplate": uri,
      "example.com/own": 1,
    });
    expect(listed.get("Weather_Refresh")?._meta).toEqual({ ui: { visibility: ["app"] } });
    expect(listed.get("Other_Plain")).not.toHaveProperty("_meta");
  });

  it("finds it among the resources, with what it may do", async () => {
    const { resources } = (await client().ask("resources/list")).result;
    expect(resources.map(({ uri }: { uri: string }) => uri)).toContain("other://news");
    expect(resources.find(({ uri }: { uri: string }) => FORECAST.test(uri))).toEqual({
      uri: expect.stringMatching(FORECAST),
      name: "Weather_Forecast",
      description: "Shows what Weather_Forecast returns.",
      mimeType: "text/html;profile=mcp-app",
      _meta: {
        ui: {
          csp: { connectDomains: ["https://api.example.com"] },
          permissions: { geolocation: {} },
          prefersBorder: true,
        },
      },
    });
  });

  it("reads it: one document, with its script inside", async () => {
    const uri = await forecastUri(client());
    const { contents } = (await client().ask("resources/read", { uri })).result;
    expect(contents).toHaveLength(1);
    const { text, ...rest } = contents[0];
    expect(rest).toEqual({
      uri,
      mimeType: "text/html;profile=mcp-app",
      _meta: { ui: expect.objectContaining({ permissions: { geolocation: {} } }) },
    });
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain("ui/notifications/tool-result");
    expect(text).not.toContain("#view");
  });

  it("reads it under the URI of an earlier deployment, too, and no other", async () => {
    const old = { uri: "ui://weather/forecast-00000000.html" };
    expect((await client().ask("resources/read", old)).result.contents[0]).toMatchObject(old);
    for (const uri of ["ui://weather/forecast.html", "ui://weather/forecast", "ui://weather/refresh-00000000.html"]) {
      expect((await client().ask("resources/read", { uri })).error).toMatchObject({ message: "Resource not found" });
    }
  });

  it("on another toolkit's path, finds neither the tool nor its view", async () => {
    expect([...(await tools(client(), "/other/mcp")).keys()]).toEqual(["Other_Plain"]);
    const { resources } = (await client().ask("resources/list", {}, "/other/mcp")).result;
    expect(resources).toMatchObject([{ uri: "other://news" }]);
    const uri = await forecastUri(client());
    expect((await client().ask("resources/read", { uri }, "/other/mcp")).error.message).toBe("Resource not found");
  });

  it("calls tools, and gets the results that everyone gets", async () => {
    const call = { name: "Weather_Forecast", arguments: { a: "x" } };
    const [shown, plain] = await Promise.all([client().ask("tools/call", call), others[at]?.ask("tools/call", call)]);
    expect(shown).toEqual(plain);
    expect(shown.result.content).toEqual([{ type: "text", text: "done" }]);
  });
});

it.each([
  ["2025-11-25", 0],
  ["2026-07-28", 1],
] as const)("ChatGPT, which shows views and does not declare it, gets them by its name (%s)", async (_revision, at) => {
  const chatGpt = (await clients(server.url, {}, {}, "openai-mcp"))[at] as Client;
  expect((await chatGpt.ask("initialize")).result.capabilities.extensions).toEqual(SHOWS.extensions);
  const uri = await forecastUri(chatGpt);
  expect(uri).toMatch(FORECAST);
  expect((await chatGpt.ask("resources/read", { uri })).result.contents[0].text).toMatch(/^<!doctype html>/);
});

describe.each([0, 1, 2, 3])("any other client (%i)", (at) => {
  const client = () => others[at] as Client;

  it("finds no trace of views: not in what the server can, not in listings, not under a URI", async () => {
    const told = await Promise.all(
      ["initialize", "tools/list", "resources/list"].map(async (method) => JSON.stringify(await client().ask(method))),
    );
    expect(told.join()).toContain("Weather_Forecast");
    expect(told.join()).not.toMatch(/ui:\/\/|mcp-app|openai|visibility|modelcontextprotocol\/ui/);
    const uri = await forecastUri(showing[0] as Client);
    expect((await client().ask("resources/read", { uri })).error).toMatchObject({ message: "Resource not found" });
  });
});

it("what other clients get is what a fork without views and their tools gives, in the same order", async () => {
  const { "weather/forecast.view.html": _, "weather/secret.view.ts": __, "weather/refresh.ts": ___, ...tools } = TOOLS;
  const forecast = (tools["weather/forecast.ts"] as string).replace(/^ {2}view: .*\n/m, "");
  const bare = await serveViews({ ...tools, "weather/forecast.ts": forecast });
  try {
    const without = await clients(bare.url, SHOWS);
    for (const method of ["initialize", "tools/list", "resources/list"]) {
      for (const at of [0, 1]) {
        const [had, has] = await Promise.all([without[at]?.ask(method), others[at]?.ask(method)]);
        expect(JSON.stringify(has.result)).toBe(JSON.stringify(had.result));
      }
    }
  } finally {
    await bare.stop();
  }
});

describe("a deployment that requires credentials", () => {
  it("a caller who cannot have a tool's scopes does not learn of its view; one who has them reads it", async () => {
    const uri = "ui://weather/secret-00000000.html";
    for (const scoped of await clients(closed.url, SHOWS, tokenOf("one", "weather:secret"))) {
      expect((await tools(scoped)).has("Weather_Secret")).toBe(true);
      expect((await scoped.ask("resources/read", { uri })).result.contents[0].text).toContain("secret");
    }
    for (const plain of await clients(closed.url, SHOWS, tokenOf("two", "other"))) {
      const all = JSON.stringify([await plain.ask("tools/list"), await plain.ask("resources/list")]);
      expect(all).toContain("Weather_Forecast");
      expect(all).not.toContain("secret");
      expect((await plain.ask("resources/read", { uri })).error).toMatchObject({ message: "Resource not found" });
    }
  });
});
