/**
 * The Worker with the door of probe/index.ts, and outboxes whose rows and alarms are counted:
 * `POST /probe/<method>?times=<n>` calls a method so many times at once, and returns the first result.
 * `GET /counts?of=<principal>` has the counts since it was asked before; without `of`, those of all outboxes.
 */
import type { DurableObject } from "cloudflare:workers";
import * as worker from "../../../../src/index.ts";
import { runtime } from "../../../../src/runtime.ts";

export * from "../../../../src/index.ts";

type Counts = { written: number; read: number; alarms: number };
type Methods = Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>;

/** What has been done in an outbox. How many rows a statement writes is known when it has run. */
interface Done {
  readonly cursors: SqlStorageCursor<never>[];
  readonly alarms: unknown[];
}

const done = new Map<string, Done>();
function doneIn(name: string): Done {
  const own = done.get(name) ?? { cursors: [], alarms: [] };
  done.set(name, own);
  return own;
}

// biome-ignore lint/suspicious/noExplicitAny: the class of the Worker, whatever it takes
const { Outbox: PlainOutbox } = worker as unknown as { Outbox: new (...given: any[]) => DurableObject };

/** Whose outbox a storage or a database is. */
const owners = new WeakMap<object, string>();

type Method = ((this: object, ...given: unknown[]) => unknown) & { isWatched?: true };

/** Calls `seen` whenever a method of a built-in class is called for an outbox. */
function watch<Of extends object>(
  one: Of,
  name: keyof Of,
  seen: (owner: string, result: unknown, given: unknown) => void,
): void {
  const proto = Object.getPrototypeOf(one);
  const method: Method = proto[name];
  if (method.isWatched) return;
  const watched = function (this: object, ...given: unknown[]) {
    const result = method.apply(this, given);
    const owner = owners.get(this);
    if (owner !== undefined) seen(owner, result, given[0]);
    return result;
  };
  proto[name] = Object.assign(watched, { isWatched: true });
}

export class Outbox extends PlainOutbox {
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    const { storage } = ctx;
    const name = ctx.id.name ?? "";
    owners.set(storage, name);
    owners.set(storage.sql, name);
    watch(storage, "setAlarm", (owner, _, at) => doneIn(owner).alarms.push(at));
    watch(storage.sql, "exec", (owner, cursor, statement) => {
      // Not the tables, and what the local runtime keeps there itself.
      if (!/^\s*CREATE |__miniflare/.test(String(statement)))
        doneIn(owner).cursors.push(cursor as SqlStorageCursor<never>);
    });
  }
}

function look(owner: string): Counts {
  const { cursors, alarms } = doneIn(owner);
  const sum = (of: (cursor: SqlStorageCursor<never>) => number) =>
    cursors.reduce((total, cursor) => total + of(cursor), 0);
  const found = {
    written: sum(({ rowsWritten }) => rowsWritten),
    read: sum(({ rowsRead }) => rowsRead),
    alarms: alarms.length,
  };
  done.delete(owner);
  return found;
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const [, door, method = ""] = pathname.split("/");
    if (door === "counts") {
      const all = [...done.keys()].filter((owner) => owner === (searchParams.get("of") ?? owner)).map(look);
      const sum = (of: keyof Counts) => all.reduce((total, one) => total + one[of], 0);
      return Response.json({ written: sum("written"), read: sum("read"), alarms: sum("alarms") } satisfies Counts);
    }
    if (door !== "probe") return worker.default.fetch(request);
    const given = (await request.json()) as unknown[];
    const call = (runtime.outbox as unknown as Methods)[method];
    const times = Number(searchParams.get("times") ?? 1);
    const [result] = await Promise.all(Array.from({ length: times }, () => call?.(...given)));
    return Response.json({ result });
  },
};
