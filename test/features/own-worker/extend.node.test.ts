/** `tools/worker.ts`: a fork's middleware, routes, crons and queues, in the built Worker and under `npm start`. */
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Deployment, deployAll } from "../../support/node/attacks/deployment.ts";
import { type Provider, startProvider } from "../../support/node/attacks/provider.ts";
import { build } from "../../support/node/build.ts";
import { type Fork, makeFork, type Started, start, testSettings, until, withVars } from "../../support/node/fork.ts";
import { postJson } from "../../support/node/http.ts";
import { addressOf, miniflareOptions, workerConfig } from "../../support/node/worker.ts";
import { isSlow } from "../../support/tier.ts";

const text = (path: string) => readFileSync(resolve(import.meta.dirname, path), "utf8");
const GREET = text("../../fixtures/samples/hello/greet.ts");
const ALL = text("../../fixtures/workers/all.ts");
const SAMPLE = text("../../fixtures/workers/documented.ts");

const input = { name: "Ada" };
const CALLS: Record<string, [path: string, body: object]> = {
  OXP: ["/tools/call", { request: { tool_id: "Hello.Greet", input } }],
  "OXP, under a toolkit": ["/hello/call", { request: { tool_id: "Hello.Greet", input } }],
  MCP: ["/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "Hello_Greet", arguments: input } }],
  OpenTool: ["/opentool/call", { jsonrpc: "2.0", id: "1", method: "Hello_Greet", params: input }],
};

const PAGE = "https://app.example";
/** What all deployments run. */
let extended: Fork;
let provider: Provider;
/** Without OAuth, and with it and a page that may call. */
let [plain, signedIn]: [Deployment?, Deployment?] = [];
beforeAll(async () => {
  extended = makeFork({ "hello/greet.ts": GREET, "other/greet.ts": GREET, "worker.ts": ALL }, { closed: true });
  await build(extended);
  provider = await startProvider();
  const oauth = { JWT_ISSUER: provider.issuer, JWT_JWKS_URL: provider.jwksUrl };
  [plain, signedIn] = await deployAll(extended, [{}, { ...oauth, ALLOWED_ORIGINS: PAGE }]);
});
afterAll(async () => {
  await plain?.stop();
  provider?.stop();
  extended?.remove();
});

describe("a deployment of a fork with a worker.ts", () => {
  let deployment: Deployment;
  let authorization: string;
  beforeAll(async () => {
    deployment = plain as Deployment;
    authorization = `Bearer ${(await deployment.makeKey()).text}`;
  });
  const ask = async (path: string, init?: RequestInit) => {
    const answer = await fetch(deployment.url + path, init);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };

  it.each(Object.keys(CALLS))("runs its middleware around a call over %s", async (protocol) => {
    const [path, body] = CALLS[protocol] as [string, object];
    const called = await postJson(deployment.url + path, body, { authorization });
    expect(JSON.stringify(called.body)).toContain("Hello, Ada!");
    expect([called.headers.get("x-before"), called.headers.get("x-after")]).toEqual(["set", "200"]);
    const init = { method: "POST", headers: { authorization, "x-refuse": "yes" }, body: JSON.stringify(body) };
    expect(await ask(path, init)).toMatchObject({ status: 418, text: "refused by the fork" });
  });

  it.each([
    ["no credential", "/tools", {}],
    ["a path that is not there", "/nothing", {}],
    ["OAuth's metadata", "/.well-known/oauth-protected-resource", {}],
    ["HEAD", "/health", { method: "HEAD" }],
    ["a browser's question", "/mcp", { method: "OPTIONS" }],
  ])("runs its middleware before the server reads %s", async (_, path, init) => {
    const without = await ask(path, init);
    expect(without.headers.get("x-after")).toBe(String(without.status));
    expect(without.status).not.toBe(418);
    expect((await ask(path, { ...init, headers: { "x-refuse": "yes" } })).status).toBe(418);
  });

  it("does not change an event stream", async () => {
    const [, body] = CALLS.OpenTool as [string, object];
    const headers = { authorization, "content-type": "application/json" };
    const answer = await ask("/opentool/streamCall", { method: "POST", headers, body: JSON.stringify(body) });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    expect(answer.headers.get("x-after")).toBe("200");
    expect(answer.text).toMatch(/event:data\ndata:.*Hello, Ada!.*\n\nevent:done\n/);
  });

  it("lets middleware read a body that the server reads later", async () => {
    const call = (name: string) => ({ request: { tool_id: "Hello.Greet", input: { name } } });
    const called = await postJson(`${deployment.url}/tools/call`, call("Eve"), { authorization });
    expect(called.body.result.value).toBe("Hello, Eve!");
    const headers = { authorization, "content-type": "application/json" };
    const refused = { method: "POST", headers, body: JSON.stringify(call("Mallory")) };
    expect(await ask("/tools/call", refused)).toMatchObject({ status: 403, text: "not for Mallory" });
  });

  it.each<[string, string, RequestInit, string]>([
    ["a parameter", "/custom/a%20b", {}, '{"id":"a b","server":"trivet"}'],
    ["every method", "/any/where", { method: "DELETE" }, "DELETE /any/where"],
    ["a list of methods and paths", "/on/two", { method: "PATCH" }, "PATCH /on/two"],
    ["an app of its own", "/below/who", {}, "below"],
    ["a path of the server's", "/info", {}, "the fork's info"],
  ])("answers routes with %s, without requiring a credential", async (_, path, init, body) => {
    expect(await ask(path, init)).toMatchObject({ status: 200, text: body });
  });

  it("requires a credential if a route says so, as the server does", async () => {
    const nobody = await ask("/mine");
    expect(nobody.status).toBe(401);
    expect(nobody.headers.get("www-authenticate")).toContain("Bearer");
    expect((await ask("/mine", { headers: { authorization: "Bearer trivet_wrong" } })).status).toBe(401);
    expect((await ask("/mine", { headers: { authorization, origin: "https://evil.example" } })).status).toBe(403);
    const known = await ask("/mine", { headers: { authorization } });
    expect(known.text).toMatch(/^"key:[a-z0-9]+"$/);
  });

  it("logs what its handlers throw instead of sending it, except for Hono's own exceptions", async () => {
    expect(await ask("/fails")).toMatchObject({ status: 500, text: '{"message":"Internal error"}' });
    expect(await ask("/fails-with-a-text")).toMatchObject({ status: 500, text: '{"message":"Internal error"}' });
    expect(await ask("/refuses")).toMatchObject({ status: 402, text: "pay first" });
    await deployment.logged();
    const faults = deployment.entries().filter(({ message }) => message === "unhandled");
    expect(JSON.stringify(faults[0])).toContain("only for the log");
    expect(JSON.stringify(faults[1])).toContain("a text, only for the log");
  });

  it("fails loudly if a route is registered too late to be served", async () => {
    expect((await ask("/late")).status).toBe(500);
    expect((await ask("/never", { headers: { authorization } })).status).toBe(404);
  });
});

describe("a route behind authenticate", () => {
  let deployment: Deployment;
  beforeAll(() => {
    deployment = signedIn as Deployment;
  });
  const get = (path: string, token?: string, headers = {}) =>
    fetch(deployment.url + path, { headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) } });
  const status = async (path: string, token: string) => (await get(path, token)).status;
  const tokenFor = (path: string) => provider.sign({ aud: deployment.url + path });

  it("accepts tokens for a toolkit below the toolkit's name, as its endpoints do", async () => {
    for (const path of ["/hello/mine", "/hello/tools"]) {
      for (const [endpoint, expected] of [
        ["/hello/mcp", 200],
        ["/mcp", 200],
        ["/other/mcp", 401],
      ] as const) {
        expect(await status(path, tokenFor(endpoint)), `${endpoint} at ${path}`).toBe(expected);
      }
    }
    expect(await status("/mine", tokenFor("/mcp"))).toBe(200);
    expect(await status("/mine", tokenFor("/hello/mcp"))).toBe(401);
  });

  it("does not exist for a key below the name of another toolkit, as with its endpoints", async () => {
    const [here, elsewhere] = await Promise.all(
      ["hello", "other"].map(async (toolkit) => (await deployment.makeKey({ toolkits: [toolkit] })).text),
    );
    for (const path of ["/hello/mine", "/hello/tools"]) {
      expect([await status(path, here as string), await status(path, elsewhere as string)], path).toEqual([200, 404]);
    }
    expect([await status("/mine", here as string), await status("/mine", elsewhere as string)]).toEqual([200, 200]);
  });

  const shared = ({ headers }: Response) => [headers.get("access-control-allow-origin"), headers.get("vary")];

  it("can be read by pages that may call, whatever it answers", async () => {
    const key = (await deployment.makeKey()).text;
    const bound = (await deployment.makeKey({ toolkits: ["other"] })).text;
    const from = (path: string, token?: string) => get(path, token, { origin: PAGE });
    const answers: [Response, number][] = [
      [await from("/mine", key), 200],
      [await from("/mine"), 401],
      [await from("/hello/mine", bound), 404],
      [await from("/guarded/fails", key), 500],
      [await from("/guarded/nothing", key), 404],
    ];
    for (const [answer, expected] of answers) {
      expect([answer.status, ...shared(answer)]).toEqual([expected, PAGE, "origin"]);
      expect(answer.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
    }
    const raw = await from("/guarded/raw", key);
    expect([await raw.text(), ...shared(raw)]).toEqual(["raw", PAGE, "accept, origin"]);
    expect(shared(await get("/mine", key))).toEqual([null, null]);
    const evil = await get("/mine", key, { origin: "https://evil.example" });
    expect([evil.status, ...shared(evil)]).toEqual([403, null, null]);
  });

  it.each(["/mine", "/guarded/raw"])("answers a browser that asks before it sends a credential: %s", async (path) => {
    const headers = { origin: PAGE, "access-control-request-method": "GET" };
    const asked = { ...headers, "access-control-request-headers": "authorization" };
    const answer = await fetch(deployment.url + path, { method: "OPTIONS", headers: asked });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, PAGE]);
    expect(answer.headers.get("access-control-allow-headers")).toBe("authorization");
  });

  it("keeps CORS headers set by the fork", async () => {
    const key = (await deployment.makeKey()).text;
    const own = ({ status, headers }: Response) => [
      status,
      headers.get("access-control-allow-origin"),
      headers.get("access-control-expose-headers"),
    ];
    for (const path of ["/cors/before", "/cors/after"]) {
      expect(own(await get(path, key, { origin: PAGE })), path).toEqual([200, "*", "x-own"]);
    }
    expect(own(await get("/cors/before", undefined, { origin: PAGE }))).toEqual([401, "*", "x-own"]);
  });
});

