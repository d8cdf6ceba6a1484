/** The rules of the ledger of tasks, with an engine that does as it is told. With the real one: test/faults/tasks. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { NewTask, StoredTask, TaskKey } from "../../../src/core/ports/task-ledger.ts";
import { Ledger } from "../../../src/features/tasks/ledger/ledger.ts";
import type { Engine } from "../../../src/features/tasks/run/engine.ts";

const { CLAIMS } = env as unknown as { CLAIMS: DurableObjectNamespace };

const LEASE_MS = 60_000;
const TTL_MS = 24 * 3_600_000;

/** Records what the ledger asks of it. */
class Told implements Engine {
  readonly calls: string[] = [];
  /** Replaces what a method does. */
  does: Partial<Engine> = {};
  async start(id: string, partition: string): Promise<void> {
    this.calls.push(`start ${id}`);
    await this.does.start?.(id, partition);
  }
  async revive(id: string): Promise<boolean> {
    this.calls.push(`revive ${id}`);
    return this.does.revive ? this.does.revive(id) : true;
  }
  async stop(id: string): Promise<void> {
    this.calls.push(`stop ${id}`);
    await this.does.stop?.(id);
  }
  async wake(id: string, question: string): Promise<void> {
    this.calls.push(`wake ${id} ${question}`);
  }
}

interface Opened {
  readonly storage: DurableObjectStorage;
  readonly engine: Told;
  readonly reports: string[];
  /** Hears that tasks have ended. */
  announce: ((partition: string, task: StoredTask) => Promise<void>) | undefined;
  /** The ledger; a new one after a restart. */
  ledger: Ledger;
  restart(): void;
}

/** Runs a test with a ledger in an object of its own. */
function withLedger(test: (opened: Opened) => Promise<void>, announce?: Opened["announce"]): () => Promise<void> {
  return () =>
    runInDurableObject(CLAIMS.getByName(crypto.randomUUID()), async (_, { storage }) => {
      const engine = new Told();
      const reports: string[] = [];
      const open = () =>
        new Ledger({
          storage,
          engine,
          leaseMs: LEASE_MS,
          publish: async () => {},
          report: (message) => reports.push(message),
          announce: opened.announce && ((partition, task) => opened.announce?.(partition, task) ?? Promise.resolve()),
        });
      const opened = {
        ...{ storage, engine, reports, announce },
        restart() {
          opened.ledger = open();
        },
      } as Opened;
      opened.restart();
      await test(opened);
      await storage.deleteAlarm();
    });
}

function newTask(id: string, given: Partial<NewTask> = {}): NewTask {
  const { head = `head of ${id}`, call = `call of ${id}` } = given;
  const about = { weight: call.length, isRepeatable: false, ttlMs: TTL_MS, limit: 100 };
  return { id, partition: "p", keys: [], head, call, ...about, ...given };
}

const keyed = (key: string, fingerprint = "f"): TaskKey => ({ key, fingerprint, isFreed: false });

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** Lets the lease of everything that is not heard of end. */
async function lapse(opened: Opened): Promise<void> {
  pass(LEASE_MS);
  await opened.ledger.alarm();
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a result of over a million characters", () => {
  it(
    "is given out once in two seconds, because each takes several times its size: one who waits gets it then",
    withLedger(async ({ ledger }) => {
      const keys = [keyed("k")];
      await ledger.start(newTask("t", { keys }));
      await ledger.begin("t", "one");
      const result = "r".repeat(1_000_001);
      await ledger.finish("t", 1, result, true);
      expect((await ledger.read("t"))?.result).toBe(result);
      const waiting = [
        () => ledger.read("t"),
        () => ledger.find([keyed("k")]).then((held) => (held?.state === "joined" ? held.task : undefined)),
        () => ledger.start(newTask("u", { keys })).then((held) => (held.state === "joined" ? held.task : undefined)),
      ];
      for (const get of waiting) {
        let isThere = false;
        const getting = get().finally(() => {
          isThere = true;
        });
        await new Promise((resume) => setTimeout(resume, 250));
        expect(isThere).toBe(false);
        // Whoever only looks at the task does not wait.
        expect((await ledger.read("t", false))?.status).toBe("completed");
        pass(2_000);
        expect((await getting)?.result).toBe(result);
      }
    }),
  );

  it(
    "is held back from those who have waited for ten seconds: for them, the task has not ended yet",
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("t"));
      await ledger.begin("t", "one");
      const before = await ledger.read("t");
      const result = "r".repeat(1_000_001);
      await ledger.finish("t", 1, result, true);
      await ledger.read("t");
      const late = ledger.read("t");
      // Others get it meanwhile.
      for (let at = 0; at < 6; at++) {
        pass(2_000);
        expect((await ledger.read("t"))?.result).toBe(result);
      }
      const held = { status: "working", sequence: before?.sequence, result: undefined, isHeldBack: true };
      expect(await late).toMatchObject(held);
      pass(2_000);
      expect(await ledger.read("t")).toMatchObject({ status: "completed", result });
    }),
  );

  it(
    "does not delay callers that do not want a large one",
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("t"));
      await ledger.begin("t", "one");
      expect(await ledger.read("t", "unless_large")).not.toHaveProperty("isHeldBack");
      await ledger.finish("t", 1, "r".repeat(1_000_001), true);
      const held = { status: "completed", result: undefined, isHeldBack: true };
      for (let at = 0; at < 2; at++) expect(await ledger.read("t", "unless_large")).toMatchObject(held);
    }),
  );

  it(
    "does not keep smaller ones waiting",
    withLedger(async ({ ledger }) => {
      for (const [id, length] of [
        ["large", 1_000_001],
        ["small", 1_000_000],
      ] as const) {
        await ledger.start(newTask(id));
        await ledger.begin(id, "one");
        await ledger.finish(id, 1, "r".repeat(length), true);
      }
      expect((await ledger.read("large"))?.result).toHaveLength(1_000_001);
      for (let at = 0; at < 2; at++) expect((await ledger.read("small"))?.result).toHaveLength(1_000_000);
    }),
  );
});

