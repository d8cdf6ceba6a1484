/**
 * Session values on Workers KV, one KV value per session. Calls in one isolate see each other's changes at once. Calls
 * of one session that reach two isolates at the same time overwrite each other's changes (the last write wins), and
 * another location may see a write up to 60 s late. Use features/session-objects if that is not enough.
 */
import { dropOldest } from "../core/lib/drop-oldest.ts";
import { describeError, type Log } from "../core/lib/log.ts";
import {
  changedBy,
  charactersOf,
  fits,
  SESSION_LIFETIME_MS,
  SessionFull,
  type SessionValues,
} from "../core/model/session.ts";
import type { SessionStore } from "../core/ports/session-store.ts";
import {
  change,
  due,
  written as hasWritten,
  hold,
  isLost,
  look,
  refuse,
  type Unwritten,
  WRITE_AGAIN_MS,
  type Writer,
} from "./pending-writes.ts";
import { takingTurns } from "./serialize.ts";

/** Most sessions whose last write this isolate remembers: enough to remember each for longer than a call lasts. */
const MAX_WRITES = 10_000;
/** How long a change may rely on the values that its call read: other isolates may write while a long call runs. */
const FRESH_MS = 1_000;

export interface KvSessionsDependencies {
  readonly kv: KVNamespace;
  /** How long a session is stored after its last use; at least 60, the minimum of KV. */
  readonly ttlSeconds: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly defer: (work: Promise<unknown>) => void;
  readonly log: Log;
}

interface Stored {
  readonly values: SessionValues;
  /** Milliseconds since 1970. */
  readonly written: number;
}

export function kvSessions({ kv, ttlSeconds, now, defer, log }: KvSessionsDependencies): SessionStore {
  // Values that KV has not accepted yet. They take precedence over what KV has.
  const unwritten = new Map<string, Unwritten>();
  const inTurn = takingTurns(now);
  const nameOf = (principal: string, id: string) => `session:${principal}:${id}`;
  const ended = (principal: string, id: string) => `ended:${principal}:${id}`;

  /** The number of this isolate's last write to each session. All its writes are numbered. */
  const writes = new Map<string, number>();
  let written = 0;
  /** The number of the last write before values were read, and the time when they were read. */
  const reads = new WeakMap<SessionValues, { readonly written: number; readonly at: number }>();

  const write = async (name: string, values: SessionValues) => {
    await kv.put(name, JSON.stringify({ values, written: now() } satisfies Stored), { expirationTtl: ttlSeconds });
    // Number the write only now: values that were read before may lack it.
    writes.delete(name);
    writes.set(name, ++written);
    dropOldest(writes, MAX_WRITES);
  };

  const load = async (name: string): Promise<Stored> => {
    const held = unwritten.get(name);
    if (held) {
      keep(name, look(held, now()));
      return { values: held.values, written: now() };
    }
    const stored = await kv.get<Stored>(name, "json");
    return isStored(stored) ? stored : { values: {}, written: now() };
  };

  /** The values that a call has just read, unless this isolate has changed them since; then reads them again. */
  const loadOnce = async (name: string, read: SessionValues | undefined): Promise<SessionValues> => {
    const known = read && reads.get(read);
    const isCurrent =
      known && now() - known.at <= FRESH_MS && !unwritten.has(name) && (writes.get(name) ?? 0) <= known.written;
    return isCurrent ? read : (await load(name)).values;
  };

  /** Drops values whose writer the platform ended with its request: nothing else would, unless they are read. */
  const dropLost = () => {
    // The one that was tended longest ago is first.
    for (const [name, held] of unwritten) {
      if (!isLost(held, now())) return;
      unwritten.delete(name);
      log({ level: "error", message: "session not kept", error: "its writer was cut short" });
    }
  };

  const keep = (name: string, held: Unwritten | undefined) => {
    const before = unwritten.get(name);
    unwritten.delete(name);
    if (held) unwritten.set(name, held);
    dropLost();
    if (held && held.writer !== before?.writer) defer(writeLater(name, held.writer));
  };

  /** Writes after the response, because KV refuses a second write to the same key within a second. */
  const writeLater = async (name: string, writer: Writer): Promise<void> => {
    for (;;) {
      await new Promise((resume) => setTimeout(resume, WRITE_AGAIN_MS));
      const next = due(unwritten.get(name), writer, now());
      if (next === undefined) return;
      keep(name, next);
      try {
        await write(name, next.values);
        keep(name, hasWritten(unwritten.get(name), writer, next.values));
      } catch (error) {
        const held = refuse(unwritten.get(name), writer);
        keep(name, held === "lost" ? undefined : held);
        if (held === "lost") log({ level: "error", message: "session not kept", error: describeError(error) });
      }
    }
  };

  return {
    async read(principal, id) {
      const name = nameOf(principal, id);
      const before = { written, at: now() };
      const { values, written: at } = await load(name);
      reads.set(values, before);
      // Reading counts as use, so renew the session's time to live.
      if (now() - at > (ttlSeconds * 1_000) / 2) {
        defer(inTurn(name, async () => write(name, (await load(name)).values)).catch(() => {}));
      }
      return values;
    },
    update(principal, id, changes, read) {
      const name = nameOf(principal, id);
      return inTurn(name, async () => {
        const before = await loadOnce(name, read);
        const values = changedBy(before, changes);
        if (!fits(charactersOf(values), charactersOf(before))) throw new SessionFull();
        const held = unwritten.get(name);
        if (held) return keep(name, change(held, values, now()));
        await write(name, values).catch(() => keep(name, hold(values, now())));
      });
    },
    async end(principal, id) {
      keep(nameOf(principal, id), undefined);
      await kv.put(ended(principal, id), "", { expirationTtl: SESSION_LIFETIME_MS / 1_000 });
      // KV may refuse this within a second of the last write. The session has still ended, and the values expire.
      await kv
        .delete(nameOf(principal, id))
        .catch((error) => log({ level: "warning", message: "session not yet forgotten", error: describeError(error) }));
    },
    hasEnded: async (principal, id) => (await kv.get(ended(principal, id))) !== null,
  };
}

/** False for a value that is damaged or of an earlier version. It is ignored, so that no call fails because of it. */
function isStored(stored: Stored | null): stored is Stored {
  return typeof stored?.values === "object" && stored.values !== null && typeof stored.written === "number";
}
