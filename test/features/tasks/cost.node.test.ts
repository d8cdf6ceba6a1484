/** What each path of a task costs: requests to its ledger, the rows that the ledger writes, and steps of the workflow. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Fork,
  makeFork,
  type Served,
  serveBuilt,
  testSettings,
  until,
  withVars,
} from "../../support/node/fork.ts";
import { TASKS as FOLLOWS_TASKS, modern, WORKFLOW } from "../../support/node/long.ts";

/** How often each thing was done, by name. */
type Counts = Record<string, number>;

let fork: Fork;
let served: Served;
beforeAll(async () => {
  fork = makeFork("test/features/tasks/tools");
  const counted = readFileSync(resolve(import.meta.dirname, "counted/index.ts"), "utf8");
  fork.write("src/counted/index.ts", counted.replaceAll(/(\.\.\/)+src\//g, "../"));
  const settings = testSettings().replace('main = "src/index.ts"', 'main = "src/counted/index.ts"');
  // With such a lease, no watchdog looks while a test runs.
  const vars = { TASK_LEASE_SECONDS: "3600", TASKS_PER_PRINCIPAL: "1000", LONG_WAIT_SECONDS: "5" };
  fork.write("wrangler.toml", withVars(settings, vars) + WORKFLOW);
  served = await serveBuilt(fork);
});
afterAll(async () => {
  await served?.stop();
  fork?.remove();
});

const TASKS = { ...FOLLOWS_TASKS, elicitation: { form: {} } };
/** How long nothing more may arrive after the expected operations; a superfluous one would follow them closely. */
const QUIET_MS = 250;
const NO_ROWS = { rows: 0 };

let callers = 0;

/** A caller with an address of its own, so with a ledger of its own. */
class Caller {
  readonly #address = `192.0.2.${++callers}`;
  readonly ledger = `tasks anonymous ${this.#address}`;

  /** @param capabilities of the client; by default it follows tasks */
  async ask(method: string, params: Record<string, unknown>, capabilities: object = TASKS, headers = {}) {
    const own = { "cf-connecting-ip": this.#address, ...headers };
    const { body } = await modern(served.url, method, params, { capabilities, headers: own });
    expect(body.result).toBeDefined();
    return body.result;
  }

  /** Starts a task. @returns its id */
  async start(input: object = {}, tool = "Jobs_Run"): Promise<string> {
    const { taskId } = await this.ask("tools/call", { name: tool, arguments: input });
    return taskId;
  }

  /** A call of a client that does not follow tasks. */
  wait(input: object = {}, headers = {}) {
    return this.ask("tools/call", { name: "Jobs_Run", arguments: input }, {}, headers);
  }

  state(taskId: string) {
    return this.ask("tasks/get", { taskId });
  }

  /** Waits for a state of a task. */
  async reach(taskId: string, status: string): Promise<void> {
    await until(async () => (await this.state(taskId)).status === status);
  }
}

/** A caller who has had a task, so that the tables of its ledger exist. */
async function regular(): Promise<Caller> {
  const caller = new Caller();
  await caller.reach(await caller.start(), "completed");
  return caller;
}

const counted = new Map<string, Counts>();

/** What has been counted of a ledger since the last call. */
async function counts({ ledger }: Caller): Promise<Counts> {
  const found = (await (await fetch(`${served.url}/counts`)).json()) as Record<string, Counts>;
  for (const [owner, own] of Object.entries(found)) {
    const sums = counted.get(owner) ?? {};
    for (const [what, count] of Object.entries(own)) sums[what] = (sums[what] ?? 0) + count;
    counted.set(owner, sums);
  }
  return counted.get(ledger) ?? {};
}

async function forgetCounts(caller: Caller): Promise<void> {
  await counts(caller);
  counted.delete(caller.ledger);
}

/** How often a call that waits asks whether its task has ended: that depends on the time. */
const SOME = -1;

/**
 * Passes if the action has exactly this cost, however long that takes to arrive.
 *
 * @param expected methods of the ledger that are called, each in a request of its own, the rows that it writes, and
 * instances and steps of the workflow
 */
async function expectCost(caller: Caller, action: () => Promise<unknown>, expected: Counts): Promise<void> {
  await forgetCounts(caller);
  await action();
  // Rows are written by the methods.
  const isAll = (found: Counts) =>
    Object.entries(expected).every(([what, count]) => what === "rows" || (found[what] ?? 0) >= count);
  await until(async () => isAll(await counts(caller)), 30_000).catch(() => {});
  await new Promise((resume) => setTimeout(resume, QUIET_MS));
  const { requests = 0, ...found } = { ...NO_ROWS, ...(await counts(caller)) };
  expect(found).toEqual({ ...NO_ROWS, ...expected, ...(expected.read === SOME && { read: expect.any(Number) }) });
  const { rows, setAlarm = 0, instance = 0, step = 0, alarm = 0, ...methods } = found as Counts;
  expect(requests).toBe(Object.values(methods).reduce((sum, count) => sum + count, 0));
}

/** What each run costs, without steps: its rows are in the costs below. */
const RUN = { instance: 1, step: 1, begin: 1, finish: 1 };
describe("the cost of a task", () => {
  /** Waits for a sign of life of its run while the other tests run. */
  const patient = new Caller();
  beforeAll(async () => {
    await patient.start({ waits: true });
    await until(async () => (await counts(patient)).begin === 1);
    await forgetCounts(patient);
  });

  it("that is announced and runs: three requests, and a step", async () => {
    const caller = await regular();
    await expectCost(caller, () => caller.start(), { start: 1, ...RUN, rows: 6 });
  });

  it("with an idempotency key: two rows more", async () => {
    const caller = await regular();
    const keyed = () =>
      caller.ask("tools/call", { name: "Jobs_Run", arguments: {} }, TASKS, { "idempotency-key": "a" });
    await expectCost(caller, keyed, { start: 1, ...RUN, rows: 8 });
    await expectCost(caller, keyed, { start: 1 });
  });

  it("that is its ledger's first: an alarm, and the tables, whose rows are not counted here", async () => {
    const caller = new Caller();
    await expectCost(caller, () => caller.start(), { start: 1, setAlarm: 1, ...RUN, rows: 6 });
  });

  it("of a tool that prepares itself: one request more", async () => {
    const caller = await regular();
    await expectCost(caller, () => caller.start({}, "Jobs_Prepared"), { find: 1, start: 1, ...RUN, rows: 6 });
  });

  it("with steps: one request more for all of them, and each is a step", async () => {
    const caller = await regular();
    await expectCost(caller, () => caller.start({ steps: 3 }), { start: 1, ...RUN, step: 4, checkpoint: 1, rows: 7 });
  });

  it("with steps that must not be done twice: one request more for each", async () => {
    const caller = await regular();
    const cost = { start: 1, ...RUN, step: 4, checkpoint: 1, enter: 3, rows: 13 };
    await expectCost(caller, () => caller.start({ steps: 3, once: true }), cost);
  });

  it("that reports its progress: one request more for each report, and two rows", async () => {
    const caller = await regular();
    await expectCost(caller, () => caller.start({ reports: 2 }), { start: 1, ...RUN, beat: 2, rows: 10 });
  });

  it("that asks a question, and its answer", async () => {
    const caller = await regular();
    let id = "";
    const ask = async () => {
      id = await caller.start({ asks: true });
    };
    await expectCost(caller, ask, { start: 1, instance: 1, step: 2, begin: 1, ask: 1, beat: 1, rows: 6 });
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`unknown ${at}`, null]));
    const guess = () => caller.ask("tasks/update", { taskId: id, inputResponses: unknown });
    await expectCost(caller, guess, { read: 1 });
    const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
    const answer = () => caller.ask("tasks/update", { taskId: id, inputResponses });
    await expectCost(caller, answer, { read: 1, answer: 1, beat: 1, take: 1, finish: 1, rows: 6 });
  });

  it("that is looked at, while it runs and later: one request", async () => {
    const caller = await regular();
    const id = await caller.start({ waits: true });
    await until(async () => (await counts(caller)).begin === 2);
    await expectCost(caller, () => caller.state(id), { read: 1 });
    await expectCost(caller, () => caller.ask("tasks/cancel", { taskId: id }), { read: 1, cancel: 1, rows: 2 });
    await expectCost(caller, () => caller.state(id), { read: 1 });
  });

  it("for a client that waits: its questions whether the task has ended, and a key, which is freed", async () => {
    const caller = await regular();
    await expectCost(caller, () => caller.wait(), { start: 1, read: SOME, deliver: 1, ...RUN, rows: 9 });
  });

  it("for a client that waits and repeats its call with a key: one request", async () => {
    const caller = await regular();
    const keyed = () => caller.wait({}, { "idempotency-key": "a" });
    await expectCost(caller, keyed, { start: 1, read: SOME, ...RUN, rows: 8 });
    await expectCost(caller, keyed, { start: 1 });
  });

  it("for a client that waits, and gets its reports: one request more for each", async () => {
    const caller = await regular();
    const cost = { start: 1, read: SOME, deliver: 1, ...RUN, beat: 1, rows: 11 };
    await expectCost(caller, () => caller.wait({ reports: 1 }), cost);
  });

  it("for a client that waits long: its ledger is asked at most every two seconds in the end", async () => {
    const caller = await regular();
    await forgetCounts(caller);
    const { content } = await caller.wait({ waits: true });
    expect(content[0].text).toContain("Still working");
    const { read } = await counts(caller);
    // After pauses of 50, 100, 200, 400, 800 and 1,600 milliseconds, and then of 2 seconds.
    expect(read).toBeGreaterThanOrEqual(2);
    expect(read).toBeLessThanOrEqual(8);
  });

  it("whose run gives a sign of life: one request, and no row", async () => {
    await until(async () => (await counts(patient)).beat !== undefined);
    const { beat } = await counts(patient);
    expect(await counts(patient)).toEqual({ requests: beat, beat });
  });

  it("that is forgotten: an alarm, and its rows", async () => {
    const HOUR_MS = 3_600_000;
    const caller = await regular();
    const wake = (hours: number) => () =>
      fetch(`${served.url}/wake?object=${encodeURIComponent(caller.ledger)}&ahead=${hours * HOUR_MS}`);
    await expectCost(caller, wake(12), { alarm: 1, setAlarm: 1 });
    await caller.reach(await caller.start(), "completed");
    await expectCost(caller, wake(24.5), { alarm: 1, setAlarm: 1, rows: 3 });
    // With the last task, the whole storage is removed.
    await expectCost(caller, wake(48), { alarm: 1 });
  });
});