describe("a run", () => {
  it(
    "is over when the next one begins: nothing that it says counts",
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("t", { isRepeatable: true }));
      expect(await ledger.begin("t", "one")).toMatchObject({ run: 1, call: "call of t" });
      expect(await ledger.begin("t", "two")).toMatchObject({ run: 2 });
      expect(await ledger.beat("t", 1, "report")).toBeUndefined();
      expect(await ledger.ask("t", 1, "q", "question")).toBe(false);
      expect(await ledger.take("t", 1, "q")).toBe(false);
      expect(await ledger.checkpoint("t", 1)).toBe(false);
      expect(await ledger.enter("t", 1, "step")).toBeUndefined();
      expect(await ledger.finish("t", 1, "old", true)).toBe(false);
      expect(await ledger.fail("t", 1, "lost")).toBe(false);
      expect(await ledger.read("t")).toMatchObject({ status: "working", report: undefined, questions: {} });
      expect(await ledger.enter("t", 2, "step")).toBe(true);
      expect(await ledger.finish("t", 2, "new", true)).toBe(true);
      expect(await ledger.read("t")).toMatchObject({ status: "completed", result: "new" });
    }),
  );

  it(
    "that asks to begin twice, because it did not hear of the first time, has begun once",
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("t"));
      expect(await ledger.begin("t", "one")).toMatchObject({ run: 1 });
      expect(await ledger.begin("t", "one")).toMatchObject({ run: 1 });
      expect(await ledger.finish("t", 1, "result", true)).toBe(true);
      expect(await ledger.finish("t", 1, "result", true)).toBe(false);
      expect(await ledger.begin("t", "one")).toBeUndefined();
    }),
  );

  it(
    "enters a step once in all runs, also if it did not hear that it has entered it",
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("t", { isRepeatable: true }));
      await ledger.begin("t", "one");
      expect([await ledger.enter("t", 1, "step"), await ledger.enter("t", 1, "step")]).toEqual([true, true]);
      // The next run knows of it before it reaches the step.
      expect(await ledger.begin("t", "two")).toMatchObject({ entered: ["step"] });
      expect([await ledger.enter("t", 2, "step"), await ledger.enter("t", 2, "other")]).toEqual([false, true]);
    }),
  );

  it(
    "does not begin a second time if it may not be repeated: the task has failed",
    withLedger(async ({ ledger, engine }) => {
      await ledger.start(newTask("t"));
      await ledger.begin("t", "one");
      expect(await ledger.begin("t", "two")).toBeUndefined();
      expect(await ledger.read("t")).toMatchObject({ status: "failed", failure: "interrupted" });
      expect(await ledger.finish("t", 1, "late", true)).toBe(false);
      expect(engine.calls).toEqual(["start t", "stop t"]);
    }),
  );

  it(
    "that finishes after its task was cancelled changes nothing",
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("t", { keys: [keyed("k")] }));
      await ledger.begin("t", "one");
      expect([await ledger.cancel("t"), await ledger.cancel("t"), await ledger.cancel("u")]).toEqual([
        true,
        true,
        false,
      ]);
      expect(await ledger.beat("t", 1)).toBeUndefined();
      expect(await ledger.finish("t", 1, "late", true)).toBe(false);
      expect(await ledger.read("t")).toMatchObject({ status: "cancelled", result: undefined });
      expect(await ledger.start(newTask("u", { keys: [keyed("k")] }))).toMatchObject({ state: "started" });
    }),
  );
});

