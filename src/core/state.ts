/** What a conversation remembers between its calls, and the interface a store of it implements. */
import type { Json } from "./json.ts";

/** A session as a tool sees it: a small map of JSON values, read once and written once a call. */
export interface Session {
  /** Unguessable, and of no use to any other principal. */
  readonly id: string;
  get<Value extends Json>(key: string): Promise<Value | undefined>;
  /** Kept when the call ends, whatever its outcome. Last write wins between calls that overlap. */
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Where session values live. */
export interface SessionStore {
  /** The values of one session; empty when there are none (any more). */
  read(principal: string, id: string): Promise<Record<string, Json>>;
  write(principal: string, id: string, values: Record<string, Json>): Promise<void>;
  /** Forgets the session's values and remembers that it ended. */
  end(principal: string, id: string): Promise<void>;
  /** Whether {@link end} was called for it. */
  hasEnded(principal: string, id: string): Promise<boolean>;
}

/** A session bound to one call: the first access reads, {@link OpenSession.close} writes if anything changed. */
export interface OpenSession extends Session {
  close(): Promise<void>;
}

export function openSession(store: SessionStore, principal: string, id: string): OpenSession {
  let values: Promise<Record<string, Json>> | undefined;
  let changed = false;
  const load = () => {
    values ??= store.read(principal, id);
    return values;
  };
  return {
    id,
    async get<Value extends Json>(key: string) {
      const all = await load();
      return Object.hasOwn(all, key) ? (structuredClone(all[key]) as Value) : undefined;
    },
    async set(key, value) {
      const all = await load();
      Object.defineProperty(all, key, { value, enumerable: true, configurable: true, writable: true });
      changed = true;
    },
    async delete(key) {
      delete (await load())[key];
      changed = true;
    },
    async close() {
      if (changed && values) await store.write(principal, id, await values);
    },
  };
}
