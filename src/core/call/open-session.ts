/** The session of one call: read on first access, written once at the end. */
import { type Json, toJson } from "../lib/json.ts";
import { fits, type Session, SessionFull, type SessionValues, sizeOf } from "../model/session.ts";
import type { SessionStore } from "../ports/session-store.ts";

export interface OpenSession extends Session {
  /** Writes the changes since the last write. Throws if the store fails or the session would become too large. */
  close(): Promise<void>;
}

/** Opens a session for one call. Reads nothing until the first access. */
export function openSession(store: SessionStore, principal: string, id: string): OpenSession {
  let loading: Promise<Map<string, Json>> | undefined;
  let read: SessionValues | undefined;
  const changed = new Set<string>();
  let characters = 0;
  const load = () => {
    loading ??= store.read(principal, id).then((values) => {
      read = values;
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
      return value === undefined ? undefined : (toJson(value) as Value);
    },
    async set(key, given) {
      // Store a copy, so that later changes to the object have no effect.
      const value = toJson(given);
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
      // A tool that keeps running after its time limit may change more values; then `close` is called again.
      changed.clear();
      const before = read;
      read = undefined;
      await store.update(principal, id, changes, before);
    },
  };
}
