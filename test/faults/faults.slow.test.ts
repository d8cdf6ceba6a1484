/** One fault at a time. The worst that may happen is a retry, never a second effect or a different result. */

import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canonical } from "../../src/core/lib/json.ts";
import { until } from "../support/node/fork.ts";
import { openRig, type Rig } from "../support/node/rig.ts";
import { call, insist, SOON } from "./caller.ts";
import type { Fate, Fault } from "./life.ts";

/** The rig's lease for a run with {@link SOON}. */
const LEASE_MS = 2_000;
const NEVER: Fault[] = ["refuse", "refuse", "refuse"];

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig?.kill());

const fresh = () => crypto.randomUUID();
const effects = (key: string) => rig.ask<number>("/world/effects", key);
/** The rig's signing key. */
const SIGNING_KEY = new Uint8Array(32);
/** The name of a key's record in KV. */
const nameOf = (principal: string, key: string) => {
  const named = canonical(["idempotency key", principal, undefined, "Rig.Ring", key]);
  return `call:${createHmac("sha256", SIGNING_KEY).update(named).digest("hex")}`;
};
const ofKv = (key: string, principal = "tester") =>
  rig.ask<[string, string][]>("/world/entries", nameOf(principal, key)).then(([entry]) => entry);

const rowsOf = (principal: string) => rig.ask<number[]>(`/claims/rows?principal=${principal}`);
/** How many results the principal's objects keep themselves. */
const resultsOf = async (principal: string) =>
  (await rig.ask<number[]>(`/claims/results?principal=${principal}`)).reduce((sum, count) => sum + count, 0);
/** A principal whose results all count as large. */
const large = () => `large ${fresh()}`;
const began = (key: string) => until(async () => (await effects(key)) === 1);

describe.concurrent("the object that holds the claims", () => {
  it.each(["oxp", "mcp", "opentool"] as const)(
    "is out of reach: %s answers that the call may be retried, and nothing runs",
    async (over) => {
      const key = fresh();
      expect(await call(rig, { key, over, fate: { faults: { claim: NEVER } } })).toMatchObject({
        is: "again",
        afterMs: 1_000,
      });
      expect(await effects(key)).toBe(0);
      expect(await call(rig, { key, over })).toMatchObject({ is: "result" });
      expect(await effects(key)).toBe(1);
    },
  );

  it("is out of reach: tools without effects still run", async () => {
    const fate = { faults: { claim: NEVER, settle: NEVER } };
    expect(await call(rig, { key: fresh(), tool: "Look", fate })).toMatchObject({ is: "result" });
  });

  it("loses its answer to a claim: the claim is repeated with the same token", async () => {
    const key = fresh();
    const answer = await call(rig, { key, fate: { faults: { claim: ["lose", "lose"] } } });
    expect(answer).toMatchObject({ is: "result", counts: { claim: 3 } });
    expect(await effects(key)).toBe(1);
  });

  it("loses its answer to settling: the call is settled again, once", async () => {
    const key = fresh();
    const answer = await call(rig, { key, fate: { faults: { settle: ["lose", "lose"] } } });
    expect(answer).toMatchObject({ is: "result", counts: { settle: 3 } });
    expect(await insist(rig, { key, at: "other" })).toMatchObject({ value: `${key}, run 1` });
    expect(await effects(key)).toBe(1);
  });

  it("never receives a result: the caller that takes over the key finds it in KV", async () => {
    const key = fresh();
    expect(await call(rig, { key, ...SOON, fate: { faults: { settle: NEVER } } })).toMatchObject({ is: "result" });
    expect((await insist(rig, { key, at: "other" })).value).toBe(`${key}, run 1`);
    expect(await effects(key)).toBe(1);
  });

  it("never receives a result, and then loses its answer to the claim that takes over", async () => {
    const key = fresh();
    await call(rig, { key, ...SOON, fate: { faults: { settle: NEVER } } });
    await sleep(LEASE_MS + 100);
    expect(await call(rig, { key, at: "other", fate: { faults: { claim: ["lose"] } } })).toMatchObject({
      is: "result",
      value: `${key}, run 1`,
    });
    expect(await effects(key)).toBe(1);
  });

  it("never receives a result, and KV fails when the key is taken over: the caller may retry, and nothing runs again", async () => {
    const key = fresh();
    await call(rig, { key, ...SOON, fate: { faults: { settle: NEVER } } });
    await sleep(LEASE_MS + 100);
    expect(await call(rig, { key, fate: { faults: { get: ["refuse"] } } })).toMatchObject({
      is: "again",
      afterMs: 1_000,
    });
    expect(await call(rig, { key, at: "other" })).toMatchObject({ is: "result", value: `${key}, run 1` });
    expect(await effects(key)).toBe(1);
  });

  it("restarts while duplicates wait: they get the result", async () => {
    const [key, principal] = [fresh(), fresh()];
    const input = { name: key, ms: 300 };
    const places = ["one", "other"] as const;
    const callers = Array.from({ length: 20 }, (_, i) =>
      insist(rig, { key, principal, input, at: places[i % 2] ?? "one" }),
    );
    await sleep(150);
    await rig.ask(`/claims/restart?principal=${principal}`);
    const values = (await Promise.all(callers)).map(({ value }) => value);
    expect(new Set(values)).toEqual(new Set([`${key}, run 1`]));
    expect(await effects(key)).toBe(1);
  });

  it("receives a result of many bytes", async () => {
    const key = fresh();
    const input = { name: key, ms: 0, long: 800_000 };
    const first = await call(rig, { key, input });
    expect(first).toMatchObject({ is: "result", counts: { settle: 1 } });
    const second = await call(rig, { key, input, at: "other" });
    expect(second).toMatchObject({ is: "result", value: (first as { value: string }).value });
  });
});

