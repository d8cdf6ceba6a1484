/**
 * Idempotency on two stores: a Durable Object grants claims and stores small results, KV stores large ones. Tools
 * without effects need no claim and use KV alone. How failures are handled: if the object cannot be reached, a call
 * with effects is refused before it runs. If the object does not accept a result, the result is left in KV, where a
 * runner that takes over the key looks first. If a result is not visible in KV yet, the caller is asked to try again,
 * and the tool does not run again. If no store accepts a result, a marker says that the call ran.
 */
import type { LeaseAttempt } from "../core/idempotency/lease.ts";
import { readRecord } from "../core/idempotency/sealed-record.ts";
import { describeError, type Log } from "../core/lib/log.ts";
import type { Claim, ClaimRequest, IdempotencyStore, Known, Running } from "../core/ports/idempotency-store.ts";
import { type Claims, type ClaimsObject, type Found, MAX_ROW } from "./claims-object.ts";
import { kvIdempotency, leftName, recordName } from "./kv-idempotency.ts";
import { type Retry, retryStub } from "./retry-stub.ts";

/** Objects that share a principal's keys: a single one would limit the throughput of a busy principal. */
const SHARDS = 4;
/** How much longer than the tool's time limit a lease lasts: until a result left in KV is visible everywhere. */
const MARGIN_MS = 90_000;
/** Each step is safe to repeat: the token identifies the attempt, and the record is the same each time. */
const RETRY: Retry = { tries: 3, waitMs: 100 };
const RETRY_MS = 1_000;
/**
 * How long a duplicate waits in the object, where it learns at once that the run has ended. After that, it polls:
 * an object is paid for while it is awake.
 */
const AWAKE_MS = 1_000;
const MAX_PAUSE_MS = 5_000;

export interface ObjectIdempotencyDependencies {
  readonly objects: DurableObjectNamespace<ClaimsObject>;
  readonly kv: KVNamespace;
  readonly ttlSeconds: number;
  readonly log: Log;
  /** {@link MARGIN_MS}; shorter in tests. */
  readonly marginMs?: number;
}

