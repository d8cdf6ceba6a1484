import { env, waitUntil } from "cloudflare:workers";
import { objectSessions } from "../../src/features/session-objects/object-sessions.ts";
import type { Sessions } from "../../src/features/session-objects/sessions.ts";
import { kvSessions } from "../../src/stores/kv-sessions.ts";
import { memorySessions } from "../support/memory.ts";
import { sessionStoreContract } from "./session-store.contract.ts";

const { KV, CONTRACT_SESSIONS } = env as unknown as {
  KV: KVNamespace;
  CONTRACT_SESSIONS: DurableObjectNamespace<Sessions>;
};
const ttlSeconds = 60;

sessionStoreContract("memory", memorySessions);
sessionStoreContract("KV", () => kvSessions({ kv: KV, ttlSeconds, now: Date.now, defer: waitUntil, log: () => {} }));
sessionStoreContract("a Durable Object", () => objectSessions(CONTRACT_SESSIONS, ttlSeconds));