it(
  "the key of a cancelled task is free when its run has ended, also if that was cut short",
  withLedger(async ({ ledger }) => {
    const again = () => ledger.start(newTask("u", { keys: [keyed("k")] }));
    await ledger.start(newTask("t", { keys: [keyed("k")] }));
    await ledger.begin("t", "one");
    await ledger.cancel("t");
    expect(await ledger.begin("t", "one")).toBeUndefined();
    expect(await again()).toMatchObject({ state: "joined" });
    expect(await ledger.begin("t", "two")).toBeUndefined();
    expect(await again()).toMatchObject({ state: "started" });
  }),
);

it(
  "a cancelled task whose tool goes on keeps its keys until it expires, but not its place",
  withLedger(async ({ ledger }) => {
    const again = () => ledger.start(newTask("u", { keys: [keyed("k")], limit: 1 }));
    await ledger.start(newTask("t", { keys: [keyed("k")], limit: 1 }));
    await ledger.begin("t", "one");
    await ledger.cancel("t");
    expect((await ledger.start(newTask("other", { limit: 1 }))).state).toBe("full");
    expect(await ledger.finish("t", 1, "late", true, true)).toBe(false);
    expect(await ledger.begin("t", "two")).toBeUndefined();
    expect(await again()).toMatchObject({ state: "joined", task: { status: "cancelled" } });
    expect((await ledger.start(newTask("other", { limit: 1 }))).state).toBe("started");
    await ledger.cancel("other");
    pass(TTL_MS);
    expect(await again()).toMatchObject({ state: "started" });
  }),
);

it(
  "a key given to a task that has ended, and may be tried again, is freed with the others",
  withLedger(async ({ ledger }) => {
    const byInput = { ...keyed("by input"), isFreed: true };
    for (const [id, isFinal] of [
      ["again", false],
      ["final", true],
    ] as const) {
      await ledger.start(newTask(id, { keys: [byInput] }));
      await ledger.begin(id, "one");
      await ledger.finish(id, 1, "result", isFinal);
      const joining = [byInput, keyed(`call of ${id}`)];
      expect(await ledger.find(joining)).toMatchObject({ state: "joined", task: { id } });
      await ledger.deliver(id);
    }
    expect(await ledger.find([keyed("call of again")])).toBeUndefined();
    expect(await ledger.find([keyed("call of final")])).toMatchObject({ state: "joined", task: { id: "final" } });
  }),
);

describe("a task that many calls join", () => {
  const callId = (n: number): TaskKey => ({ key: `call ${n}`, fingerprint: "f", isFreed: false });
  const joining = (n: number) => newTask("other", { keys: [keyed("by input"), callId(n)] });

  it(
    "has 1,000 keys at most: a further call comes back, one that has joined is found, and all get the result",
    withLedger(async ({ ledger, storage }) => {
      await ledger.start(newTask("t", { keys: [keyed("by input"), callId(1)] }));
      for (let n = 2; n < 1_000; n++) expect((await ledger.start(joining(n))).state).toBe("joined");
      expect(await ledger.start(joining(1_000))).toEqual({ state: "crowded" });
      expect((await ledger.start(joining(7))).state).toBe("joined");
      expect((await ledger.find([keyed("by input")]))?.state).toBe("joined");
      await ledger.begin("t", "one");
      await ledger.finish("t", 1, "result", true);
      expect(await ledger.start(joining(1_000))).toMatchObject({ state: "joined", task: { result: "result" } });
      expect(storage.sql.exec("SELECT COUNT(*) AS keys FROM keys").one()).toEqual({ keys: 1_000 });
    }),
  );
});

describe("a key that no task gets any more", () => {
  it(
    "finds the task of an earlier version, and is given to none",
    withLedger(async ({ ledger }) => {
      const earlier: TaskKey = { ...keyed("by input"), isEarlier: true };
      await ledger.start(newTask("new", { keys: [earlier, keyed("new")] }));
      expect(await ledger.find([keyed("by input")])).toBeUndefined();
      await ledger.start(newTask("old", { keys: [keyed("by input")] }));
      const joining = newTask("other", { keys: [earlier, keyed("other")] });
      expect(await ledger.start(joining)).toMatchObject({ state: "joined", task: { id: "old" } });
    }),
  );
});

