/**
 * Session values in Durable Objects. Every call sees all earlier changes, whichever isolate made them, and no change is
 * lost. The price is a request to an object for each call that reads or changes its session.
 */
import type { Json } from "../../core/lib/json.ts";
import { ANONYMOUS } from "../../core/model/principal.ts";
import { SessionFull } from "../../core/model/session.ts";
import type { SessionStore } from "../../core/ports/session-store.ts";
import { retryStub } from "../../stores/retry-stub.ts";
import type { Sessions } from "./sessions.ts";

/** How many objects share a principal's sessions. */
const SHARDS = 4;
const NO_ROOM = "The object of this session is full (256 MB) until some of its sessions expire";

type Stub = Pick<Sessions, "read" | "update" | "end" | "hasEnded">;

/** @param ttlSeconds how long a session is kept after its last use */
export function objectSessions(objects: DurableObjectNamespace<Sessions>, ttlSeconds: number): SessionStore {
  const ttlMs = ttlSeconds * 1_000;
  // The RPC types wrap each value in a stub type; the values are plain JSON.
  // Ids are random from the first character. Anonymous callers share one principal, and are too many for a few objects.
  const objectOf = (principal: string, id: string) =>
    objects.getByName(
      `${principal}/${principal === ANONYMOUS ? id.slice(0, 2) : id.charCodeAt(0) % SHARDS}`,
    ) as unknown as Stub;
  const ask = <Answer>(principal: string, id: string, work: (sessions: Stub) => Promise<Answer>) =>
    retryStub(() => objectOf(principal, id), work);
  return {
    read: (principal, id) => ask(principal, id, (sessions) => sessions.read(id, ttlMs)),
    async update(principal, id, changes) {
      const texts = Object.entries(changes).map(inText);
      const updated = await ask(principal, id, (sessions) => sessions.update(id, texts, ttlMs));
      if (updated === "no_room") throw new RangeError(NO_ROOM);
      if (updated === "too_large") throw new SessionFull();
    },
    end: (principal, id) => ask(principal, id, (sessions) => sessions.end(id)),
    hasEnded: (principal, id) => ask(principal, id, (sessions) => sessions.hasEnded(id)),
  };
}

function inText([key, value]: [string, Json | undefined]): [string, string | null] {
  return [key, value === undefined ? null : JSON.stringify(value)];
}
