/** Streams that outlive their credentials: after a key is revoked or restricted, they receive nothing more. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTools, type Deployment, deploy, type Made } from "../../../support/node/attacks/deployment.ts";
import { MODERN_META, rpc } from "../../../support/node/attacks/wire.ts";
import { type Fork, until } from "../../../support/node/fork.ts";
import { handshake, post } from "../../../support/node/http.ts";

let fork: Fork;
let here: Deployment;
let other: Made;
beforeAll(async () => {
  fork = buildTools();
  here = await deploy(fork, { RATE_PER_MINUTE: "" });
  other = await here.makeKey();
});
afterAll(async () => {
  await here?.stop();
  fork?.remove();
});

interface Open {
  readonly status: number;
  /** Whether the server has closed it. */
  isClosed(): boolean;
  /** Resolves when it has closed. */
  readonly closed: Promise<void>;
  close(): void;
}

async function opened(ask: (signal: AbortSignal) => Promise<Response>): Promise<Open> {
  const hangUp = new AbortController();
  const response = await ask(hangUp.signal);
  let isClosed = false;
  const closed = response.arrayBuffer().then(() => {
    isClosed = true;
  });
  closed.catch(() => {});
  return { status: response.status, isClosed: () => isClosed, closed, close: () => hangUp.abort() };
}

const bearer = ({ text }: Made) => ({ authorization: `Bearer ${text}` });
const session = async (key: Made) => ({ ...bearer(key), ...(await handshake(`${here.url}/mcp`, bearer(key))) });

const LISTEN = rpc("subscriptions/listen", { notifications: { toolsListChanged: true }, _meta: MODERN_META });
const MODERN = { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" };
const modern = (key: Made) =>
  opened((signal) => post(`${here.url}/mcp`, LISTEN, { ...bearer(key), ...MODERN }, signal));

async function legacy(key: Made): Promise<Open> {
  const headers = { accept: "text/event-stream", ...(await session(key)) };
  return opened((signal) => fetch(`${here.url}/mcp`, { headers, signal }));
}

/** Makes every open stream send a heartbeat now: the server does so if more than 32 are opened, to find dead ones. */
async function beat(): Promise<void> {
  const streams = await Promise.all(Array.from({ length: 32 }, () => modern(other)));
  const more = await modern(other);
  expect(more.status).toBe(429);
  for (const stream of [...streams, more]) stream.close();
}

describe.each([
  ["a session's stream (GET)", legacy],
  ["subscriptions/listen", modern],
])("%s", (_, open) => {
  it.each<[string, (key: Made) => Promise<void>]>([
    ["is revoked", (key) => here.revoke(key)],
    ["loses a toolkit", (key) => here.bind(key, ["shop"])],
  ])("ends at a heartbeat when its key %s; those of others go on", async (_, change) => {
    const [key, faithful] = [await here.makeKey({ toolkits: ["shop", "vault"] }), await here.makeKey()];
    const [stream, neighbour] = [await open(key), await open(faithful)];
    expect([stream.status, neighbour.status]).toEqual([200, 200]);
    await change(key);
    // The isolate's cache lasts half a minute, and KV's a minute.
    await here.ahead(91);
    await beat();
    await stream.closed;
    expect(neighbour.isClosed()).toBe(false);
    neighbour.close();
    await here.ahead(0);
  });

  it("ends at a heartbeat when its key expires", async () => {
    const key = await here.makeKey({ expires: Math.floor(Date.now() / 1_000) + 60 });
    const stream = await open(key);
    expect(stream.status).toBe(200);
    await here.ahead(61);
    await beat();
    await stream.closed;
    await here.ahead(0);
  });
});

describe("a call that answers with a stream", () => {
  const minutes = { name: "Club_Minutes", arguments: { ms: 35_000 } };
  const posted = async (path: string, key: Made, message: object, more: Record<string, string>) =>
    (await post(`${here.url}${path}`, message, { ...bearer(key), ...more })).text();
  const said = async (key: Made, method: Record<string, string>, _meta: object) => {
    const message = rpc("tools/call", { ...minutes, _meta: { progressToken: "t", ..._meta } });
    return posted("/mcp", key, message, method);
  };
  const modernCall = (key: Made) =>
    said(
      key,
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": minutes.name },
      MODERN_META,
    );
  const inSession = async (key: Made) => said(key, await session(key), {});
  const openTool = (key: Made) => posted("/opentool/streamCall", key, rpc(minutes.name, minutes.arguments), {});

  it("ends at a heartbeat when its key is revoked, without the result; another key's stream gets it", async () => {
    const keys = await Promise.all([1, 2, 3].map(() => here.makeKey({ scopes: ["*"] })));
    const [one, two, faithful] = keys as [Made, Made, Made];
    const calls = [modernCall(one), inSession(two), modernCall(faithful)];
    await new Promise((resume) => setTimeout(resume, 2_000));
    await Promise.all([here.revoke(one), here.revoke(two)]);
    await here.ahead(91);
    const texts = await Promise.all(calls);
    expect(texts.map((text) => [text.includes("notifications/progress"), text.includes("It was decided")])).toEqual([
      [true, false],
      [true, false],
      [true, true],
    ]);
    await here.ahead(0);
  });

  it("ends when its key is revoked over OpenTool too, and its call with it", async () => {
    const keys = await Promise.all([1, 2].map(() => here.makeKey({ scopes: ["*"] })));
    const [revoked, faithful] = keys as [Made, Made];
    const texts = keys.map(openTool);
    await new Promise((resume) => setTimeout(resume, 2_000));
    await here.revoke(revoked);
    await here.ahead(91);
    expect((await Promise.all(texts)).map((text) => [text.includes("event:start"), text.includes("decided")])).toEqual([
      [true, false],
      [true, true],
    ]);
    await until(async () => outcomesOf(revoked).length > 0);
    expect([outcomesOf(revoked), outcomesOf(faithful)]).toEqual([["cancelled"], ["completed"]]);
    await here.ahead(0);
  });
});

/** The results of a key's calls, from the log. */
function outcomesOf({ id }: Made): unknown[] {
  const calls = here.entries().filter(({ message, principal }) => message === "call" && principal === `key:${id}`);
  return calls.map(({ outcome }) => outcome);
}

it("checking the key again does not count as a request", async () => {
  const key = await here.makeKey({ rate: 10 });
  const streams = await Promise.all([modern(key), modern(key)]);
  for (let minute = 1; minute <= 4; minute++) {
    await here.ahead(minute * 10);
    await beat();
  }
  const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await modern(key)).status));
  expect(statuses).toEqual(statuses.map(() => 200));
  expect(streams.map((stream) => stream.isClosed())).toEqual([false, false]);
  for (const stream of streams) stream.close();
  await here.ahead(0);
});