describe.concurrent("a runner that outlives its lease", () => {
  it("cannot overwrite, and its caller gets the winner's result", async () => {
    const key = fresh();
    const late = call(rig, { key, ...SOON, fate: { hold: key, faults: { settle: ["held"] } } });
    await began(key);
    expect((await insist(rig, { key, at: "other" })).value).toBe(`${key}, run 2`);
    await rig.ask("/world/release", key);
    expect(await late).toMatchObject({ is: "result", value: `${key}, run 2` });
    expect((await insist(rig, { key })).value).toBe(`${key}, run 2`);
  });

  it("cannot overwrite, even if the winner's result cannot be read at the moment", async () => {
    const key = fresh();
    const faults: Record<string, Fault[]> = { settle: ["held"], get: ["refuse", "refuse", "refuse"] };
    const late = call(rig, { key, ...SOON, fate: { hold: key, faults } });
    await began(key);
    const { value } = await insist(rig, { key, at: "other" });
    expect(value).toBe(`${key}, run 2`);
    await rig.ask("/world/release", key);
    const answer = await late;
    if (answer.is === "result") expect(answer.value).toBe(value);
    else expect(answer.is).toBe("again");
    expect((await insist(rig, { key })).value).toBe(value);
  });

  it("does not overwrite in KV either if it cannot reach the object", async () => {
    const key = fresh();
    const late = call(rig, { key, ...SOON, fate: { hold: key, faults: { settle: NEVER, put: ["held"] } } });
    await began(key);
    const { value } = await insist(rig, { key, at: "other" });
    expect(value).toBe(`${key}, run 2`);
    await rig.ask("/world/release", key);
    await late;
    expect((await insist(rig, { key })).value).toBe(value);
    expect((await insist(rig, { key, at: "other" })).value).toBe(value);
  });
});

describe.concurrent("a runner that dies", () => {
  it("leaves a key that only a caller with the same secret can take over", async () => {
    const key = fresh();
    const bring = async (value: string, fate: Fate = {}) => {
      const context = { secrets: [{ id: "RIG_KEY", value }] };
      const request = { tool_id: "Rig.Guarded", call_id: key, input: { name: key, ms: 0 }, context };
      const headers = {
        "content-type": "application/json",
        "x-fate": JSON.stringify(fate),
        "x-principal": "tester",
        "x-margin": `${SOON.marginMs}`,
      };
      const init = { method: "POST", headers, body: JSON.stringify({ request }) };
      const response = await fetch(new URL("/at/one/tools/call", rig.url), init);
      return { status: response.status, text: await response.text() };
    };
    expect((await bring("ada's", { die: "before effect" })).status).toBe(599);
    await sleep(LEASE_MS + 100);
    expect(await bring("bob's")).toMatchObject({ status: 400, text: expect.stringContaining("already used") });
    expect(await effects(key)).toBe(0);
    expect((await bring("ada's")).text).toContain(`${key}, run 1`);
    expect((await bring("bob's")).status).toBe(400);
    expect(await effects(key)).toBe(1);
  });
});