describe("the watchdog", () => {
  it(
    "leaves a run alone that gives signs of life",
    withLedger(async (opened) => {
      await opened.ledger.start(newTask("t"));
      await opened.ledger.begin("t", "one");
      for (let time = 0; time < 5; time++) {
        pass(LEASE_MS / 2);
        expect(await opened.ledger.beat("t", 1)).toEqual({});
        await opened.ledger.alarm();
      }
      expect(opened.engine.calls).toEqual(["start t"]);
      expect(await opened.ledger.read("t")).toMatchObject({ status: "working" });
    }),
  );

  const CASES: [string, boolean, (ledger: Ledger) => Promise<unknown>][] = [
    ["that may be repeated", true, async () => {}],
    ["that may not", false, async () => {}],
    ["that has a checkpoint", true, (ledger) => ledger.checkpoint("t", 1)],
    ["that waits for an answer", true, (ledger) => ledger.ask("t", 1, "q", "question")],
    [
      "whose answer came when it was dead",
      true,
      async (ledger) => {
        await ledger.ask("t", 1, "q", "question");
        await ledger.answer("t", { q: "answer" });
      },
    ],
    [
      "that has gone on with its answer",
      false,
      async (ledger) => {
        await ledger.ask("t", 1, "q", "question");
        await ledger.answer("t", { q: "answer" });
        await ledger.take("t", 1, "q");
      },
    ],
  ];
  for (const [what, isRevived, before] of CASES) {
    it(
      `${isRevived ? "revives" : "fails"} a task ${what}`,
      withLedger(async (opened) => {
        await opened.ledger.start(newTask("t", { isRepeatable: what === "that may be repeated" }));
        await opened.ledger.begin("t", "one");
        await before(opened.ledger);
        await lapse(opened);
        expect(opened.engine.calls).toContain(isRevived ? "revive t" : "stop t");
        const begun = await opened.ledger.begin("t", "two");
        if (isRevived) expect(begun).toMatchObject({ run: 2 });
        else expect(await opened.ledger.read("t")).toMatchObject({ status: "failed", failure: "interrupted" });
      }),
    );
  }

  it(
    "hands the answers that came meanwhile to the next run, under the same names",
    withLedger(async (opened) => {
      const { ledger } = opened;
      await ledger.start(newTask("t"));
      await ledger.begin("t", "one");
      await ledger.ask("t", 1, "q", "question");
      await ledger.answer("t", { q: "answer", unknown: "ignored" });
      await lapse(opened);
      const asked = [{ name: "q", question: "question", answer: "answer" }];
      expect(await ledger.begin("t", "two")).toMatchObject({ run: 2, asked });
      expect(await ledger.beat("t", 2)).toEqual({ q: "answer" });
      expect(await ledger.answer("t", { q: "another" })).toBe(true);
      expect(await ledger.beat("t", 2)).toEqual({ q: "answer" });
    }),
  );

  it(
    "revives a task ten times; then it is lost",
    withLedger(async (opened) => {
      await opened.ledger.start(newTask("t", { isRepeatable: true }));
      await opened.ledger.begin("t", "one");
      for (let time = 0; time < 10; time++) await lapse(opened);
      expect(await opened.ledger.read("t")).toMatchObject({ status: "working" });
      await lapse(opened);
      expect(await opened.ledger.read("t")).toMatchObject({ status: "failed", failure: "lost" });
      expect(opened.engine.calls.filter((call) => call === "revive t")).toHaveLength(10);
    }),
  );

  it(
    "starts a task again whose start failed, and fails it if that never works",
    withLedger(async (opened) => {
      opened.engine.does = { start: () => Promise.reject(new Error("out of reach")) };
      expect(await opened.ledger.start(newTask("t"))).toMatchObject({ state: "started" });
      expect(await opened.ledger.start(newTask("u"))).toMatchObject({ state: "started" });
      await lapse(opened);
      expect(opened.engine.calls).toEqual(["start t", "start u", "start t", "start u"]);
      await opened.ledger.begin("u", "one");
      await opened.ledger.finish("u", 1, "result", true);
      opened.engine.does = { ...opened.engine.does, stop: () => Promise.reject(new Error("no such instance")) };
      for (let time = 0; time < 10; time++) await lapse(opened);
      expect(await opened.ledger.read("t")).toMatchObject({ status: "failed", failure: "lost" });
      expect(await opened.ledger.read("u")).toMatchObject({ status: "completed" });
      await vi.waitFor(() => expect(opened.reports).toContain("task not stopped"));
    }),
  );

  it(
    "fails a task that its engine has lost, unless it ended at that moment",
    withLedger(async (opened) => {
      const { ledger, engine } = opened;
      for (const id of ["dead", "done"]) {
        await ledger.start(newTask(id, { isRepeatable: true }));
        await ledger.begin(id, "one");
      }
      engine.does = {
        async revive(id) {
          if (id === "done") await ledger.finish(id, 1, "result", true);
          return false;
        },
      };
      await lapse(opened);
      expect(await ledger.read("dead")).toMatchObject({ status: "failed", failure: "interrupted" });
      expect(await ledger.read("done")).toMatchObject({ status: "completed", result: "result", failure: undefined });
    }),
  );

  it(
    "leaves alone what ends while it looks after others",
    withLedger(async (opened) => {
      const { ledger, engine } = opened;
      await ledger.start(newTask("a", { isRepeatable: true }));
      await ledger.start(newTask("b"));
      for (const id of ["a", "b"]) await ledger.begin(id, "one");
      // The run of b is slow, but not dead.
      engine.does = {
        async revive() {
          await ledger.finish("b", 1, "result", true);
          return true;
        },
      };
      pass(LEASE_MS / 2);
      await ledger.beat("b", 1);
      await lapse(opened);
      await lapse(opened);
      expect(await ledger.read("b")).toMatchObject({ status: "completed", result: "result", failure: undefined });
    }),
  );

  it(
    "finds a dead run also if the object is not in memory between alarms",
    withLedger(async (opened) => {
      await opened.ledger.start(newTask("t", { isRepeatable: true }));
      await opened.ledger.begin("t", "one");
      for (let alarm = 0; alarm < 2; alarm++) {
        pass(LEASE_MS);
        // It is the alarm that brings it back.
        opened.restart();
        await opened.ledger.alarm();
      }
      expect(opened.engine.calls).toContain("revive t");
    }),
  );

  it(
    "gives a run the time of a lease after the object has restarted",
    withLedger(async (opened) => {
      await opened.ledger.start(newTask("t"));
      await opened.ledger.begin("t", "one");
      pass(LEASE_MS);
      opened.restart();
      await opened.ledger.alarm();
      pass(LEASE_MS / 2);
      expect(await opened.ledger.beat("t", 1)).toEqual({});
      opened.restart();
      await opened.ledger.alarm();
      pass(LEASE_MS / 2);
      await opened.ledger.alarm();
      expect(await opened.ledger.read("t")).toMatchObject({ status: "working" });
    }),
  );

  it(
    "rings at the first lease that ends, whatever starts later",
    withLedger(async ({ ledger, storage }) => {
      const first = Date.now();
      await ledger.start(newTask("a"));
      pass(LEASE_MS / 2);
      await ledger.start(newTask("b"));
      expect(await storage.getAlarm()).toBe(first + LEASE_MS);
    }),
  );
});

