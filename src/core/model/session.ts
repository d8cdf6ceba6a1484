/** What a conversation remembers between its calls, and the interface a store of it implements. */
import { type Json, toJson } from "../lib/json.ts";

/** A session as a tool sees it: a small map of JSON values, read once and written once a call. */
export interface Session {
  /** Unguessable, and of no use to any other principal. */
  readonly id: string;
  get<Value extends Json>(key: string): Promise<Value | undefined>;
  /**
   * Kept when the call ends, whatever its outcome. Of calls that overlap, the last to end wins, key by key; what one of
   * them set is not kept, and the log says so, if it does not fit in with what the others did.
   *
   * @throws where the session would hold more than {@link MAX_SESSION_CHARACTERS}; left alone, the call fails and says so
   */
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Values by key. */
export type SessionValues = Readonly<Record<string, Json>>;
/** Values to set; undefined forgets the key. */
export type SessionChanges = Readonly<Record<string, Json | undefined>>;

/** Where session values live. A session lives on for as long as it is used. */
export interface SessionStore {
  /** The values of one session; empty when there are none (any more). */
  read(principal: string, id: string): Promise<SessionValues>;
  /**
   * Changes some values and leaves the others, also those that another call changed meanwhile.
   *
   * @throws {@link SessionFull} where the session would then hold too much: nothing is changed
   */
  update(principal: string, id: string, changes: SessionChanges): Promise<void>;
  /** Forgets the session's values and remembers that it ended. */
  end(principal: string, id: string): Promise<void>;
  /** Whether {@link end} was called for it. */
  hasEnded(principal: string, id: string): Promise<boolean>;
}

/**
 * How long a session's id is good. That it has ended is remembered as long and no longer: it must not come back to life,
 * and need not be known of for ever.
 */
export const SESSION_LIFETIME_MS = 30 * 86_400_000;

/** JSON characters that all of a session's values may have, keys included. */
export const MAX_SESSION_CHARACTERS = 131_072;

/** A session bound to one call: the first access reads, {@link OpenSession.close} writes if anything changed. */
export interface OpenSession extends Session {
  close(): Promise<void>;
}

export function openSession(store: SessionStore, principal: string, id: string): OpenSession {
  let loading: Promise<Map<string, Json>> | undefined;
  const changed = new Set<string>();
  let characters = 0;
  const load = () => {
    loading ??= store.read(principal, id).then((values) => {
      const all = new Map(Object.entries(values));
      for (const [key, value] of all) characters += sizeOf(key, value);
      return all;
    });
    return loading;
  };
  return {
    id,
    async get<Value extends Json>(key: string) {
      const value = (await load()).get(key);
      return value === undefined ? undefined : (structuredClone(value) as Value);
    },
    async set(key, given) {
      // As it is now, and as it will be read: what the caller does with its own later is no part of it.
      const value = structuredClone(toJson(given));
      const all = await load();
      const size = characters - sizeOf(key, all.get(key)) + sizeOf(key, value);
      if (!fits(size)) throw new SessionFull();
      characters = size;
      all.set(key, value);
      changed.add(key);
    },
    async delete(key) {
      const all = await load();
      characters -= sizeOf(key, all.get(key));
      all.delete(key);
      changed.add(key);
    },
    async close() {
      if (changed.size === 0) return;
      const all = await load();
      const changes = Object.fromEntries(Array.from(changed, (key) => [key, all.get(key)]));
      // A tool that works on behind its time limit may change more, and is written again.
      changed.clear();
      await store.update(principal, id, changes);
    },
  };
}

function sizeOf(key: string, value: Json | undefined): number {
  return value === undefined ? 0 : key.length + JSON.stringify(value).length;
}

/**
 * @param after  characters that the session would hold
 * @param before what it holds: it may lose some also if it holds too much
 */
export function fits(after: number, before = 0): boolean {
  return after <= MAX_SESSION_CHARACTERS || after < before;
}

export function charactersOf(values: SessionValues): number {
  return Object.entries(values).reduce((sum, [key, value]) => sum + sizeOf(key, value), 0);
}

/** Has the shape of a `ToolError`, as the caller is to be told. */
export class SessionFull extends Error {
  override readonly name = "ToolError";
  readonly fault = { message: `The session is full: it holds ${MAX_SESSION_CHARACTERS} characters of JSON` };
  override readonly message = this.fault.message;
}

/** The values with changes made: fromEntries defines members, so that `__proto__` stays a plain key. */
export function changedBy(values: SessionValues, changes: SessionChanges): SessionValues {
  const all = new Map<string, Json | undefined>([...Object.entries(values), ...Object.entries(changes)]);
  return Object.fromEntries([...all].filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