/** Makes claims atomic for tools with effects; see the top of this file. */
export function objectIdempotency(dependencies: ObjectIdempotencyDependencies): IdempotencyStore {
  const { objects, kv, ttlSeconds, log, marginMs = MARGIN_MS } = dependencies;
  const plain = kvIdempotency(kv, ttlSeconds, log);
  const keepMs = ttlSeconds * 1_000;
  const ask = <Answer>(request: ClaimRequest, work: (claims: Claims) => Promise<Answer>) =>
    retryStub(() => object(request), work, RETRY);
  const object = ({ principal, key }: ClaimRequest) =>
    objects.getByName(`${principal}/${Number.parseInt(key.slice(0, 4), 16) % SHARDS}`) as unknown as Claims;

  const readKnown = async ({ fingerprint }: ClaimRequest, name: string): Promise<Known | undefined> => {
    const record = readRecord(await kv.get(name));
    return record?.fingerprint === fingerprint ? { state: "known", record } : undefined;
  };

  /** The result of a runner that lost its lease: either left behind, or stored as the key's record. */
  const leftBy = async (request: ClaimRequest): Promise<Known | undefined> =>
    (await readKnown(request, leftName(request.key))) ?? (await readKnown(request, recordName(request.key)));

  const known = async (found: Found & { state: "done" }, request: ClaimRequest): Promise<Known> => {
    const record = readRecord(found.record ?? null);
    const result = record ? ({ state: "known", record } as const) : await readKnown(request, recordName(request.key));
    if (result === undefined) throw new Error("The result is in KV, but not visible at this location yet");
    return result;
  };

  const claimed = (request: ClaimRequest, token: string): Claim & { state: "claimed" } => {
    const { key, fingerprint } = request;
    return {
      state: "claimed",
      async settle(record, ranOnly): Promise<"kept" | Known | Running> {
        const text = JSON.stringify(record);
        const small = text.length > MAX_ROW ? JSON.stringify(await ranOnly()) : undefined;
        let found: "kept" | Found;
        try {
          found = await ask(request, (claims) => claims.settle(key, { fingerprint, token, keepMs }, text, small));
        } catch (error) {
          log({ level: "error", message: "claim not settled", error: describeError(error) });
          // A runner that takes the key over looks here before it runs the tool.
          const leave = (store: KVNamespace) => store.put(leftName(key), text, { expirationTtl: ttlSeconds });
          await retryStub(() => kv, leave, RETRY).catch((lost) =>
            log({ level: "error", message: "result not kept", error: describeError(lost) }),
          );
          return "kept";
        }
        if (found === "kept") return found;
        const running: Running = { state: "running", retryAfterMs: RETRY_MS };
        if (found.state !== "done") return running;
        return known(found, request).catch((error) => {
          log({ level: "warning", message: "another's result not read", error: describeError(error) });
          return running;
        });
      },
      async extendLease(ms: number): Promise<boolean> {
        const leaseMs = ms + request.limitMs + marginMs;
        return ask(request, (claims) => claims.extend(key, token, leaseMs)).catch((error) => {
          log({ level: "error", message: "claim not extended", error: describeError(error) });
          return false;
        });
      },
      release: () =>
        ask(request, (claims) => claims.release(key, token)).catch((error) =>
          // The lease will expire.
          log({ level: "warning", message: "claim not released", error: describeError(error) }),
        ),
    };
  };

  const attemptOf = ({ fingerprint, limitMs }: ClaimRequest): LeaseAttempt => {
    return { fingerprint, token: crypto.randomUUID(), leaseMs: limitMs + marginMs, keepMs };
  };

  /** Asks the object to grant the claim, and waits while another caller's run is going on. */
  const tryToClaim = async (request: ClaimRequest, attempt: LeaseAttempt, isLook = false): Promise<Found> => {
    const { key, limitMs } = request;
    const until = Date.now() + limitMs;
    let awakeMs = Math.min(AWAKE_MS, limitMs);
    for (let pauseMs = AWAKE_MS; ; ) {
      const found = await ask(request, (claims) => claims.claim(key, attempt, awakeMs, isLook));
      if (found.state !== "running" || Date.now() >= until) return found;
      // The key became free while this caller waited. The caller is still connected, so claim again.
      if (found.untilMs === 0) continue;
      awakeMs = 0;
      await new Promise((resume) => setTimeout(resume, Math.min(pauseMs, until - Date.now())));
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  };

  const resultOf = async (found: Exclude<Found, { state: "claimed" }>, request: ClaimRequest) => {
    switch (found.state) {
      case "conflict":
        return found;
      case "running":
        return { state: "running", retryAfterMs: RETRY_MS } as const;
      case "done":
        return known(found, request);
    }
  };

  return {
    async claim(request) {
      if (!request.once) return plain.claim(request);
      const attempt = attemptOf(request);
      const found = await tryToClaim(request, attempt);
      if (found.state !== "claimed") return resultOf(found, request);
      const claim = claimed(request, attempt.token);
      if (!found.again) return claim;
      const before = await leftBy(request).catch(async (error) => {
        // We cannot tell whether the tool ran. Give up the lease: the next caller may be able to tell.
        await ask(request, (claims) => claims.forsake(request.key, attempt.token)).catch(() => {});
        throw error;
      });
      if (before === undefined) return claim;
      const { record } = before;
      await claim.settle(record, async () => record);
      return before;
    },
    async look(request) {
      if (!request.once) return plain.look(request);
      const found = await tryToClaim(request, attemptOf(request), true);
      if (found.state !== "claimed") return resultOf(found, request);
      return found.again ? leftBy(request) : undefined;
    },
  };
}