describe("a task", () => {
  it(
    "is forgotten when it expires, finished or not, and then nothing is stored",
    withLedger(async (opened) => {
      const { ledger, engine, storage } = opened;
      for (const id of ["done", "open"]) {
        await ledger.start(newTask(id, { keys: [keyed(id)] }));
        await ledger.begin(id, "one");
      }
      await ledger.finish("done", 1, "result", true);
      expect(await storage.getAlarm()).toBeLessThanOrEqual(Date.now() + LEASE_MS);
      pass(TTL_MS);
      expect([await ledger.read("done"), await ledger.read("open"), await ledger.beat("open", 1)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect([await ledger.cancel("open"), await ledger.answer("open", {}), await ledger.watch("open")]).toEqual([
        false,
        false,
        false,
      ]);
      expect(await ledger.find([keyed("done")])).toBeUndefined();
      await ledger.alarm();
      expect(engine.calls).toContain("stop open");
      // Its callers can be told for as long again, and its key is free.
      pass(TTL_MS - 1);
      expect(await ledger.read("open")).toMatchObject({ status: "failed", failure: "expired" });
      expect([await ledger.read("done"), await ledger.find([keyed("open")])]).toEqual([undefined, undefined]);
      pass(1);
      await ledger.alarm();
      expect([...storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'tasks'")]).toEqual([]);
      expect(await storage.getAlarm()).toBeNull();
      expect(await ledger.start(newTask("new", { keys: [keyed("done")] }))).toMatchObject({ state: "started" });
    }),
  );

  it(
    "fails when it expires if it is not done, and not later",
    withLedger(async ({ ledger, storage }) => {
      await ledger.start(newTask("t"));
      await ledger.begin("t", "one");
      pass(TTL_MS - LEASE_MS / 2);
      await ledger.beat("t", 1);
      await ledger.alarm();
      expect(await storage.getAlarm()).toBe(Date.now() + LEASE_MS / 2);
      await ledger.start(newTask("short", { ttlMs: LEASE_MS / 4 }));
      expect(await storage.getAlarm()).toBe(Date.now() + LEASE_MS / 4);
    }),
  );

  it(
    "is kept for as long as a new one once its question is answered, so that it can go on with the answer",
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("t", { keys: [keyed("k")] }));
      await ledger.begin("t", "one");
      await ledger.ask("t", 1, "q", "question");
      pass(TTL_MS - 1);
      expect(await ledger.answer("t", { other: "answer" }, TTL_MS)).toBe(true);
      expect((await ledger.read("t"))?.expires).toBe(Date.now() + 1);
      expect(await ledger.answer("t", { q: "answer" }, TTL_MS)).toBe(true);
      pass(TTL_MS - 1);
      expect(await ledger.beat("t", 1)).toEqual({ q: "answer" });
      expect(await ledger.finish("t", 1, "result", true)).toBe(true);
      expect(await ledger.find([keyed("k")])).toMatchObject({ state: "joined", task: { result: "result" } });
    }),
  );

  it(
    "takes 10 MB of questions and answers, and gives a run only the answers that none has taken",
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("t"));
      await ledger.begin("t", "one");
      for (let at = 0; at < 3; at++) await ledger.ask("t", 1, `q${at}`, "q".repeat(3_330_000));
      await ledger.ask("t", 1, "q3", "question");
      const answer = "a".repeat(9_000);
      expect(await ledger.answer("t", { q0: answer }, TTL_MS)).toBe(true);
      expect(await ledger.beat("t", 1)).toEqual({ q0: answer });
      await ledger.take("t", 1, "q0");
      expect(await ledger.beat("t", 1)).toEqual({});
      expect(await ledger.answer("t", { q3: answer }, TTL_MS)).toBe("too_large");
      expect(await ledger.read("t")).toMatchObject({ status: "input_required", questions: { q3: "question" } });
      expect(await ledger.answer("t", { q3: "short" }, TTL_MS)).toBe(true);
      expect(await ledger.beat("t", 1)).toEqual({ q3: "short" });
    }),
  );

  it(
    "takes answers while all that run hold up to 7 MB, cancelled ones included, and small ones always; one alone has no more",
    withLedger(async ({ ledger }) => {
      for (const id of ["t", "other", "last"]) {
        await ledger.start(newTask(id));
        await ledger.begin(id, "one");
        for (const name of ["q", "r", "s", "u", "v"]) await ledger.ask(id, 1, name, "question");
      }
      const answer = "a".repeat(2_200_000);
      for (const name of ["q", "r"]) expect(await ledger.answer("t", { [name]: answer }, TTL_MS)).toBe(true);
      expect(await ledger.answer("other", { q: answer }, TTL_MS)).toBe(true);
      expect(await ledger.answer("other", { r: answer }, TTL_MS)).toBe("full");
      await ledger.cancel("t");
      expect(await ledger.answer("last", { q: answer }, TTL_MS)).toBe("full");
      expect(await ledger.start(newTask("new", { call: answer }))).toEqual({ state: "full" });
      expect(await ledger.answer("last", { q: "short" }, TTL_MS)).toBe(true);
      // Its run has heard of it.
      await ledger.finish("t", 1, "result", true);
      expect(await ledger.answer("last", { r: answer }, TTL_MS)).toBe(true);
      expect(await ledger.answer("last", { s: answer }, TTL_MS)).toBe(true);
      expect(await ledger.answer("last", { u: answer }, TTL_MS)).toBe("full");
      await ledger.cancel("other");
      await ledger.finish("other", 1, "result", true);
      expect(await ledger.answer("last", { u: answer }, TTL_MS)).toBe(true);
      // The end of no other task would make room.
      expect(await ledger.answer("last", { v: answer }, TTL_MS)).toBe("too_large");
    }),
  );

  it(
    "is forgotten at most a minute late, because each look for what has expired reads all tasks",
    withLedger(async ({ ledger, storage }) => {
      for (const id of ["a", "b", "c", "d"]) {
        await ledger.start(newTask(id));
        await ledger.begin(id, "one");
        await ledger.finish(id, 1, "result", true);
        pass(10);
      }
      pass(TTL_MS - 40);
      await ledger.alarm();
      expect(await storage.getAlarm()).toBe(Date.now() + 60_000);
      pass(30);
      expect(await ledger.read("d")).toBeUndefined();
      pass(60_000 - 30);
      await ledger.alarm();
      expect(await storage.getAlarm()).toBeNull();
    }),
  );

  it(
    "is joined with its key before and after a restart, and refused with another input",
    withLedger(async (opened) => {
      await opened.ledger.start(newTask("t", { keys: [keyed("k")] }));
      opened.restart();
      const again = await opened.ledger.start(newTask("u", { keys: [keyed("k")] }));
      expect(again).toMatchObject({ state: "joined", task: { id: "t" } });
      expect(await opened.ledger.start(newTask("u", { keys: [keyed("k", "g")] }))).toEqual({ state: "conflict" });
      expect(opened.engine.calls).toEqual(["start t"]);
    }),
  );

  it(
    "that is started twice, because its start was not heard of, is one",
    withLedger(async ({ ledger, engine }) => {
      expect(await ledger.start(newTask("t"))).toMatchObject({ state: "started", task: { id: "t" } });
      expect(await ledger.start(newTask("t"))).toMatchObject({ state: "started", task: { id: "t" } });
      expect(engine.calls).toEqual(["start t"]);
    }),
  );

  it(
    "keeps a failure that may be repeated under its key until a caller has it",
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("t", { keys: [keyed("k")] }));
      await ledger.begin("t", "one");
      await ledger.finish("t", 1, "try again", false);
      const found = await ledger.start(newTask("u", { keys: [keyed("k")] }));
      expect(found).toMatchObject({ state: "joined", task: { id: "t", result: "try again" } });
      await ledger.deliver("t");
      expect(await ledger.start(newTask("u", { keys: [keyed("k")] }))).toMatchObject({ state: "started" });
      expect(await ledger.read("t")).toMatchObject({ result: "try again" });
    }),
  );

  it(
    "has another sequence after each change",
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("t"));
      await ledger.begin("t", "one");
      const changes: (() => Promise<unknown>)[] = [
        () => ledger.beat("t", 1, "report"),
        () => ledger.ask("t", 1, "q", "question"),
        () => ledger.answer("t", { q: "answer" }),
        () => ledger.finish("t", 1, "result", true),
      ];
      const seen: unknown[] = [];
      for (const change of changes) {
        const before = await ledger.read("t");
        await change();
        const after = await ledger.read("t");
        expect(after?.sequence).not.toBe(before?.sequence);
        seen.push([after?.status, after?.report, Object.keys(after?.questions ?? {}), after?.result]);
      }
      expect(seen).toEqual([
        ["working", "report", [], undefined],
        ["input_required", "report", ["q"], undefined],
        ["working", "report", [], undefined],
        ["completed", "report", [], "result"],
      ]);
    }),
  );

  it(
    "is refused if its principal has too many; finished ones do not count",
    withLedger(async ({ ledger }) => {
      expect(await ledger.start(newTask("a", { limit: 1 }))).toMatchObject({ state: "started" });
      expect(await ledger.start(newTask("b", { limit: 1 }))).toEqual({ state: "full" });
      await ledger.begin("a", "one");
      await ledger.finish("a", 1, "result", true);
      expect(await ledger.start(newTask("b", { limit: 1 }))).toMatchObject({ state: "started" });
    }),
  );

  const FULL = { state: "full" };

  it.each<[string, (ledger: Ledger) => Promise<unknown>]>([
    ["has its result", (ledger) => ledger.finish("a", 1, "result", false)],
    ["has failed", (ledger) => ledger.fail("a", 1, "lost")],
    ["has been cut short, and the engine begins it again", (ledger) => ledger.begin("a", "two")],
    ["is forgotten with it", async () => pass(TTL_MS)],
  ])("counts after it was cancelled until its run %s: cancelling makes no room for more", (_, end) =>
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("a"));
      await ledger.begin("a", "one");
      await ledger.cancel("a");
      for (const id of ["b", "c"]) expect(await ledger.start(newTask(id, { limit: 1 }))).toEqual(FULL);
      await end(ledger);
      expect(await ledger.start(newTask("b", { limit: 1 }))).toMatchObject({ state: "started" });
    })(),
  );

  it(
    "finds no room while what is kept of the others takes 100 MB, nor does the result of one that runs, or an answer",
    withLedger(async ({ ledger }) => {
      const finish = async (id: string) => {
        await ledger.begin(id, id);
        return ledger.finish(id, 1, "x".repeat(9_000_000), true);
      };
      await ledger.start(newTask("runs"));
      await ledger.start(newTask("asks"));
      await ledger.begin("asks", "asks");
      for (let at = 0; at < 11; at++) {
        expect(await ledger.start(newTask(`t${at}`))).toMatchObject({ state: "started" });
        expect(await finish(`t${at}`)).toBe(true);
      }
      expect(await ledger.start(newTask("more", { call: "x".repeat(2_000_000) }))).toEqual({ state: "no_room" });
      expect(await finish("runs")).toBe(true);
      expect(await ledger.read("runs")).toMatchObject({ status: "failed", failure: "no_room", result: undefined });
      expect((await ledger.read("t3"))?.result).toHaveLength(9_000_000);
      await ledger.ask("asks", 1, "q", "question");
      await ledger.ask("asks", 1, "r", "question");
      expect(await ledger.answer("asks", { q: "x".repeat(2_000_000), other: "" })).toBe("no_room");
      expect(await ledger.read("asks")).toMatchObject({ status: "input_required", questions: { q: "question" } });
      expect(await ledger.answer("asks", { q: "answer" })).toBe(true);
      // Only what would be kept counts.
      expect(await ledger.answer("asks", { q: "x".repeat(2_000_000) })).toBe(true);
      expect(await ledger.answer("asks", { r: "x".repeat(2_000_000) })).toBe("no_room");
      pass(TTL_MS);
      await ledger.alarm();
      expect(await ledger.start(newTask("more"))).toMatchObject({ state: "started" });
    }),
  );

  it(
    "is refused while the calls of those that run take 7 MB, because each run holds its call",
    withLedger(async ({ ledger }) => {
      const call = "x".repeat(2_000_000);
      for (const id of ["a", "b", "c"]) {
        expect(await ledger.start(newTask(id, { call }))).toMatchObject({ state: "started" });
        await ledger.begin(id, "one");
      }
      expect(await ledger.start(newTask("d", { call }))).toEqual({ state: "full" });
      expect(await ledger.start(newTask("small"))).toMatchObject({ state: "started" });
      await ledger.finish("a", 1, "result", true);
      expect(await ledger.start(newTask("d", { call }))).toMatchObject({ state: "started" });
    }),
  );

  it(
    "is found by two of the largest calls, however large",
    withLedger(async ({ ledger }) => {
      const call = "x".repeat(9_000_000);
      for (const id of ["a", "b"])
        expect(await ledger.start(newTask(id, { call }))).toMatchObject({ state: "started" });
      expect(await ledger.start(newTask("c", { call }))).toEqual({ state: "full" });
    }),
  );

  it(
    "is refused while those runs are cancelled, and have not heard of it",
    withLedger(async ({ ledger, storage }) => {
      const call = "x".repeat(2_000_000);
      for (const id of ["a", "b", "c"]) {
        await ledger.start(newTask(id, { call }));
        await ledger.begin(id, "one");
        await ledger.cancel(id);
      }
      expect(await ledger.start(newTask("d", { call }))).toEqual({ state: "full" });
      await ledger.finish("a", 1, "result", true);
      expect(await ledger.start(newTask("d", { call }))).toMatchObject({ state: "started" });
      const kept = (kind: string) =>
        [...storage.sql.exec("SELECT task FROM texts WHERE kind = ?", kind)].map(({ task }) => task);
      expect([new Set(kept("call")), kept("weight")]).toEqual([new Set(["d"]), ["b", "c", "d"]]);
    }),
  );

  it(
    "does not count if it was cancelled before it ran",
    withLedger(async ({ ledger }) => {
      await ledger.start(newTask("a"));
      await ledger.cancel("a");
      expect(await ledger.start(newTask("b", { limit: 1 }))).toMatchObject({ state: "started" });
    }),
  );
});

