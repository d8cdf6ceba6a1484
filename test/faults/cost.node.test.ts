/** What a call costs in storage: each request to an object, and each operation of KV, on every path. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../support/node/fork.ts";
import { handshake } from "../support/node/http.ts";
import { openRig, type Rig } from "../support/node/rig.ts";
import { type Call, call, SOON, sleep } from "./caller.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig?.kill());

const fresh = () => crypto.randomUUID();

interface Cost {
  /** Requests of the Worker to an object. */
  readonly object?: number;
  /** Operations of the Worker on KV. */
  readonly read?: number;
  readonly write?: number;
  readonly delete?: number;
  /** Operations of the object on KV. */
  readonly objectWrite?: number;
}

const NAMES = {
  object: ["object"],
  read: ["get one", "get other"],
  write: ["put one", "put other"],
  delete: ["delete one", "delete other"],
  objectWrite: ["put object"],
} as const;
/** For as long as this nothing more may come once all has: a request of too much is not far behind the others. */
const QUIET_MS = 250;

/** Passes when the action has cost so much, however long that took to show, and no more comes. */
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

/** As a rule, of a principal whose object keeps its copies for longer than a test lasts. */
const principal = "patient";
const once = (given: Call) => async () =>
  expect(await call(rig, { principal, ...given })).toMatchObject({ is: "result" });

describe("a call (design, Cost of a call)", () => {
  it.each(["oxp", "mcp", "opentool"] as const)("without a key, over %s: nothing", async (over) => {
    // OXP makes up a call_id where there is none, and no key of it.
    await expectCost(once({ over, input: { name: fresh(), ms: 0 } }), {});
  });

  it("keyed, of a tool without effects: a read and a write; its replay a read", async () => {
    const given = { key: fresh(), tool: "Look" as const };
    await expectCost(once(given), { read: 1, write: 1 });
    await expectCost(once(given), { read: 1 });
  });

  it("keyed, of a tool with effects: two requests to the object, and a write by it", async () => {
    await expectCost(once({ key: fresh() }), { object: 2, objectWrite: 1 });
  });

  it("its replay while the object has its copy: one request; later one, and a read", async () => {
    const kept = { key: fresh() };
    await call(rig, { principal, ...kept });
    await expectCost(once({ ...kept, at: "other" }), { object: 1 });
    const given = { key: fresh(), principal: fresh() };
    await call(rig, given);
    const copies = () => rig.ask<number[]>(`/claims/copies?principal=${given.principal}`);
    await until(async () => (await copies()).every((count) => count === 0));
    await expectCost(once({ ...given, at: "other" }), { object: 1, read: 1 });
  });

  it("handing its copy on: a second write by the object", async () => {
    const given = { key: fresh(), principal: fresh() };
    await expectCost(once(given), { object: 2, objectWrite: 2 });
  });

  it("a duplicate while it runs: one request", async () => {
    const given = { key: fresh(), input: { name: fresh(), ms: 300 } };
    const both = async () => {
      const first = call(rig, { principal, ...given });
      await sleep(100);
      await once({ ...given, at: "other" })();
      await first;
    };
    // Two of them are the first call's.
    await expectCost(both, { object: 3, objectWrite: 1 });
  });

  it("with its key and another input: one request", async () => {
    const key = fresh();
    await call(rig, { principal, key });
    const conflict = async () => void (await call(rig, { principal, key, input: { name: "another", ms: 0 } }));
    await expectCost(conflict, { object: 1 });
  });

  it("that may be tried again, or obeyed its signal: two requests, and nothing is kept", async () => {
    const given = { key: fresh(), input: { name: fresh(), ms: 900, obeys: true } };
    await expectCost(async () => void (await call(rig, { principal, ...given })), { object: 2 });
  });

  it("that takes a dead runner's key over: two reads, for what that one may have left", async () => {
    const given = { key: fresh(), ...SOON };
    expect(await call(rig, { principal, ...given, fate: { die: "before effect" } })).toMatchObject({ is: "dropped" });
    await sleep(2_100);
    await expectCost(once(given), { object: 2, read: 2, objectWrite: 1 });
  });

  it("without claims, keyed: a read and a write; its replay a read", async () => {
    const given = { key: fresh(), ledger: "kv" as const };
    await expectCost(once(given), { read: 1, write: 1 });
    await expectCost(once(given), { read: 1 });
  });
});

/** An MCP session of 2025-11-25, as a client has one. */
async function session(sessions: "kv" | "objects"): Promise<Record<string, string>> {
  const begun = await handshake(new URL("/at/one/mcp", rig.url).href, { "x-principal": principal });
  return { ...begun, accept: "application/json, text/event-stream", "x-sessions": sessions };
}

describe("a session's call (2025-11-25): beside its own cost, it asks whether the session has ended", () => {
  const look = (headers: object) => ({ over: "mcp", tool: "Look", input: { name: fresh(), ms: 0 }, headers }) as Call;
  const recall = (headers: object) => ({ over: "mcp", tool: "Recall", input: {}, headers }) as Call;
  const remember = (headers: object) =>
    ({ over: "mcp", tool: "Remember", input: { key: "a", value: 1 }, headers }) as Call;

  it.each([
    ["kv", { read: 1 }, { read: 2 }, { read: 3, write: 1 }, { object: 3, read: 1, write: 1, delete: 1 }],
    ["objects", { object: 1 }, { object: 2 }, { object: 3 }, { object: 5 }],
  ] as const)("on %s", async (store, plain, read, write, end) => {
    await expectCost(() => session(store), {});
    const headers = await session(store);
    await expectCost(once(look(headers)), plain);
    await expectCost(once(recall(headers)), read);
    await expectCost(once(remember(headers)), write);
    await sleep(1_100);
    const ended = async () => {
      const url = new URL("/at/one/mcp", rig.url);
      const response = await fetch(url, { method: "DELETE", headers: { ...headers, "x-principal": principal } });
      expect(response.status).toBe(204);
    };
    await expectCost(ended, end);
  });
});

describe("a session's call that lasts or streams (2025-11-25), beside asking whether the session has ended", () => {
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
    // One that lasts is ended by its time limit.
    expect(text).toContain(ms === 0 ? `${name}, run 1` : "took longer than");
    return text;
  };

  it("for longer than 250 ms: a request to watch for word of it, and one to watch no more", async () => {
    const headers = await session("kv");
    await expectCost(() => report(headers, 900), { read: 1, object: 2 });
  });

  it("as a stream: a request that leaves its messages, for a client that lost them", async () => {
    const headers = await session("kv");
    await expectCost(() => report(headers, 0, "t"), { read: 1, object: 1 });
    await expectCost(() => report(headers, 900, "t"), { read: 1, object: 3 });
  });

  it("as a stream that is picked up again: two requests", async () => {
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