describe.concurrent("a tool", () => {
  it("that ends after its time limit: the next call with the key gets its result", async () => {
    const key = fresh();
    const input = { name: key, ms: 1_000 };
    expect(await call(rig, { key, input })).toMatchObject({ is: "again", why: /too long/ });
    expect(await insist(rig, { key, input, at: "other" })).toMatchObject({ value: `${key}, run 1` });
    expect(await effects(key)).toBe(1);
  });

  it("that obeys its signal: its key is free at once", async () => {
    const key = fresh();
    const input = { name: key, ms: 1_500, obeys: true };
    expect(await call(rig, { key, input })).toMatchObject({ is: "again", why: /too long/ });
    expect(await call(rig, { key, input, at: "other" })).toMatchObject({ is: "again", why: /too long/ });
    expect(await effects(key)).toBe(0);
  });

  it("whose caller disconnects runs on, and the next caller gets its result", async () => {
    const key = fresh();
    const input = { name: key, ms: 400 };
    await expect(call(rig, { key, input, signal: AbortSignal.timeout(150) })).rejects.toThrow();
    expect((await insist(rig, { key, input, at: "other" })).value).toBe(`${key}, run 1`);
    expect(await effects(key)).toBe(1);
  });

  it("whose runner dies and whose waiting callers disconnect: the next caller waits for one lease, not for one of each", async () => {
    const [key, principal] = [fresh(), fresh()];
    const given = { key, principal, input: { name: key, ms: 0 }, ...SOON };
    const dead = call(rig, { ...given, fate: { die: "before effect" } });
    await until(async () => (await rowsOf(principal)).includes(1));
    // Each would wait for the tool's limit, and disconnects before the lease is over.
    await sleep(LEASE_MS - 400);
    const gone = Array.from({ length: 5 }, () => call(rig, { ...given, signal: AbortSignal.timeout(200) }));
    await Promise.allSettled([dead, ...gone]);
    expect((await insist(rig, { ...given, at: "other" })).value).toBe(`${key}, run 1`);
    // The dead runner's lease and the next caller's: none for a caller that disconnected.
    const granted = await rig.ask<number[]>(`/claims/granted?principal=${principal}`);
    expect(Math.max(...granted)).toBeLessThanOrEqual(2);
  });

  it("is not affected if waiting duplicates disconnect", async () => {
    const key = fresh();
    const input = { name: key, ms: 400 };
    const first = call(rig, { key, input });
    await sleep(50);
    const gone = Array.from({ length: 5 }, () => call(rig, { key, input, signal: AbortSignal.timeout(100) }));
    expect((await Promise.allSettled(gone)).every(({ status }) => status === "rejected")).toBe(true);
    expect(await first).toMatchObject({ is: "result" });
    expect((await insist(rig, { key, input, at: "other" })).value).toBe(`${key}, run 1`);
    expect(await effects(key)).toBe(1);
  });
});

describe("KV", () => {
  it("has a corrupt record: callers may retry, and nothing runs again", async () => {
    const [key, principal] = [fresh(), large()];
    await insist(rig, { key, principal });
    expect(await resultsOf(principal)).toBe(0);
    const [name = ""] = (await ofKv(key, principal)) ?? [];
    expect((await insist(rig, { key, principal })).value).toBe(`${key}, run 1`);
    for (const text of ["", "{", "null", "[]", '{"fingerprint":1}', '{"fingerprint":"another","sealed":"AAAA"}']) {
      await rig.ask("/world/put", "one", name, text, 60_000);
      expect(await call(rig, { key, principal }), text).toMatchObject({ is: "again" });
    }
    expect(await effects(key)).toBe(1);
  });

  it.each([fresh, large])("is down: the object has every result, and serves every duplicate", async (named) => {
    const [key, principal] = [fresh(), named()];
    await rig.ask("/world/set", { down: "" });
    expect(await call(rig, { key, principal })).toMatchObject({ is: "result" });
    expect(await call(rig, { key, principal, at: "other" })).toMatchObject({ is: "result", value: `${key}, run 1` });
    await rig.ask("/world/set", {});
    expect((await insist(rig, { key, principal, at: "other" })).value).toBe(`${key}, run 1`);
    expect(await effects(key)).toBe(1);
  });

  it("refuses one large result, which the object keeps: all others get through", async () => {
    const principal = large();
    const keys = Array.from({ length: 24 }, fresh);
    await rig.ask("/world/set", { down: nameOf(principal, keys[0] ?? "") });
    for (const key of keys) await insist(rig, { key, principal });
    expect(await resultsOf(principal)).toBe(1);
    await rig.ask("/world/set", {});
  });

  it("refuses a result that is too long for the object: duplicates get an error that the call has run, and do not run", async () => {
    const [key, principal] = [fresh(), fresh()];
    const given = { key, principal, input: { name: key, ms: 0, long: 800_000 } };
    await rig.ask("/world/set", { down: nameOf(principal, key) });
    expect(await call(rig, given)).toMatchObject({ is: "result" });
    for (const over of ["oxp", "mcp", "opentool"] as const) {
      const answer = await call(rig, { ...given, over, at: "other" });
      expect(answer).toMatchObject({ is: "wrong", text: expect.stringContaining("has already run") });
    }
    await rig.ask("/world/set", {});
    expect(await call(rig, given)).toMatchObject({ is: "wrong", text: expect.stringContaining("has already run") });
    expect(await effects(key)).toBe(1);
  });

  it("is slow to write a key's previous result: the next result is not lost", async () => {
    const key = fresh();
    const given = { key, principal: large() };
    await rig.ask("/world/set", { slowMs: 2_500 });
    expect(await call(rig, { ...given, ttlSeconds: 2 })).toMatchObject({ value: `${key}, run 1` });
    await sleep(2_100);
    expect(await call(rig, given)).toMatchObject({ value: `${key}, run 2` });
    await sleep(1_000);
    expect(await call(rig, given)).toMatchObject({ value: `${key}, run 2` });
    await rig.ask("/world/set", {});
  });

  it("forgets a record as the object does: nothing of a key is left after its time to live", async () => {
    const [key, principal] = [fresh(), large()];
    await insist(rig, { key, principal, ttlSeconds: 2 });
    await call(rig, { key: fresh(), principal, ttlSeconds: 1, ...SOON, fate: { faults: { settle: NEVER } } });
    await until(async () => String(await rowsOf(principal)) === "0,0,0,0");
    await until(async () => (await ofKv(key, principal)) === undefined);
  });
});
