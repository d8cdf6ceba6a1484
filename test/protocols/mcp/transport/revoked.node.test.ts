/** Streams that outlive their credentials: after a key is revoked or restricted, they receive nothing more. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildTools, type Deployment, deployAll, type Made } from "../../../support/node/attacks/deployment.ts";
import { listen, MODERN_META, rpc } from "../../../support/node/attacks/wire.ts";
import { type Fork, until } from "../../../support/node/fork.ts";
import { handshake, post } from "../../../support/node/http.ts";

let fork: Fork;
/** One for each test, with a clock of its own. They share keys and the log. */
let deployments: Deployment[] = [];
let other: Made;
beforeAll(async () => {
  fork = await buildTools();
  deployments = await deployAll(fork, Array(3).fill({ RATE_PER_MINUTE: "" }));
  other = await (deployments[0] as Deployment).makeKey();
});
afterAll(async () => {
  await deployments[0]?.stop();
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
const session = async (here: Deployment, key: Made) => ({
  ...bearer(key),
  ...(await handshake(`${here.url}/mcp`, bearer(key))),
});

const modern = (here: Deployment, key: Made) =>
  opened((signal) => listen(here.url, { toolsListChanged: true }, Object.entries(bearer(key)), signal));

async function legacy(here: Deployment, key: Made): Promise<Open> {
  const headers = { accept: "text/event-stream", ...(await session(here, key)) };
  return opened((signal) => fetch(`${here.url}/mcp`, { headers, signal }));
}

/** Makes every open stream send a heartbeat now: the server does so if more than 32 are opened, to find dead ones. */
async function beat(here: Deployment): Promise<void> {
  const streams = await Promise.all(Array.from({ length: 32 }, () => modern(here, other)));
  const more = await modern(here, other);
  expect(more.status).toBe(429);
  for (const stream of [...streams, more]) stream.close();
}

const KINDS = { "a session's stream (GET)": legacy, "subscriptions/listen": modern };
const TOOLKITS = ["shop", "vault"];
const LOSSES: Record<
  string,
  { make(here: Deployment): Promise<Made>; lose(here: Deployment, key: Made): Promise<void> }
> = {
  "is revoked": { make: (here) => here.makeKey({ toolkits: TOOLKITS }), lose: (here, key) => here.revoke(key) },
  "loses a toolkit": {
    make: (here) => here.makeKey({ toolkits: TOOLKITS }),
    lose: (here, key) => here.bind(key, ["shop"]),
  },
  expires: { make: (here) => here.makeKey({ expires: Math.floor(Date.now() / 1_000) + 80 }), lose: async () => {} },
};

// All at once, because each waits for a heartbeat.
it.concurrent("ends each kind of stream at a heartbeat when its key is revoked, loses a toolkit or expires, and no other", async () => {
  const here = deployments[0] as Deployment;
  const ending = await Promise.all(
    Object.entries(KINDS).flatMap(([kind, open]) =>
      Object.entries(LOSSES).map(async ([loss, { make, lose }]) => {
        const key = await make(here);
        return { name: `${kind}: its key ${loss}`, stream: await open(here, key), lose: () => lose(here, key) };
      }),
    ),
  );
  const staying = await Promise.all(Object.values(KINDS).map(async (open) => open(here, await here.makeKey())));
  expect([...ending.map(({ stream }) => stream), ...staying].filter(({ status }) => status !== 200)).toEqual([]);
  await Promise.all(ending.map(({ lose }) => lose()));
  // The isolate's cache lasts half a minute, and KV's a minute.
  await here.ahead(91);
  await beat(here);
  const open = () => ending.filter(({ stream }) => !stream.isClosed()).map(({ name }) => name);
  await until(async () => open().length === 0).catch(() => {});
  expect(open()).toEqual([]);
  expect(staying.map((stream) => stream.isClosed())).toEqual([false, false]);
  for (const stream of staying) stream.close();
});

describe.concurrent("a call that answers with a stream", () => {
  const here = () => deployments[1] as Deployment;
  // Its first heartbeat is after 15 seconds.
  const minutes = { name: "Club_Minutes", arguments: { ms: 25_000 } };
  const posted = async (path: string, key: Made, message: object, more: Record<string, string>) =>
    (await post(`${here().url}${path}`, message, { ...bearer(key), ...more })).text();
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
  const inSession = async (key: Made) => said(key, await session(here(), key), {});
  const openTool = (key: Made) => posted("/opentool/streamCall", key, rpc(minutes.name, minutes.arguments), {});

  it("ends at a heartbeat when its key is revoked, without the result, over OpenTool with its call; others get it", async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => here().makeKey({ scopes: ["*"] })));
    const [one, two, three, faithful, other] = all as [Made, Made, Made, Made, Made];
    const mcp = [modernCall(one), inSession(two), modernCall(faithful)];
    const opentool = [openTool(three), openTool(other)];
    await new Promise((resume) => setTimeout(resume, 2_000));
    await Promise.all([one, two, three].map((key) => here().revoke(key)));
    await here().ahead(91);
    const told = (texts: string[], begun: string) =>
      texts.map((text) => [text.includes(begun), text.includes("decided")]);
    const [cut, whole] = [
      [true, false],
      [true, true],
    ];
    expect(told(await Promise.all(mcp), "notifications/progress")).toEqual([cut, cut, whole]);
    expect(told(await Promise.all(opentool), "event:start")).toEqual([cut, whole]);
    await until(async () => outcomesOf(here(), three).length > 0);
    expect([outcomesOf(here(), three), outcomesOf(here(), other)]).toEqual([["cancelled"], ["completed"]]);
  });
});

/** The results of a key's calls, from the log. */
function outcomesOf(here: Deployment, { id }: Made): unknown[] {
  const calls = here.entries().filter(({ message, principal }) => message === "call" && principal === `key:${id}`);
  return calls.map(({ outcome }) => outcome);
}

it.concurrent("checking the key again does not count as a request", async () => {
  const here = deployments[2] as Deployment;
  const key = await here.makeKey({ rate: 10 });
  const streams = await Promise.all([modern(here, key), modern(here, key)]);
  // Before the isolate's cache of keys ends, and after.
  for (const seconds of [20, 40]) {
    await here.ahead(seconds);
    await beat(here);
  }
  const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await modern(here, key)).status));
  expect(statuses).toEqual(statuses.map(() => 200));
  expect(streams.map((stream) => stream.isClosed())).toEqual([false, false]);
  for (const stream of streams) stream.close();
});
