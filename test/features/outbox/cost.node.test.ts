/** What an event costs: rows that the outbox writes and reads, and alarms that it sets (docs/webhooks.md, Costs). */
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../support/node/fork.ts";
import { postJson } from "../../support/node/http.ts";
import { MINUTE_MS, principal, type ServedOutbox, serveOutbox } from "../../support/node/outbox.ts";
import { type Receiver, startReceiver } from "../../support/node/receiver.ts";

interface Counts {
  readonly written: number;
  readonly read: number;
  readonly alarms: number;
}

const SECRET = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
/** How long nothing more may be written: a superfluous row would follow closely. */
const QUIET_MS = 250;

let receiver: Receiver;
let served: ServedOutbox;
beforeAll(async () => {
  receiver = await startReceiver();
  // No attempt is repeated, and no alarm rings, while a test runs.
  const vars = { OUTBOX_MINUTE_MS: "60000" };
  served = await serveOutbox({ hosts: [receiver.host], main: "test/features/outbox/counted/index.ts", vars });
});
afterAll(async () => {
  await served?.stop();
  await receiver?.stop();
});

const look = async (of: string) =>
  (await (await fetch(`${served.url}/counts?of=${encodeURIComponent(of)}`)).json()) as Counts;

/** What an outbox has written when all of an action has come to an end. What went before it has ended, too. */
async function costOf(of: string, action: () => Promise<unknown>): Promise<Counts> {
  await untilQuiet(of);
  await action();
  return untilQuiet(of);
}

/** What an outbox has written since the last look, until it writes no more. */
async function untilQuiet(of: string): Promise<Counts> {
  let sum: Counts = { written: 0, read: 0, alarms: 0 };
  await until(async () => {
    await new Promise((resume) => setTimeout(resume, QUIET_MS));
    const { written, read, alarms } = await look(of);
    sum = { written: sum.written + written, read: sum.read + read, alarms: sum.alarms + alarms };
    return written + read + alarms === 0;
  });
  return sum;
}

/** Emits that many events at once, in one request. */
async function emitMany(of: { readonly url: string }, id: string, count: number): Promise<void> {
  const body = JSON.stringify([id, { name: "notes.changed", data: {} }]);
  const response = await fetch(`${of.url}/probe/emit?times=${count}`, { method: "POST", body });
  expect(await response.json()).toEqual({ result: expect.any(String) });
}

let callers = 0;

/** A caller with some receivers, whose outbox has had an event. */
async function regular(receivers: number) {
  const name = `cost${++callers}`;
  const who = principal(name);
  const paths = Array.from({ length: receivers }, (_, at) => `/${name}-${at}`);
  for (const path of paths) {
    const wanted = { url: receiver.url(path), name: "notes.changed", args: {}, secret: SECRET };
    await served.outbox.subscribe(who, { ...wanted, ttlMs: null, cursor: null });
  }
  const emit = () => served.outbox.emit(who.id, { name: "notes.changed", data: {} });
  await emit();
  await Promise.all(paths.map((path) => receiver.wait(path, 1)));
  return { emit, paths, id: who.id };
}

it("an event that nobody subscribes to: one row", async () => {
  const { emit, id } = await regular(0);
  expect(await costOf(id, emit)).toMatchObject({ written: 1, alarms: 0 });
});

it.each([1, 3])("an event with %i receivers: a row, and three for each", async (receivers) => {
  const { emit, id } = await regular(receivers);
  const { written, read, alarms } = await costOf(id, emit);
  expect({ written, alarms }).toEqual({ written: 1 + 3 * receivers, alarms: 0 });
  expect(read).toBeLessThan(15 + 25 * receivers);
});

it("events in a row: fewer, because the state of a receiver is not written for each", async () => {
  const { paths, id } = await regular(1);
  const cost = await costOf(id, async () => {
    await emitMany(served, id, 100);
    await receiver.wait(paths[0] ?? "", 101);
  });
  expect(cost.written).toBeGreaterThanOrEqual(300);
  expect(cost.written).toBeLessThanOrEqual(400);
  expect(cost.read).toBeLessThan(100 * 40);
  expect(cost.alarms).toBe(0);
});

it("an attempt that fails: three rows", async () => {
  const { emit, paths, id } = await regular(1);
  receiver.on(paths[0] ?? "", "fail");
  // The state of the receiver, the delivery, and its place among the retries.
  expect(await costOf(id, emit)).toMatchObject({ written: 2 + 3, alarms: 0 });
});

it("events in a row that their receiver refuses for good: four each, its state now and then", async () => {
  const { paths, id } = await regular(1);
  receiver.on(paths[0] ?? "", { status: 413 });
  const cost = await costOf(id, async () => {
    await emitMany(served, id, 100);
    await receiver.wait(paths[0] ?? "", 101);
  });
  expect(cost.written).toBeGreaterThanOrEqual(400);
  expect(cost.written).toBeLessThanOrEqual(430);
});

it("a callback of a call: five rows", async () => {
  const call = () =>
    postJson(`${served.url}/tools/call`, {
      request: { tool_id: "Jobs.Do", input: {}, context: { callback: { url: receiver.url("/cost-callback") } } },
    });
  await call();
  await receiver.wait("/cost-callback", 1);
  const cost = await costOf("anonymous", call);
  expect(cost).toMatchObject({ written: 5, alarms: 0 });
});

it("a call without a callback: nothing", async () => {
  const call = () => postJson(`${served.url}/tools/call`, { request: { tool_id: "Jobs.Do", input: {} } });
  expect(await costOf("anonymous", call)).toEqual({ written: 0, read: 0, alarms: 0 });
});

it("more events at once than an invocation may send: the next invocation follows at once", async () => {
  const who = principal("many");
  const event = { name: "notes.changed", args: {} };
  const { cursor } = await served.outbox.read(who.id, event, { cursor: null, limit: 1 });
  for (let at = 0; at < 6; at++) await emitMany(served, who.id, 100);
  const wanted = { url: receiver.url("/many"), ...event, secret: SECRET };
  await served.outbox.subscribe(who, { ...wanted, ttlMs: null, cursor });
  const times = (await receiver.wait("/many", 600)).map(({ at }) => at);
  const longest = Math.max(...times.map((at, index) => at - (times[index - 1] ?? at)));
  // The alarm that looks whether something was forgotten comes after 20 seconds and more.
  expect(longest).toBeLessThan(15_000);
});

it("attempts that are repeated do not read all that is kept", async () => {
  const kept = 300;
  const swift = await served.also({ OUTBOX_MINUTE_MS: String(MINUTE_MS) });
  try {
    const who = principal("keeper");
    const emit = () => swift.outbox.emit(who.id, { name: "notes.changed", data: {} });
    await emitMany(swift, who.id, kept);
    const wanted = { url: receiver.url("/keeper"), name: "notes.changed", args: {}, secret: SECRET };
    await swift.outbox.subscribe(who, { ...wanted, ttlMs: null, cursor: null });
    receiver.on("/keeper", "fail", "fail", "fail", "fail", "fail", "ok");
    await (await fetch(`${swift.url}/counts`)).text();
    await emit();
    await receiver.wait("/keeper", 6);
    const { read } = (await (await fetch(`${swift.url}/counts`)).json()) as Counts;
    // Once a minute, they are all read to find what has expired.
    expect(read).toBeLessThan(4 * kept);
  } finally {
    await swift.stop();
  }
});
