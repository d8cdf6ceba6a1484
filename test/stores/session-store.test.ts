import { env, waitUntil } from "cloudflare:workers";
import { expect, it } from "vitest";
import { openSession } from "../../src/core/call/open-session.ts";
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

it("on KV, a call that runs for long keeps what other isolates have written since it read its session", async () => {
  let now = Date.now();
  const isolate = () => kvSessions({ kv: KV, ttlSeconds, now: () => now, defer: waitUntil, log: () => {} });
  const [one, another] = [isolate(), isolate()];
  const id = crypto.randomUUID();
  const long = openSession(one, "p", id);
  expect(await long.get("note")).toBeUndefined();
  await another.update("p", id, { note: "written meanwhile" });
  now += 30_000;
  await long.set("done", true);
  await long.close();
  expect(await another.read("p", id)).toEqual({ note: "written meanwhile", done: true });
});