describe("handlers that are not for requests", () => {
  let miniflare: Miniflare;
  beforeAll(() => {
    const config = workerConfig(join(extended.root, "dist/index.js"), extended.root);
    miniflare = new Miniflare(miniflareOptions(config));
  });
  afterAll(() => miniflare?.dispose());
  const kept = async (what: string) => (await fetch(`${await addressOf(miniflare)}/kept/${what}`)).json();

  it("runs a cron", async () => {
    const worker = await miniflare.getWorker();
    expect(await worker.scheduled({ cron: "0 6 * * *" })).toMatchObject({ outcome: "ok" });
    expect(await kept("scheduled")).toBe("0 6 * * *");
  });

  it("receives the messages of a queue", async () => {
    const worker = await miniflare.getWorker();
    const messages = ["one", "two"].map((id) => ({ id, timestamp: new Date(0), attempts: 1, body: { text: id } }));
    expect(await worker.queue("jobs", messages)).toMatchObject({ outcome: "ok" });
    await until(async () => (await kept("queue")) === "jobs: one,two");
  });
});

it("a fork without a worker.ts has the same bundle as if the feature did not exist", async () => {
  // Like this feature, the documents for machines are added by the generated module.
  const settings = withVars(testSettings(), { DOCUMENTS: "false" });
  const fork = makeFork({ "hello/greet.ts": GREET }, { settings, copied: true });
  const bundle = async () => {
    await build(fork);
    return readFileSync(join(fork.root, "dist/index.js"), "utf8");
  };
  try {
    const without = await bundle();
    const manifests = readFileSync(join(fork.root, "src/features/manifests.ts"), "utf8");
    const unaware = manifests.replace("  ownWorker,\n", "");
    expect(unaware).not.toBe(manifests);
    fork.write("src/features/manifests.ts", unaware);
    expect((await bundle()).length).toBe(without.length);
    fork.write("src/features/manifests.ts", manifests);
    fork.write("tools/worker.ts", ALL);
    // With a worker.ts, Hono's router for patterns is included.
    expect([without.includes("SmartRouter"), (await bundle()).includes("SmartRouter")]).toEqual([false, true]);
  } finally {
    fork.remove();
  }
});

