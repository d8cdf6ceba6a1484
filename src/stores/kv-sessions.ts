/**
 * Session values on Workers KV, one value per session. Calls of one session that overlap overwrite each other's
 * values (the last one wins), and another location may see a write up to 60 s late.
 */
import type { Json } from "../core/json.ts";
import type { SessionStore } from "../core/state.ts";

/** As long as a session's id may be good: an ended session must not come back to life. */
const ENDED_SECONDS = 30 * 86_400;

/** @param ttlSeconds how long a session lives after its last write; KV takes no less than 60 */
export function kvSessions(kv: KVNamespace, ttlSeconds: number): SessionStore {
  const values = (principal: string, id: string) => `session:${principal}:${id}`;
  const ended = (principal: string, id: string) => `ended:${principal}:${id}`;
  return {
    read: async (principal, id) => (await kv.get<Record<string, Json>>(values(principal, id), "json")) ?? {},
    write: (principal, id, all) => kv.put(values(principal, id), JSON.stringify(all), { expirationTtl: ttlSeconds }),
    async end(principal, id) {
      await kv.put(ended(principal, id), "", { expirationTtl: ENDED_SECONDS });
      await kv.delete(values(principal, id));
    },
    hasEnded: async (principal, id) => (await kv.get(ended(principal, id))) !== null,
  };
}
