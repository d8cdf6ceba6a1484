/**
 * The Worker as it ships, in a wrapper that counts what its objects and its workflow are asked to do, and the rows that
 * they write. `cost.node.test.ts` serves it: the counts are at /counts, by object.
 */
import type { WorkflowStep } from "cloudflare:workers";
import * as worker from "../../../../src/index.ts";

export * from "../../../../src/index.ts";

/** How often each thing was done, such as `{ start: 1, rows: 14 }`. */
type Counts = Record<string, number>;

const counts = new Map<string, Counts>();
/** Which object a database belongs to. */
const owners = new WeakMap<object, string>();
/** Cursors by object: how many rows a statement writes is known when it has run. */
const cursors = new Map<string, SqlStorageCursor<never>[]>();
/** Added to the clock. */
let ahead = 0;

const now = Date.now.bind(Date);
Date.now = () => now() + ahead;

function count(owner: string, what: string): void {
  const own = counts.get(owner) ?? {};
  own[what] = (own[what] ?? 0) + 1;
  counts.set(owner, own);
}

/** Returns the counts since the last look, of all objects. */
function look(): Record<string, Counts> {
  for (const [owner, ran] of cursors) {
    const rows = ran.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0);
    if (rows > 0) counts.set(owner, { ...counts.get(owner), rows });
  }
  const found = Object.fromEntries(counts);
  counts.clear();
  cursors.clear();
  return found;
}

type Method = (this: object, ...given: unknown[]) => unknown;

/** Calls `before` whenever a method of a built-in class is called. */
function watch<Of extends object>(
  one: Of,
  name: keyof Of,
  seen: (self: object, result: unknown, given: unknown) => void,
): void {
  const proto = Object.getPrototypeOf(one);
  const method: Method & { isWatched?: true } = proto[name];
  if (method.isWatched) return;
  const watched = function (this: object, ...given: unknown[]) {
    const result = method.apply(this, given);
    seen(this, result, given[0]);
    return result;
  };
  proto[name] = Object.assign(watched, { isWatched: true });
}

// biome-ignore lint/suspicious/noExplicitAny: the classes of the Worker, whatever they take
type Class = new (...given: any[]) => any;
const { Claims: PlainClaims, LongRun: PlainRun } = worker as unknown as { Claims: Class; LongRun: Class };

/** Whether a method of a ledger runs, and calls another. */
let isInside = false;

/** Has the methods of ledgers counted, if another object calls them. */
function countMethods(ledger: object): void {
  const proto = Object.getPrototypeOf(ledger);
  for (const name of Object.getOwnPropertyNames(proto)) {
    const { value: method } = Object.getOwnPropertyDescriptor(proto, name) as { value?: Method };
    if (typeof method !== "function" || name === "constructor" || name === "alarm") continue;
    proto[name] = function (this: object, ...given: unknown[]) {
      if (isInside) return method.apply(this, given);
      count(owners.get(this) ?? "", name);
      isInside = true;
      try {
        return method.apply(this, given);
      } finally {
        isInside = false;
      }
    };
  }
}
let areCounted = false;

export class Claims extends PlainClaims {
  readonly #name: string;
  /** Whether its own alarm uses the ledger. */
  #isRinging = false;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#name = ctx.id.name ?? "";
    const { storage } = ctx;
    owners.set(storage, this.#name);
    owners.set(storage.sql, this.#name);
    watch(storage, "setAlarm", (self) => count(owners.get(self) ?? "", "setAlarm"));
    watch(storage.sql, "exec", (self, cursor, statement) => {
      // The tables, and what the local runtime keeps there itself.
      if (/^\s*CREATE |__miniflare/.test(String(statement))) return;
      const owner = owners.get(self) ?? "";
      cursors.set(owner, [...(cursors.get(owner) ?? []), cursor as SqlStorageCursor<never>]);
    });
  }

  /** Read once in each request to a ledger, which then calls one method of it in the same session. */
  get tasks(): unknown {
    const ledger: object = super.tasks;
    owners.set(ledger, this.#name);
    if (!areCounted) countMethods(ledger);
    areCounted = true;
    if (!this.#isRinging) count(this.#name, "requests");
    return ledger;
  }

  async alarm(): Promise<void> {
    count(this.#name, "alarm");
    this.#isRinging = true;
    try {
      await super.alarm();
    } finally {
      this.#isRinging = false;
    }
  }

  /** Runs the alarm for a test that moved the clock: alarms follow the machine's clock. */
  async wake(): Promise<void> {
    await this.alarm();
  }
}

export class LongRun extends PlainRun {
  async run(event: { payload: { partition: string } }, step: WorkflowStep): Promise<void> {
    const owner = `tasks ${event.payload.partition}`;
    count(owner, "instance");
    // A stub, so its methods can only be called by name.
    const real = step as unknown as Record<"do" | "waitForEvent", (...given: unknown[]) => unknown>;
    const counted =
      (name: keyof typeof real) =>
      (...given: unknown[]) => {
        count(owner, "step");
        return real[name](...given);
      };
    await super.run(event, { do: counted("do"), waitForEvent: counted("waitForEvent") });
  }
}

export default {
  async fetch(request: Request, env: { CLAIMS: DurableObjectNamespace }): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/counts") return Response.json(look());
    if (pathname !== "/wake") return worker.default.fetch(request);
    ahead = Number(searchParams.get("ahead"));
    await (env.CLAIMS.getByName(searchParams.get("object") ?? "") as unknown as { wake(): Promise<void> }).wake();
    return new Response();
  },
};
