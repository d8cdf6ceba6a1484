/**
 * Idempotency on both stores: a Durable Object claims, KV keeps. A tool without effects needs no claim
 * and goes to KV alone. Which side each failure falls on: while the object cannot be reached, a call with effects is
 * refused before it runs; a result that the object cannot be told is left in KV, where a runner that takes the key over
 * looks first; a result that KV does not show yet is "try again", and never run again; if no store can take a result, a
 * marker says that the call ran.
 */
import type { LeaseAttempt } from "../core/idempotency/lease.ts";
import { describeError, type Log } from "../core/lib/log.ts";
import {
  type Claim,
  type ClaimRequest,
  type IdempotencyStore,
  type Known,
  type Running,
  readRecord,
} from "../core/ports/idempotency-store.ts";
import { type Claims, type ClaimsObject, type Found, MAX_COPY } from "./claims.ts";
import { kvIdempotency, leftName, recordName } from "./kv-idempotency.ts";

/** Objects that share a principal's keys: one that holds all would be the limit of a busy principal. */
const SHARDS = 4;
/** What a lease lasts beyond the tool's limit: a result left in KV is visible everywhere by then. */
const MARGIN_MS = 90_000;
const TRIES = 3;
const TRY_AGAIN_MS = 50;
const RETRY_MS = 1_000;

export interface ObjectIdempotencyParts {
  readonly objects: DurableObjectNamespace<ClaimsObject>;
  readonly kv: KVNamespace;
  readonly ttlSeconds: number;
  readonly log: Log;
  /** Milliseconds; less only for tests. */
  readonly marginMs?: number;
}

export function objectIdempotency({
  objects,
  kv,
  ttlSeconds,
  log,
  marginMs = MARGIN_MS,
}: ObjectIdempotencyParts): IdempotencyStore {
  const plain = kvIdempotency(kv, ttlSeconds, log);
  const keepMs = ttlSeconds * 1_000;
  // A fresh stub for each try: one that failed may be broken for good.
  const object = ({ principal, key }: ClaimRequest) =>
    objects.getByName(`${principal}/${Number.parseInt(key.slice(0, 4), 16) % SHARDS}`) as unknown as Claims;

  const kept = async ({ fingerprint }: ClaimRequest, name: string): Promise<Known | undefined> => {
    const record = readRecord(await kv.get(name));
    return record?.fingerprint === fingerprint ? { state: "known", record } : undefined;
  };

  /** The result of a runner that was given up: under its own name, or already under the record's. */
  const left = async (request: ClaimRequest): Promise<Known | undefined> =>
    (await kept(request, leftName(request.key))) ?? (await kept(request, recordName(request.key)));

  const known = async (found: Found & { state: "done" }, request: ClaimRequest): Promise<Known> => {
    const record = readRecord(found.record ?? null);
    const result = record ? ({ state: "known", record } as const) : await kept(request, recordName(request.key));
    if (result === undefined) throw new Error("The result is known, and not visible here yet");
    return result;
  };

  const claimed = (request: ClaimRequest, token: string): Claim & { state: "claimed" } => {
    const { key, fingerprint } = request;
    return {
      state: "claimed",
      async settle(record, ranOnly): Promise<"kept" | Known | Running> {
        const text = JSON.stringify(record);
        const small = text.length > MAX_COPY ? JSON.stringify(await ranOnly()) : undefined;
        let found: "kept" | Found;
        try {
          found = await trying(() => object(request).settle(key, { fingerprint, token, keepMs }, text, small));
        } catch (error) {
          log({ level: "error", message: "claim not settled", error: describeError(error) });
          // Whoever takes the key over looks here before it runs.
          await trying(() => kv.put(leftName(key), text, { expirationTtl: ttlSeconds })).catch((lost) =>
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
        return trying(() => object(request).extend(key, token, leaseMs)).catch((error) => {
          log({ level: "error", message: "claim not extended", error: describeError(error) });
          return false;
        });
      },
      async release(): Promise<void> {
        await trying(() => object(request).release(key, token)).catch((error) =>
          // The lease runs out.
          log({ level: "warning", message: "claim not released", error: describeError(error) }),
        );
      },
    };
  };

  const attemptOf = ({ fingerprint, limitMs }: ClaimRequest): LeaseAttempt => {
    return { fingerprint, token: crypto.randomUUID(), leaseMs: limitMs + marginMs, keepMs };
  };

  /** Asks the object, and waits for a run that goes on. */
  const ask = async (request: ClaimRequest, attempt: LeaseAttempt, isLook = false): Promise<Found> => {
    const { key, limitMs } = request;
    const until = Date.now() + limitMs;
    const once = () => trying(() => object(request).claim(key, attempt, Math.max(0, until - Date.now()), isLook));
    let found = await once();
    // Free while this one waited: it is there, so it calls again.
    while (found.state === "running" && found.untilMs === 0 && Date.now() < until) found = await once();
    return found;
  };

  const another = async (found: Exclude<Found, { state: "claimed" }>, request: ClaimRequest) => {
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
      const found = await ask(request, attempt);
      if (found.state !== "claimed") return another(found, request);
      const mine = claimed(request, attempt.token);
      if (!found.again) return mine;
      const before = await left(request).catch(async (error) => {
        // Nobody can say whether it ran: the next to come may be able to.
        await trying(() => object(request).forsake(request.key, attempt.token)).catch(() => {});
        throw error;
      });
      if (before === undefined) return mine;
      const { record } = before;
      await mine.settle(record, async () => record);
      return before;
    },
    async look(request) {
      if (!request.once) return plain.look(request);
      const found = await ask(request, attemptOf(request), true);
      if (found.state !== "claimed") return another(found, request);
      return found.again ? left(request) : undefined;
    },
  };
}

/** Each of these may be done twice: an attempt is known by its token, and a record is the same each time. */
async function trying<Result>(action: () => Promise<Result>): Promise<Result> {
  for (let tried = 1; ; tried++) {
    try {
      return await action();
    } catch (error) {
      if (tried === TRIES) throw error;
      await new Promise((resume) => setTimeout(resume, TRY_AGAIN_MS * 2 ** tried));
    }
  }
}
