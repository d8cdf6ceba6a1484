/** What each path of a call costs in storage: requests to an object, rows, alarms, and KV operations. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../support/node/fork.ts";
import { handshake } from "../support/node/http.ts";
import { openRig, type Rig } from "../support/node/rig.ts";
import { type Call, call, SOON } from "./caller.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig?.kill());

const fresh = () => crypto.randomUUID();

interface Cost {
  /** Requests of the Worker to an object. */
  readonly object?: number;
  /** KV operations of the Worker. */
  readonly read?: number;
  readonly write?: number;
  readonly delete?: number;
  /** KV operations of the object. */
  readonly objectWrite?: number;
  /** Rows that objects write, and alarms that they set, which are rows too. */
  readonly rows?: number;
  readonly alarms?: number;
}

const NAMES = {
  object: ["object"],
  read: ["get one", "get other"],
  write: ["put one", "put other"],
  delete: ["delete one", "delete other"],
  objectWrite: ["put object"],
  rows: ["rows"],
  alarms: ["alarms"],
} as const;
/** How long nothing more may arrive after the expected operations; a superfluous one would follow them closely. */
const QUIET_MS = 250;

/** Passes if the action has exactly this cost, however long that takes to arrive. */
async function expectCost(action: () => Promise<unknown>, expected: Cost): Promise<void> {
  await rig.ask("/world/counts");
  await action();
  const counts: Record<string, number> = {};
  const cost = async () => {
    for (const [name, count] of Object.entries(await rig.ask<Record<string, number>>("/world/counts"))) {
      counts[name] = (counts[name] ?? 0) + count;
    }
    const sums = Object.entries(NAMES).map(([kind, names]) => [
      kind,
      names.reduce((all, name) => all + (counts[name] ?? 0), 0),
    ]);
    return Object.fromEntries(sums.filter(([, count]) => count !== 0)) as Cost;
  };
  const isAll = (found: Cost) =>
    Object.entries(expected).every(([kind, count]) => (found[kind as keyof Cost] ?? 0) >= count);
  await until(async () => isAll(await cost()), 30_000).catch(() => {});
  await sleep(QUIET_MS);
  expect(await cost()).toEqual(expected);
}

const principal = "small";
const once = (given: Call) => async () =>
  expect(await call(rig, { principal, ...given })).toMatchObject({ is: "result" });

describe("the storage cost of a call", () => {
  it.each(["oxp", "mcp", "opentool"] as const)("without a key, over %s: nothing", async (over) => {
    // OXP generates a call_id if there is none, but does not use it as a key.
    await expectCost(once({ over, input: { name: fresh(), ms: 0 } }), {});
  });

  it("with a key, of a tool without effects: a read and a write; its replay: a read", async () => {
    const given = { key: fresh(), tool: "Look" as const };
    await expectCost(once(given), { read: 1, write: 1 });
    await expectCost(once(given), { read: 1 });
  });

  it("with a key, of a tool with effects: two requests to the object; its replay: one", async () => {
    const given = { key: fresh(), principal: fresh() };
    await expectCost(once(given), { object: 2, rows: 2, alarms: 1 });
    await expectCost(once({ ...given, at: "other" }), { object: 1 });
  });

  it("the same with a large result: also a write by the object; its replay: also a read", async () => {
    const given = { key: fresh(), principal: `large ${fresh()}` };
    await expectCost(once(given), { object: 2, objectWrite: 1, rows: 2, alarms: 1 });
    await expectCost(once({ ...given, at: "other" }), { object: 1, read: 1 });
  });

  it("duplicated while it runs: one request", async () => {
    const given = { key: fresh(), principal: fresh(), input: { name: fresh(), ms: 300 } };
    const both = async () => {
      const first = call(rig, given);
      await sleep(100);
      await once({ ...given, at: "other" })();
      await first;
    };
    // Two of the requests are the first call's.
    await expectCost(both, { object: 3, rows: 2, alarms: 1 });
  });

  it("repeated with the same key and another input: one request", async () => {
    const key = fresh();
    await call(rig, { principal, key });
    const conflict = async () => void (await call(rig, { principal, key, input: { name: "another", ms: 0 } }));
    await expectCost(conflict, { object: 1 });
  });

  it("that may be retried or obeyed its signal: two requests, and what is stored is deleted", async () => {
    const given = { key: fresh(), principal: fresh(), input: { name: fresh(), ms: 900, obeys: true } };
    await expectCost(async () => void (await call(rig, given)), { object: 2, rows: 2, alarms: 1 });
  });

  it("that takes over a dead runner's key: two reads, for a result that the runner may have left", async () => {
    const given = { key: fresh(), ...SOON };
    expect(await call(rig, { principal, ...given, fate: { die: "before effect" } })).toMatchObject({ is: "dropped" });
    await sleep(2_100);
    await expectCost(once(given), { object: 2, read: 2, rows: 2 });
  });

  it("with a key, without claims: a read and a write; its replay: a read", async () => {
    const given = { key: fresh(), store: "kv" as const };
    await expectCost(once(given), { read: 1, write: 1 });
    await expectCost(once(given), { read: 1 });
  });
});

