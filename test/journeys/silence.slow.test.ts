/**
 * Calls that take minutes and say nothing, of clients that would wait: behind a proxy that closes every connection on
 * which no byte has passed for 30 seconds, on connections that break, and of clients that leave. In real time, side by side.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDoor } from "../conformance/runner/edge.ts";
import { type Cable, layCable } from "../support/node/cable.ts";
import { type Served, until } from "../support/node/fork.ts";
import { post } from "../support/node/http.ts";
import { type Long, modernRequest, newName, release, seen, serveLong } from "../support/node/long.ts";
import { IN_MODERN, IN_SESSIONS, PATIENT_CLIENTS } from "../support/node/patient-clients.ts";

const IDLE_MS = 30_000;
const LONG_WORK = { tool: "Jobs.Work", ms: 180_000 };
const BREAK_MS = 20_000;

/** As deployed: a call of a long tool is answered after 45 seconds. */
let server: Long;
/** Here, it waits for the result. */
let patient: Served;
/** Passes on when a client disconnects. */
let edge: Served;
const proxies: Cable[] = [];
beforeAll(async () => {
  server = await serveLong({ vars: { LONG_WAIT_SECONDS: "45", TASK_LEASE_SECONDS: "90" } });
  patient = await server.also({ vars: { LONG_WAIT_SECONDS: "240" } });
  const { hostname, port } = new URL(server.url);
  edge = await openDoor(Number(port), hostname);
  for (const { url } of [server, patient]) proxies.push(await layCable(url, IDLE_MS));
  for (const [way, { finish, tool, ms, isPatient }] of WAYS) {
    const name = newName();
    const finished = finish(proxies[isPatient ? 1 : 0]?.url ?? "", tool, { name, ms });
    // Whoever awaits it sees it, too.
    finished.catch(() => {});
    begun.set(way, { name, seenBy: (isPatient ? patient : server).url, finished });
  }
});
afterAll(async () => {
  for (const proxy of proxies) proxy.stop();
  await edge?.stop();
  await patient?.stop();
  await server?.stop();
});

/** What a client calls, on which server, and with how many requests it gets the result. */
interface Wanted {
  readonly finish: (typeof PATIENT_CLIENTS)[string];
  readonly tool: string;
  readonly ms: number;
  readonly isPatient: boolean;
  readonly requests: (calls: number) => boolean;
}

interface Begun {
  readonly name: string;
  readonly seenBy: string;
  readonly finished: ReturnType<Wanted["finish"]>;
}

const WAYS = Object.entries(PATIENT_CLIENTS).flatMap(([client, finish]): [string, Wanted][] => [
  [
    `${client}: a tool of 100 seconds arrives`,
    { finish, tool: "Jobs.Quiet", ms: 100_000, isPatient: false, requests: (calls) => calls === 1 },
  ],
  [
    `${client}: a long tool of three minutes arrives, asked for again`,
    // A stream of OpenTool lasts until the tool has ended.
    { ...LONG_WORK, finish, isPatient: false, requests: (calls) => calls > 1 !== client.includes("stream") },
  ],
  [
    `${client}: a long tool of three minutes arrives, waited for`,
    { ...LONG_WORK, finish, isPatient: true, requests: (calls) => calls === 1 },
  ],
]);

/** All begin at once, because each takes minutes: vitest runs five tests at a time. */
const begun = new Map<string, Begun>();

describe.concurrent("behind a proxy that closes connections that are idle for 30 seconds", () => {
  it("a connection is closed on which nothing passes", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const proxy = await layCable(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`, IDLE_MS);
    const began = performance.now();
    await once(dial(Number(new URL(proxy.url).port), "127.0.0.1").resume(), "close");
    expect(performance.now() - began).toBeGreaterThan(IDLE_MS - 1_000);
    proxy.stop();
    silent.close();
  });

  it.each(WAYS)("%s", async (way, { requests }) => {
    const { name, seenBy, finished } = begun.get(way) as Begun;
    const { text, calls } = await finished;
    expect(text).toBe(`${name} is done`);
    expect(requests(calls)).toBe(true);
    expect(await seen(seenBy, name)).toEqual(["begun", "done"]);
  });
});

describe.concurrent("on a connection that breaks after 20 seconds, without a word to the server", () => {
  it.each(Object.entries(IN_SESSIONS))("%s: the call is resumed", async (_, connect) => {
    const cable = await layCable(server.url);
    const { call, close } = await connect(cable.url);
    const name = newName();
    const called = call({ name: "Jobs_Quiet", arguments: { name, ms: 40_000 } });
    setTimeout(() => cable.cut(), BREAK_MS);
    expect((await called).content).toEqual([{ type: "text", text: `${name} is done` }]);
    expect(await seen(server.url, name)).toEqual(["begun", "done"]);
    await close();
    cable.stop();
  });

  it.each(Object.entries(IN_MODERN))("%s: the call is repeated with its key", async (_, connect) => {
    const cable = await layCable(server.url);
    const { call, close } = await connect(cable.url);
    const name = newName();
    const keyed = {
      name: "Jobs_Quiet",
      arguments: { name, ms: 40_000 },
      _meta: { idempotency_key: newName() },
    };
    setTimeout(() => cable.cut(), BREAK_MS);
    // This client does not tell that a connection broke: the call ends when its time is over.
    await expect(call(keyed, BREAK_MS + 5_000)).rejects.toThrow("timed out");
    expect((await call(keyed)).content).toEqual([{ type: "text", text: `${name} is done` }]);
    expect(await seen(server.url, name)).toEqual(["begun", "done"]);
    await close();
    cable.stop();
  });
});

type Send = (name: string, key: string, signal?: AbortSignal) => Promise<Response>;

describe.concurrent("a client that disconnects after the response has begun", () => {
  const send = (path: string, body: object, headers: object, signal: AbortSignal | undefined) =>
    post(`${edge.url}${path}`, body, { accept: "application/json", ...headers }, signal);

  it.each<[string, Send]>([
    [
      "OXP",
      (name, call_id, signal) =>
        send("/tools/call", { request: { tool_id: "Jobs.Stubborn", call_id, input: { name } } }, {}, signal),
    ],
    [
      "OpenTool",
      (name, key, signal) =>
        send(
          "/opentool/call",
          { jsonrpc: "2.0", id: "1", method: "Jobs_Stubborn", params: { name } },
          { "idempotency-key": key },
          signal,
        ),
    ],
    [
      "MCP 2026-07-28, JSON only",
      (name, idempotency_key, signal) => {
        const params = { name: "Jobs_Stubborn", arguments: { name } };
        const { body, headers } = modernRequest("tools/call", params, { meta: { idempotency_key } });
        return send("/mcp", body, headers, signal);
      },
    ],
  ])("%s: stops its tool, and the result of a call with a key is kept", async (_, call) => {
    const [name, key] = [newName(), newName()];
    const gone = new AbortController();
    const response = await call(name, key, gone.signal);
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe(" ");
    gone.abort();
    await until(async () => (await seen(server.url, name)).includes("told to stop"));
    await release(server.url, name);
    await until(async () => (await seen(server.url, name)).includes("done"));
    expect(await (await call(name, key)).text()).toContain(`${name} is done`);
    expect(await seen(server.url, name)).toEqual(["begun", "told to stop", "done"]);
  });
});
