/**
 * Session values on Workers KV, one value per session. An isolate's own calls see each other's changes at once; calls of
 * one session that reach two isolates at the same time overwrite each other's (the last one wins), and another location
 * may see a write up to 60 s late. Where that is too little, there is session-object.ts.
 */
import { describeError, type Log } from "../core/lib/log.ts";
import {
  changedBy,
  charactersOf,
  fits,
  SESSION_LIFETIME_MS,
  SessionFull,
  type SessionStore,
  type SessionValues,
} from "../core/model/session.ts";

/** KV takes one write a second per key. */
const WRITE_AGAIN_MS = 1_100;
const WRITES = 8;
/** A writer that has not been at it for so long was cut short with its request. */
const WRITER_GONE_MS = 4 * WRITE_AGAIN_MS;
/** The platform ends what goes on 30 s after an answer: then the request of a later change has long taken over. */
const WRITER_MS = 20_000;
/** A change waits for another no longer: that one's request may have been cut short, and its turn never end. */
const TURN_MS = 5_000;
/** Most are over at once; who waits for a write that KV refused need not look 500 times. */
const LOOK_AGAIN_MS = 2;
const MAX_PAUSE_MS = 32;

export interface KvSessionsParts {
  readonly kv: KVNamespace;
  /** How long a session lives after it was last used; KV takes no less than 60. */
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

/** What goes on after a call to write what KV did not take at once: one of them at a time, for one session. */
interface Writer {
  readonly since: number;
}

interface Waiting {
  readonly values: SessionValues;
  readonly writer: Writer;
  /** When somebody was last at writing them. */
  readonly tended: number;
}

export function kvSessions({ kv, ttlSeconds, now, defer, log }: KvSessionsParts): SessionStore {
  // What KV has not taken yet: it is the truth here until it has. Gone as soon as it is written.
  const unwritten = new Map<string, Waiting>();
  const turns = new Map<string, { readonly since: number }>();
  const nameOf = (principal: string, id: string) => `session:${principal}:${id}`;
  const ended = (principal: string, id: string) => `ended:${principal}:${id}`;

  const load = async (name: string): Promise<Stored> => {
    const waiting = waitingFor(name);
    if (waiting) return { values: waiting, written: now() };
    const stored = await kv.get<Stored>(name, "json");
    return isStored(stored) ? stored : { values: {}, written: now() };
  };
  const write = (name: string, values: SessionValues) =>
    kv.put(name, JSON.stringify({ values, written: now() } satisfies Stored), { expirationTtl: ttlSeconds });

  /** What KV has not taken yet, and sees to it that somebody writes it. */
  const waitingFor = (name: string): SessionValues | undefined => {
    const waiting = unwritten.get(name);
    if (waiting && now() - waiting.tended > WRITER_GONE_MS) beginWriting(name, waiting.values);
    return waiting?.values;
  };
  const hold = (name: string, values: SessionValues, writer: Writer, tended = now()) =>
    unwritten.set(name, { values, writer, tended });
  const beginWriting = (name: string, values: SessionValues) => {
    const writer = { since: now() };
    hold(name, values, writer);
    defer(writeLater(name, writer));
  };

  /** Goes on after the call has been answered: KV refuses a second write within a second. */
  const writeLater = async (name: string, writer: Writer): Promise<void> => {
    for (let tried = 1; ; tried++) {
      await new Promise((resume) => setTimeout(resume, WRITE_AGAIN_MS));
      const waiting = unwritten.get(name);
      // Written, or another's by now.
      if (waiting?.writer !== writer) return;
      const { values } = waiting;
      hold(name, values, writer);
      try {
        await write(name, values);
        tried = 0;
        // Changed again meanwhile: then there is more to write.
        if (unwritten.get(name)?.values === values) unwritten.delete(name);
      } catch (error) {
        if (tried < WRITES || unwritten.get(name)?.writer !== writer) continue;
        unwritten.delete(name);
        log({ level: "error", message: "session not kept", error: describeError(error) });
      }
    }
  };

  /**
   * One change of a session at a time, so that none is lost here. Waits on its own request's timers: what waits for a
   * promise of another request has nothing of its own to wait for, and the runtime may take it for hung.
   */
  const inTurn = async (name: string, work: () => Promise<void>): Promise<void> => {
    let pause = LOOK_AGAIN_MS;
    for (let busy = turns.get(name); busy && now() - busy.since < TURN_MS; busy = turns.get(name)) {
      await new Promise((resume) => setTimeout(resume, pause));
      pause = Math.min(2 * pause, MAX_PAUSE_MS);
    }
    const exchange = { since: now() };
    turns.set(name, exchange);
    try {
      await work();
    } finally {
      if (turns.get(name) === exchange) turns.delete(name);
    }
  };

  return {
    async read(principal, id) {
      const name = nameOf(principal, id);
      const { values, written } = await load(name);
      // Used is used, also without a change: it lives on.
      if (now() - written > (ttlSeconds * 1_000) / 2) {
        defer(inTurn(name, async () => write(name, (await load(name)).values)).catch(() => {}));
      }
      return values;
    },
    update(principal, id, changes) {
      const name = nameOf(principal, id);
      return inTurn(name, async () => {
        const before = (await load(name)).values;
        const values = changedBy(before, changes);
        if (!fits(charactersOf(values), charactersOf(before))) throw new SessionFull();
        const waiting = unwritten.get(name);
        if (waiting) {
          const { writer, tended } = waiting;
          if (now() - writer.since > WRITER_MS) beginWriting(name, values);
          else hold(name, values, writer, tended);
          return;
        }
        try {
          await write(name, values);
        } catch {
          beginWriting(name, values);
        }
      });
    },
    async end(principal, id) {
      unwritten.delete(nameOf(principal, id));
      await kv.put(ended(principal, id), "", { expirationTtl: SESSION_LIFETIME_MS / 1_000 });
      // It has ended all the same: KV may refuse this within a second of the last write, and forgets it in time.
      await kv
        .delete(nameOf(principal, id))
        .catch((error) => log({ level: "warning", message: "session not yet forgotten", error: describeError(error) }));
    },
    hasEnded: async (principal, id) => (await kv.get(ended(principal, id))) !== null,
  };
}

/** What was read back may be of an earlier version, or damaged: then it is forgotten, and no call fails for it. */
function isStored(stored: Stored | null): stored is Stored {
  return typeof stored?.values === "object" && stored.values !== null && typeof stored.written === "number";
}