/** Opens an MCP session of 2025-11-25, as a client would. */
async function session(sessions: "kv" | "objects", by = principal): Promise<Record<string, string>> {
  const begun = await handshake(new URL("/at/one/mcp", rig.url).href, { "x-principal": by });
  return { ...begun, accept: "application/json, text/event-stream", "x-sessions": sessions };
}

describe("a session's call (2025-11-25) costs what it would without one, and a check whether the session has ended", () => {
  const look = (headers: object) => ({ over: "mcp", tool: "Look", input: { name: fresh(), ms: 0 }, headers }) as Call;
  const recall = (headers: object) => ({ over: "mcp", tool: "Recall", input: {}, headers }) as Call;
  const remember = (headers: object) =>
    ({ over: "mcp", tool: "Remember", input: { key: "a", value: 1 }, headers }) as Call;

  it.each([
    [
      "kv",
      { read: 1 },
      { read: 2 },
      { read: 2, write: 1 },
      { read: 2, write: 1 },
      { object: 3, read: 1, write: 1, delete: 1 },
    ],
    [
      "objects",
      { object: 1 },
      { object: 2 },
      { object: 3, rows: 2, alarms: 1 },
      { object: 3, rows: 1 },
      { object: 5, rows: 2 },
    ],
  ] as const)("on %s", async (store, plain, read, first, write, end) => {
    const principal = fresh();
    await expectCost(() => session(store, principal), {});
    const headers = await session(store, principal);
    const act = (given: Call) => once({ principal, ...given });
    await expectCost(act(look(headers)), plain);
    await expectCost(act(recall(headers)), read);
    await expectCost(act(remember(headers)), first);
    // KV takes one write a second of each name.
    await sleep(1_100);
    await expectCost(act(remember(headers)), write);
    await sleep(1_100);
    const ended = async () => {
      const url = new URL("/at/one/mcp", rig.url);
      const response = await fetch(url, { method: "DELETE", headers: { ...headers, "x-principal": principal } });
      expect(response.status).toBe(204);
    };
    await expectCost(ended, end);
  });
});

describe("a session's long or streamed call (2025-11-25) costs, besides the check whether the session has ended", () => {
  const report = async (headers: object, ms: number, progressToken?: string) => {
    const name = fresh();
    const meta = progressToken === undefined ? {} : { _meta: { progressToken } };
    const response = await fetch(new URL("/at/one/mcp", rig.url), {
      method: "POST",
      headers: { "content-type": "application/json", "x-principal": principal, ...headers },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "Rig_Report", arguments: { name, ms }, ...meta },
      }),
    });
    const text = await response.text();
    // A long run is ended by its time limit.
    expect(text).toContain(ms === 0 ? `${name}, run 1` : "took longer than");
    return text;
  };

  it("if it takes longer than 250 ms: a request to watch for its cancellation, and one to stop watching", async () => {
    const headers = await session("kv");
    await expectCost(() => report(headers, 900), { read: 1, object: 2 });
  });

  it("as a stream: a request that stores its messages for a client that loses them", async () => {
    const headers = await session("kv");
    await expectCost(() => report(headers, 0, "t"), { read: 1, object: 1, rows: 1, alarms: 1 });
    await expectCost(() => report(headers, 900, "t"), { read: 1, object: 3, rows: 1 });
  });

  it("as a stream that is resumed: two requests", async () => {
    const headers = await session("kv");
    const [, id = ""] = /^id: (.*)$/m.exec(await report(headers, 0, "t")) ?? [];
    const again = async () => {
      const response = await fetch(new URL("/at/one/mcp", rig.url), {
        headers: { ...headers, "x-principal": principal, "last-event-id": id },
      });
      expect(await response.text()).toContain("run 1");
    };
    await expectCost(again, { read: 1, object: 2 });
  });
});
