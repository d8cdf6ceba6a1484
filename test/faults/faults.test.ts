/** One fault at a time, and what it may cost: at worst another try, never a second effect or a second result. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canonical } from "../../src/core/json.ts";
import { openRig, type Rig } from "../support/node/rig.ts";
import { call, insist, sleep } from "./caller.ts";
import type { Fate, Fault } from "./life.ts";

/** The rig's lease, with what a busy machine adds. */
const LEASE_MS = 2_000;
/** The object has handed its copy on: only KV has the result. */
const HANDED_ON_MS = 1_800;
const NEVER: Fault[] = ["refuse", "refuse", "refuse"];

let rig: Rig;
beforeAll(async () => {
  rig = await openRig();
});
afterAll(() => rig?.kill());

const fresh = () => crypto.randomUUID();
const effects = (key: string) => rig.ask<number>("/world/effects", key);
/** The name of a record in KV. */
const nameOf = (principal: string, key: string) => {
  const named = canonical([principal, undefined, "Rig.Ring", key]);
  return `call:${createHash("sha256").update(named).digest("hex")}`;
};
const ofKv = (key: string, principal = "tester") =>
  rig.ask<[string, string][]>("/world/entries", nameOf(principal, key)).then(([entry]) => entry);

describe.concurrent("the object", () => {
  it.each(["oxp", "mcp", "opentool"] as const)(
    "out of reach: %s is told to try again, and nothing runs",
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

  it("out of reach: tools without effects go on", async () => {
    const fate = { faults: { claim: NEVER, settle: NEVER } };
    expect(await call(rig, { key: fresh(), tool: "Look", fate })).toMatchObject({ is: "result" });
  });

  it("whose answer to a claim is lost: asked again under the same token", async () => {
    const key = fresh();
    const answer = await call(rig, { key, fate: { faults: { claim: ["lose", "lose"] } } });
    expect(answer).toMatchObject({ is: "result", counts: { claim: 3 } });
    expect(await effects(key)).toBe(1);
  });

  it("whose answer to settling is lost: settled again, once", async () => {
    const key = fresh();
    const answer = await call(rig, { key, fate: { faults: { settle: ["lose", "lose"] } } });
    expect(answer).toMatchObject({ is: "result", counts: { settle: 3 } });
    expect(await insist(rig, { key, at: "other" })).toMatchObject({ value: `${key}, run 1` });
    expect(await effects(key)).toBe(1);
  });

  it("not told of a result: whoever takes the key over finds it in KV", async () => {
    const key = fresh();
    expect(await call(rig, { key, fate: { faults: { settle: NEVER } } })).toMatchObject({ is: "result" });
    expect(await call(rig, { key, at: "other" })).toMatchObject({ is: "again" });
    expect((await insist(rig, { key, at: "other" })).value).toBe(`${key}, run 1`);
    expect(await effects(key)).toBe(1);
  });

  it("not told of a result, and then its answer to the claim that takes over is lost", async () => {
    const key = fresh();
    await call(rig, { key, fate: { faults: { settle: NEVER } } });
    await sleep(LEASE_MS + 100);
    expect(await call(rig, { key, at: "other", fate: { faults: { claim: ["lose"] } } })).toMatchObject({
      is: "result",
      value: `${key}, run 1`,
    });
    expect(await effects(key)).toBe(1);
  });

  it("not told of a result, and KV is away when the key is taken over: tried again, not run again", async () => {
    const key = fresh();
    await call(rig, { key, fate: { faults: { settle: NEVER } } });
    await sleep(LEASE_MS + 100);
    expect(await call(rig, { key, fate: { faults: { get: ["refuse"] } } })).toMatchObject({
      is: "again",
      afterMs: 1_000,
    });
    expect(await call(rig, { key, at: "other" })).toMatchObject({ is: "result", value: `${key}, run 1` });
    expect(await effects(key)).toBe(1);
  });

  it("restarted while duplicates wait: they get the result", async () => {
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

  it("is told of a result that is long in bytes", async () => {
    const key = fresh();
    const input = { name: key, ms: 0, long: 800_000 };
    const first = await call(rig, { key, input });
    expect(first).toMatchObject({ is: "result", counts: { settle: 1 } });
    const second = await call(rig, { key, input, at: "other" });
    expect(second).toMatchObject({ is: "result", value: (first as { value: string }).value });
  });
});

describe.concurrent("a runner that is late", () => {
  it("cannot overwrite, and its caller gets the winner's result", async () => {
    const key = fresh();
    const late = call(rig, { key, fate: { faults: { settle: ["slow 3000"] } } });
    await sleep(100);
    expect((await insist(rig, { key, at: "other" })).value).toBe(`${key}, run 2`);
    expect(await late).toMatchObject({ is: "result", value: `${key}, run 2` });
    expect((await insist(rig, { key })).value).toBe(`${key}, run 2`);
  });

  it("cannot overwrite where the winner's result cannot be read just then", async () => {
    const key = fresh();
    const faults: Record<string, Fault[]> = { settle: ["slow 5000"], get: ["refuse", "refuse", "refuse"] };
    const late = call(rig, { key, fate: { faults } });
    await sleep(100);
    const { value } = await insist(rig, { key, at: "other" });
    expect(value).toBe(`${key}, run 2`);
    const answer = await late;
    if (answer.is === "result") expect(answer.value).toBe(value);
    else expect(answer.is).toBe("again");
    expect((await insist(rig, { key })).value).toBe(value);
  });

  it("that cannot tell the object does not overwrite in KV either", async () => {
    const key = fresh();
    const late = call(rig, { key, fate: { faults: { settle: NEVER, put: ["slow 4500"] } } });
    await sleep(100);
    const { value } = await insist(rig, { key, at: "other" });
    expect(value).toBe(`${key}, run 2`);
    await late;
    expect((await insist(rig, { key })).value).toBe(value);
    expect((await insist(rig, { key, at: "other" })).value).toBe(value);
  });
});

describe.concurrent("a runner that dies", () => {
  it("leaves its key to nobody who brings another secret, though it is free to be taken over", async () => {
    const key = fresh();
    const bring = async (value: string, fate: Fate = {}) => {
      const context = { secrets: [{ id: "RIG_KEY", value }] };
      const request = { tool_id: "Rig.Guarded", call_id: key, input: { name: key, ms: 0 }, context };
      const headers = { "content-type": "application/json", "x-fate": JSON.stringify(fate), "x-principal": "tester" };
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
  it("that ends after its time limit: the next with its key gets what it came to", async () => {
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

  it("whose caller goes away runs on, and the next caller gets its result", async () => {
    const key = fresh();
    const input = { name: key, ms: 400 };
    await expect(call(rig, { key, input, signal: AbortSignal.timeout(150) })).rejects.toThrow();
    expect((await insist(rig, { key, input, at: "other" })).value).toBe(`${key}, run 1`);
    expect(await effects(key)).toBe(1);
  });

  it("whose runner dies, and all who waited go away: the next caller waits for one lease, not for one of each", async () => {
    const key = fresh();
    const started = performance.now();
    const input = { name: key, ms: 0 };
    const dead = call(rig, { key, input, fate: { die: "before effect" } });
    await sleep(50);
    // Each is asked to wait for the tool's limit, and is gone before the lease is over.
    await sleep(LEASE_MS - 400);
    const gone = Array.from({ length: 5 }, () => call(rig, { key, input, signal: AbortSignal.timeout(200) }));
    await Promise.allSettled([dead, ...gone]);
    expect((await insist(rig, { key, input, at: "other" })).value).toBe(`${key}, run 1`);
    expect(performance.now() - started).toBeLessThan(1.75 * LEASE_MS);
  });

  it("whose waiting duplicates go away is none the wiser", async () => {
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
  it("with a record that is corrupt: try again, not run again", async () => {
    const key = fresh();
    await insist(rig, { key });
    await sleep(HANDED_ON_MS);
    const [name = ""] = (await ofKv(key)) ?? [];
    expect((await insist(rig, { key })).value).toBe(`${key}, run 1`);
    for (const text of ["", "{", "null", "[]", '{"fingerprint":1}', '{"fingerprint":"another","sealed":"AAAA"}']) {
      await rig.ask("/world/put", "one", name, text, 60_000);
      expect(await call(rig, { key }), text).toMatchObject({ is: "again" });
    }
    expect(await effects(key)).toBe(1);
  });

  it("down: the object alone serves every duplicate, and hands its copies on when KV is back", async () => {
    const [key, principal] = [fresh(), fresh()];
    await rig.ask("/world/set", { down: "" });
    expect(await call(rig, { key, principal })).toMatchObject({ is: "result" });
    await sleep(HANDED_ON_MS);
    expect(await call(rig, { key, principal, at: "other" })).toMatchObject({ is: "result", value: `${key}, run 1` });
    await rig.ask("/world/set", {});
    expect((await insist(rig, { key, principal, at: "other" })).value).toBe(`${key}, run 1`);
    expect(await effects(key)).toBe(1);
  });

  it("that refuses one record lets all others through", async () => {
    const principal = fresh();
    const keys = Array.from({ length: 24 }, fresh);
    await rig.ask("/world/set", { down: nameOf(principal, keys[0] ?? "") });
    for (const key of keys) await insist(rig, { key, principal });
    const copies = async () =>
      (await rig.ask<number[]>(`/claims/copies?principal=${principal}`)).filter((count) => count > 0);
    await sleep(HANDED_ON_MS + 1_000);
    expect(await copies()).toEqual([1]);
    await rig.ask("/world/set", {});
    await sleep(1_500);
    expect(await copies()).toEqual([]);
  });

  it("that refuses a result which is too long for the object: its duplicates are told that it ran, and do not run", async () => {
    const [key, principal] = [fresh(), fresh()];
    const given = { key, principal, input: { name: key, ms: 0, long: 800_000 } };
    await rig.ask("/world/set", { down: nameOf(principal, key) });
    expect(await call(rig, given)).toMatchObject({ is: "result" });
    for (const over of ["oxp", "mcp", "opentool"] as const) {
      const answer = await call(rig, { ...given, over, at: "other" });
      expect(answer).toMatchObject({ is: "wrong", text: expect.stringContaining("has run already") });
    }
    await rig.ask("/world/set", {});
    // KV has what the object handed on by now.
    await sleep(HANDED_ON_MS);
    expect(await ofKv(key, principal)).toBeDefined();
    expect(await call(rig, given)).toMatchObject({ is: "wrong", text: expect.stringContaining("has run already") });
    expect(await effects(key)).toBe(1);
  });

  it("that takes its time over a key's last result does not lose the next one", async () => {
    const key = fresh();
    const given = { key, ttlSeconds: 2, principal: fresh() };
    await rig.ask("/world/set", { slowMs: 2_500 });
    expect(await call(rig, given)).toMatchObject({ value: `${key}, run 1` });
    await sleep(2_100);
    expect(await call(rig, given)).toMatchObject({ value: `${key}, run 2` });
    await sleep(1_000);
    expect(await call(rig, given)).toMatchObject({ value: `${key}, run 2` });
    await rig.ask("/world/set", {});
  });

  it("gone before the object's copy is: nothing of a key is left after its time", async () => {
    const [key, principal] = [fresh(), fresh()];
    await insist(rig, { key, principal, ttlSeconds: 2 });
    await call(rig, { key: fresh(), principal, ttlSeconds: 1, fate: { faults: { settle: NEVER } } });
    await sleep(4_500);
    expect(await rig.ask(`/claims/rows?principal=${principal}`)).toEqual([0, 0, 0, 0]);
    expect(await ofKv(key, principal)).toBeUndefined();
  });
});