describe.runIf(isSlow)("npm start", () => {
  let fork: Fork;
  let served: Started;
  beforeAll(async () => {
    fork = makeFork({ "hello/greet.ts": GREET });
    const settings = readFileSync(join(fork.root, "wrangler.toml"), "utf8");
    fork.write("wrangler.toml", `${settings}\n[[kv_namespaces]]\nbinding = "REPORTS"\n`);
    served = await start(fork);
  });
  afterAll(async () => {
    await served?.stop();
    fork.remove();
  });
  const get = async (path: string, headers = {}) => {
    const answer = await fetch(served.url + path, { headers });
    return { status: answer.status, text: await answer.text() };
  };
  const isBot = { "user-agent": "BadBot/1.0" };

  it("serves the documentation's worker.ts as soon as it exists", async () => {
    expect((await get("/tools", isBot)).status).toBe(200);
    fork.write("tools/worker.ts", SAMPLE);
    await until(async () => (await get("/tools", isBot)).status === 403);
    expect((await get("/tools")).status).toBe(200);
    expect(await get("/reports/2026-11-21")).toEqual({ status: 404, text: "404 Not Found" });
    const time = Date.parse("2026-11-21T06:00:00Z");
    await get(`/cdn-cgi/handler/scheduled?cron=0+6+*+*+*&time=${time}`);
    expect(JSON.parse((await get("/reports/2026-11-21")).text)).toMatchObject({ calls: "none yet" });
  });

  it("keeps the previous version while it is broken, says where, and serves it once it is fixed", async () => {
    const broken = SAMPLE.replace("scheduled(", "shedule(").replace("No bots here", "No bots");
    fork.write("tools/worker.ts", broken);
    const line = broken.split("\n").findIndex((at) => at.includes("shedule(")) + 1;
    await until(async () => served.printed().includes(`tools/worker.ts:${line}`));
    await until(async () => served.printed().includes("The server keeps running with the previous tools"));
    expect(served.printed()).toContain('a worker has no member "shedule"');
    expect(await get("/tools", isBot)).toEqual({ status: 403, text: "No bots here" });
    fork.write("tools/worker.ts", broken.replace("shedule(", "scheduled("));
    await until(async () => (await get("/tools", isBot)).text === "No bots");
  });

  it("serves without it when it is deleted", async () => {
    rmSync(join(fork.root, "tools/worker.ts"));
    await until(async () => (await get("/tools", isBot)).status === 200);
  });

  it("receives mail", async () => {
    fork.write("tools/worker.ts", ALL);
    await until(async () => (await get("/info")).text === "the fork's info");
    const body = "From: ada@a.example\r\nTo: bob@b.example\r\nMessage-ID: <1@a.example>\r\n\r\nHello\r\n";
    const mail = `${served.url}/cdn-cgi/handler/email?from=ada@a.example&to=bob@b.example`;
    expect((await fetch(mail, { method: "POST", body })).status).toBe(200);
    expect((await get("/kept/email")).text).toBe('"ada@a.example to bob@b.example"');
  });
});