describe("the end of a task", () => {
  const heard: string[] = [];
  const hear = async (partition: string, { id, status, result, isHeldBack }: StoredTask) => {
    heard.push([partition, id, status, isHeldBack ? "held back" : result].join(" "));
  };
  beforeEach(() => {
    heard.length = 0;
  });
  /** Lets promises that nobody awaits settle. */
  const settle = () => new Promise((resume) => setTimeout(resume, 0));

  it(
    "is told to the outbox, once",
    withLedger(async (opened) => {
      const { ledger } = opened;
      await ledger.start(newTask("t"));
      await ledger.begin("t", "one");
      await ledger.finish("t", 1, "result", true);
      await settle();
      expect(heard).toEqual(["p t completed result"]);
      await lapse(opened);
      opened.restart();
      await lapse(opened);
      expect(heard).toHaveLength(1);
    }, hear),
  );

  it(
    "is told without its result if that is large: a message has no room for it",
    withLedger(async ({ ledger }) => {
      for (const id of ["t", "u"]) {
        await ledger.start(newTask(id));
        await ledger.begin(id, "one");
        await ledger.finish(id, 1, "r".repeat(1_000_001), true);
      }
      await settle();
      expect(heard).toEqual(["p t completed held back", "p u completed held back"]);
    }, hear),
  );

  it(
    "is told by the alarm if the outbox could not be reached, even after a restart",
    withLedger(
      async (opened) => {
        const { ledger, storage, reports } = opened;
        await ledger.start(newTask("t"));
        await ledger.cancel("t");
        await settle();
        expect(reports).toEqual(["end of task not announced"]);
        opened.restart();
        await lapse(opened);
        expect(heard).toEqual([]);
        expect(await storage.getAlarm()).toBe(Date.now() + LEASE_MS);
        opened.announce = hear;
        await lapse(opened);
        expect(heard).toEqual(["p t cancelled "]);
        await lapse(opened);
        expect(heard).toHaveLength(1);
      },
      async () => {
        throw new Error("not reached");
      },
    ),
  );

  it(
    "is kept for no one without an outbox",
    withLedger(async ({ ledger, storage }) => {
      await ledger.start(newTask("t"));
      await ledger.cancel("t");
      expect([...storage.kv.list()]).toEqual([]);
    }),
  );
});
