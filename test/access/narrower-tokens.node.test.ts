/** Several tokens of one person in one session: a narrower one gets nothing that a broader one left there. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTools, type Deployment, deploy } from "../support/node/attacks/deployment.ts";
import { type Provider, startProvider } from "../support/node/attacks/provider.ts";
import { rpc } from "../support/node/attacks/wire.ts";
import type { Fork } from "../support/node/fork.ts";
import { handshake, post as postTo, readUntil } from "../support/node/http.ts";

let fork: Fork;
let provider: Provider;
let here: Deployment;
beforeAll(async () => {
  fork = await buildTools();
  provider = await startProvider();
  const settings = { JWT_ISSUER: provider.issuer, JWT_JWKS_URL: provider.jwksUrl, RATE_PER_MINUTE: "" };
  here = await deploy(fork, settings);
});
afterAll(async () => {
  await here?.stop();
  provider?.stop();
  fork?.remove();
});

type Headed = Record<string, string>;
const token = (scope: string) => ({ authorization: `Bearer ${provider.sign({ aud: `${here.url}/mcp`, scope })}` });
const broad = () => token("club:read club:write");
const narrow = () => token("club:read");
const post = (body: object, headers: Headed) => postTo(`${here.url}/mcp`, body, headers);
const begun = () => handshake(`${here.url}/mcp`, broad());

const opened = (headers: Headed, path = "/mcp") =>
  fetch(`${here.url}${path}`, {
    headers: { accept: "text/event-stream", ...headers },
    signal: AbortSignal.timeout(60_000),
  });

const subscribe = async (session: Headed, uri: string, who = broad()) =>
  (await post(rpc("resources/subscribe", { uri }), { ...session, ...who })).text();
const announce = async (uri: string, who = broad()) =>
  (await post(rpc("tools/call", { name: "Club_Announce", arguments: { uri } }), who)).text();
const receivedNews = (stream: Response) => readUntil(stream, /shop:\/\/window/);

/** Makes a call with the broader token. Returns the id from which its stream can be resumed. */
async function resumable(session: Headed): Promise<string> {
  const params = { name: "Club_Minutes", arguments: { ms: 1 }, _meta: { progressToken: "t" } };
  const said = await (await post(rpc("tools/call", params), { ...session, ...broad() })).text();
  const id = /^id: (.*)$/m.exec(said)?.[1] ?? "";
  expect(id).toMatch(/-0$/);
  return id;
}

it.each(["before", "after"])("hears no change of a resource that it may not read, subscribed to %s", async (order) => {
  const session = await begun();
  await subscribe(session, "shop://window", narrow());
  if (order === "before") await subscribe(session, "club://board");
  const stream = await opened({ ...session, ...narrow() });
  expect(stream.status).toBe(200);
  if (order === "after") await subscribe(session, "club://board");
  for (const uri of ["club://board", "shop://window"]) await announce(uri, narrow());
  expect(await receivedNews(stream)).not.toContain("club://board");
});

describe("a stream with fewer scopes gets nothing meant for a broader one of its session", () => {
  const openNarrow = (session: Headed) => opened({ ...session, ...narrow() });

  it("opened before it, about a resource subscribed to after both", async () => {
    const session = await begun();
    const [stream, narrower] = [await opened({ ...session, ...broad() }), await openNarrow(session)];
    await subscribe(session, "club://board");
    await subscribe(session, "shop://window");
    await announce("club://board");
    // News that both may receive goes only to the stream opened last.
    await announce("shop://window");
    const text = await readUntil(stream, /club:\/\/board/);
    expect(text).toContain("club://board");
    expect(text).not.toContain("shop://window");
    expect(await receivedNews(narrower)).not.toContain("club://board");
  });

  it("even if a third stream opens and closes", async () => {
    const session = await begun();
    await subscribe(session, "club://board");
    const [stream, narrower] = [await opened({ ...session, ...broad() }), await openNarrow(session)];
    const third = await opened({ ...session, ...broad() });
    await third.body?.cancel();
    let isOver = false;
    const text = readUntil(stream, /club:\/\/board/).finally(() => {
      isOver = true;
    });
    // News published before the server notices that the third stream is closed may be lost.
    for (let tries = 0; tries < 100 && !isOver; tries++) {
      await announce("club://board");
      await new Promise((resume) => setTimeout(resume, 50));
    }
    await narrower.body?.cancel();
    expect(isOver).toBe(true);
    expect(await text).toContain("club://board");
  });
});

it("does not resume the stream of a call that it may not make; a token that may does", async () => {
  const session = await begun();
  const id = await resumable(session);
  const refused = await opened({ ...session, ...narrow(), "last-event-id": id });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("Last-Event-ID")]);
  const picked = await opened({ ...session, ...broad(), "last-event-id": id });
  expect(await readUntil(picked, /"result"/)).toContain("It was decided");
});

describe("with a token for one toolkit only, in a session of a token for all", () => {
  const shop = () => `Bearer ${provider.sign({ aud: `${here.url}/shop/mcp`, scope: "club:read club:write" })}`;
  const inShop = (method: string, headers: Headed, body?: object) =>
    fetch(`${here.url}/shop/mcp`, {
      method,
      headers: {
        "content-type": "application/json",
        accept: method === "GET" ? "text/event-stream" : "application/json, text/event-stream",
        authorization: shop(),
        ...headers,
      },
      signal: AbortSignal.timeout(60_000),
      ...(body && { body: JSON.stringify(body) }),
    });
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  const answered = { jsonrpc: "2.0", id: `ask-${crypto.randomUUID()}`, result: { action: "accept", content: {} } };

  it.each<[string, string, object?]>([
    ["ends it", "DELETE"],
    ["cancels a call", "POST", cancelled],
    ["answers a question", "POST", answered],
    ["calls", "POST", rpc("tools/call", { name: "Shop_Look" })],
    ["listens", "GET"],
  ])("no caller %s", async (_, method, body) => {
    const session = await begun();
    const refused = await inShop(method, session, body);
    expect([refused.status, await refused.text()]).toEqual([404, expect.stringContaining("Session not found")]);
    const ping = await post(rpc("ping"), { ...session, ...broad() });
    expect([ping.status, await ping.text()]).toEqual([200, expect.stringContaining('"result"')]);
  });

  it("another toolkit's call cannot be resumed", async () => {
    const session = await begun();
    const id = await resumable(session);
    expect((await inShop("GET", { ...session, "last-event-id": id })).status).toBe(404);
  });

  it("a session that it began on its path goes on there", async () => {
    const session = await handshake(`${here.url}/shop/mcp`, { authorization: shop() });
    const ping = await inShop("POST", session, rpc("ping"));
    expect([ping.status, await ping.text()]).toEqual([200, expect.stringContaining('"result"')]);
    // A broader token cannot use it elsewhere either: the narrower one could read what is started there.
    expect((await post(rpc("ping"), { ...session, ...broad() })).status).toBe(404);
    expect((await inShop("DELETE", session)).status).toBe(204);
  });
});
