/**
 * The Worker as it ships, in a wrapper that counts what its callers cost: requests to objects, rows, KV and R2. `hour.ts`
 * serves it: the counts so far are at /counts, and /collect collects garbage.
 */
import { DurableObject, env, RpcTarget, type WorkflowEntrypoint } from "cloudflare:workers";
import { Ledger } from "../../../src/features/tasks/ledger/ledger.ts";
import * as worker from "../../../src/index.ts";

export * from "../../../src/index.ts";

type Workflow = new (
  ...given: ConstructorParameters<typeof WorkflowEntrypoint>
) => { run(event: object, step: object): Promise<void> };

/** The workflow of long tools, which counts its instances and their steps. A fork without long tools has none. */
export class LongRun extends (worker as unknown as { LongRun: Workflow }).LongRun {
  override run(event: object, step: object): Promise<void> {
    count("instances");
    const counting = new Proxy(step, {
      get(target, name) {
        if (name === "do") count("steps");
        // A stub: its methods can only be called.
        return (...given: unknown[]) => (target as unknown as Record<string | symbol, Method>)[name]?.(...given);
      },
    });
    return super.run(event, counting);
  }
}

/** V8's, with `--expose-gc`. */
declare function gc(): void;

const counts: Record<string, number> = {};
const count = (what: string, times = 1) => {
  counts[what] = (counts[what] ?? 0) + times;
};

type Method = (this: unknown, ...given: unknown[]) => unknown;

/** Calls `seen` with the result whenever a method is called. */
function watch(
  proto: Record<string, unknown>,
  name: string,
  seen: (self: unknown, result: unknown, given: unknown[]) => void,
) {
  const method = proto[name] as Method;
  proto[name] = function (this: unknown, ...given: unknown[]) {
    const result = method.apply(this, given);
    seen(this, result, given);
    return result;
  };
}

/** How many rows a statement reads and writes is known when it has run: after some others. */
const cursors: SqlStorageCursor<never>[] = [];
const RUNNING = 100;

function countRows(all: readonly SqlStorageCursor<never>[]): void {
  for (const { rowsRead, rowsWritten } of all) {
    count("rowsRead", rowsRead);
    count("rowsWritten", rowsWritten);
  }
}

/** Bytes in the database of each object, as of the last request to it: another request cannot ask it. */
const sizes = new Map<string, number>();
let isWatched = false;

function watchStorage({ id, storage }: DurableObjectState): void {
  sizes.set(String(id), storage.sql.databaseSize);
  if (isWatched) return;
  isWatched = true;
  const kv = Object.getPrototypeOf(storage.kv);
  for (const name of ["put", "delete"]) watch(kv, name, () => count("rowsWritten"));
  for (const name of ["setAlarm", "deleteAlarm"])
    watch(Object.getPrototypeOf(storage), name, () => count("rowsWritten"));
  watch(Object.getPrototypeOf(storage.sql), "exec", (_, cursor, [statement]) => {
    if (/^\s*CREATE |__miniflare/.test(String(statement))) return;
    if (cursors.push(cursor as SqlStorageCursor<never>) > RUNNING) countRows(cursors.splice(0, 1));
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the classes of the Worker, whatever they take
const classes = Object.values(worker).filter((one: any) => one?.prototype instanceof DurableObject) as any[];
// An object of tasks is called through its ledger.
classes.push(Ledger);
const watched = new Set<object>([DurableObject.prototype, RpcTarget.prototype]);
for (let { prototype } of classes) {
  // With what it inherits.
  for (; !watched.has(prototype); prototype = Object.getPrototypeOf(prototype)) {
    watched.add(prototype);
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const { value } = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
      if (name === "constructor" || typeof value !== "function") continue;
      watch(prototype, name, (self) => {
        count(name === "alarm" ? "alarms" : "objectRequests");
        const { ctx } = self as { ctx?: DurableObjectState };
        if (ctx) watchStorage(ctx);
      });
    }
  }
}

const { KV, FILES } = env as unknown as Record<string, object>;
for (const [name, what] of [
  ["get", "kvReads"],
  ["getWithMetadata", "kvReads"],
  ["put", "kvWrites"],
  ["delete", "kvWrites"],
  ["list", "kvWrites"],
] as const)
  watch(Object.getPrototypeOf(KV), name, () => count(what));
if (FILES)
  for (const [name, what] of [
    ["put", "r2Writes"],
    ["get", "r2Reads"],
    ["head", "r2Reads"],
  ] as const)
    watch(Object.getPrototypeOf(FILES), name, () => count(what));

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/collect") {
      gc();
      return new Response();
    }
    if (pathname !== "/counts") return worker.default.fetch(request);
    countRows(cursors.splice(0));
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    return Response.json({ ...counts, bytes });
  },
};
