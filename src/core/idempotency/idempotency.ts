/**
 * Makes keyed calls run at most once: a call claims its key, and its outcome is stored for calls that repeat it. If a
 * call times out or is cancelled, its key stays taken while the tool is still running; the next call with that key gets
 * the result.
 */

import { exactVersion } from "../catalog/catalog.ts";
import { randomId } from "../crypto/encoding.ts";
import { describeError } from "../lib/log.ts";
import { type Call, type Granted, namesOf } from "../model/call.ts";
import type { CallResult, TaskSession } from "../model/call-result.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import { DEFAULT_TIMEOUT_MS } from "../model/default-time-limit.ts";
import { isFinal, type Outcome, type Refusal } from "../model/outcome.ts";
import { GRANT, granted, isNamed, lacking, partitionOf } from "../model/principal.ts";
import type { Claim, ClaimRequest, IdempotencyRecord, Known, Running } from "../ports/idempotency-store.ts";
import type { Runtime } from "../ports/runtime.ts";
import { type CallIdentity, fingerprint, storeKeyOf } from "./call-identity.ts";
import type { RunLease } from "./lease.ts";
import { openRecord, type RecordedCall, recordKey, sealRecord } from "./sealed-record.ts";

const STORE_RETRY_MS = 1_000;

export interface Lease extends RunLease, CallKeys {
  readonly claim: Claim & { readonly state: "claimed" };
  /** In milliseconds of {@link Runtime.now}. */
  readonly claimedAt: number;
  /** See {@link CallResult.run}. */
  readonly run: string;
}

/** What is derived from a call's identity: its key in the stores, its fingerprint, the encryption key of its record. */
export interface CallKeys {
  readonly storeKey: string;
  readonly fingerprint: string;
  readonly sealing: CryptoKey;
}

type Claimed = { readonly lease: Lease } | { readonly result: CallResult };

/** A call of a tool, whether or not it can run. */
export interface Attempt {
  readonly caller: Call;
  readonly primitive: CatalogEntry;
  readonly granted: Pick<Granted, "fromCaller">;
  readonly runtime: Runtime;
}

interface KeyedRun extends Attempt {
  readonly context: { readonly sawSession: boolean; scrub(text: string): string };
}

interface Ran {
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** Set if the tool keeps running after its time limit: how it ends. */
  readonly late?: Promise<Outcome | undefined>;
}

/**
 * Claims a key for a call. Only the holder of the lease may run the tool, and it must settle afterwards. Never rejects.
 *
 * @param key the client's idempotency key
 * @returns a lease, or if this call must not run, a refusal or the result of the earlier call with this key
 */
export async function claim(tool: KeyedRun, key: string): Promise<Claimed> {
  let keys: CallKeys;
  let claim: Claim;
  try {
    // Derive the keys before the tool runs: without them the result could not be stored.
    keys = await keysOf(tool, key);
    tool.caller.client?.onWait?.();
    claim = await tool.runtime.idempotency.claim(requestOf(tool, keys));
  } catch (error) {
    return { result: unavailable(tool, error) };
  }
  if (claim.state !== "claimed") return { result: await resultWithoutRun(claim, tool, keys) };
  const extend = (ms: number) => claim.extendLease(ms);
  return { lease: { ...keys, claim, claimedAt: tool.runtime.now(), run: randomId(), extend } };
}

/**
 * Returns the result for a call that will not run itself, if an earlier call with this key has run or is running.
 * Claims nothing.
 *
 * @param key the client's idempotency key
 * @returns a refusal or the earlier result, as {@link claim} does; undefined if no such call is known. Never rejects
 */
export async function recall(attempt: Attempt, key: string): Promise<CallResult | undefined> {
  try {
    const keys = await keysOf(attempt, key);
    const found = await attempt.runtime.idempotency.look(requestOf(attempt, keys));
    // A different call has this key. The reason why this one cannot run is more useful than the conflict.
    if (found === undefined || found.state === "conflict") return undefined;
    return await resultWithoutRun(found, attempt, keys);
  } catch (error) {
    return unavailable(attempt, error);
  }
}

/** The result if we cannot tell whether the call has run: running it could run it twice. */
function unavailable(attempt: Attempt, error: unknown): CallResult {
  const { callId } = attempt.caller;
  attempt.runtime.log({ level: "error", message: "idempotency unavailable", callId, error: describeError(error) });
  return refused(attempt, { reason: "unavailable", retryAfterMs: STORE_RETRY_MS });
}

/**
 * Stores a final outcome for the call's key; after any other outcome, frees the key. If the tool is still running after
 * a timeout or cancellation, does so when the tool ends.
 */
export async function settle(tool: KeyedRun, lease: Lease, ran: Ran): Promise<CallResult> {
  const { primitive: entry, runtime } = tool;
  const { outcome, durationMs, late } = ran;
  if (isFinal(outcome)) {
    const kept = await keep(tool, lease, outcome, durationMs);
    // If the lease was lost and another call has run, all callers get the result of that call.
    return kept === "kept" ? { outcome, durationMs, entry, run: lease.run } : resultWithoutRun(kept, tool, lease);
  }
  if (late) {
    runtime.defer(late.then((end) => settleLate(tool, lease, end)));
    tool.caller.client?.keepInput?.(late);
  } else await lease.claim.release();
  return { outcome, durationMs, entry };
}

async function settleLate(tool: KeyedRun, lease: Lease, end: Outcome | undefined): Promise<void> {
  const { caller, runtime } = tool;
  // The caller may have used the session since, so what the tool read from it may not come from this call's input.
  const begun = caller.beginsSession && "further";
  if (end && isFinal(end)) await keep(tool, lease, end, runtime.now() - lease.claimedAt, begun);
  else await lease.claim.release();
}

export async function keysOf({ caller, primitive, granted, runtime }: Attempt, key: string): Promise<CallKeys> {
  const { principal, context, input = {}, attachments } = caller;
  const userId = context.userId || undefined;
  const ownKey = runtime.buildId === undefined ? key : `${runtime.buildId()} ${key}`;
  const identity: CallIdentity = [partitionOf(principal), userId, primitive.id, ownKey];
  // An authenticated caller that names its user may have refreshed that user's tokens since the last try. For other
  // callers, credentials may be all that tells users apart.
  const credentials = userId !== undefined && isNamed(principal) ? undefined : granted.fromCaller;
  const { signer } = runtime;
  return {
    storeKey: await storeKeyOf(signer, identity),
    fingerprint: await fingerprint(signer, identity, input, attachments && namesOf(attachments), credentials),
    sealing: await recordKey(signer, identity),
  };
}

function requestOf(
  { caller, primitive: { id, options }, runtime }: Attempt,
  { storeKey, fingerprint }: CallKeys,
): ClaimRequest {
  return {
    principal: partitionOf(caller.principal),
    key: storeKey,
    fingerprint,
    // All versions share their keys, so if one version needs atomic claims, all do.
    once:
      needsOnce(options) || runtime.catalog.all(undefined).some((other) => other.id === id && needsOnce(other.options)),
    limitMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  };
}

function needsOnce({ once, annotations }: CatalogEntry["options"]): boolean {
  return once ?? annotations?.readOnly !== true;
}

async function keep(
  { caller, primitive, context, runtime }: KeyedRun,
  { claim, fingerprint, sealing, run }: Lease,
  outcome: Outcome,
  durationMs: number,
  begun = caller.beginsSession ?? false,
): Promise<"kept" | Known | Running> {
  const id = caller.sessionId;
  const ran: RecordedCall = {
    version: primitive.version,
    run,
    durationMs,
    scopes: scopesOf(caller, runtime),
    session: id === undefined ? undefined : { id, begun, by: partyOf(caller), seen: context.sawSession },
  };
  const ranOnly = async () => (await sealRecord(sealing, fingerprint, ran)) as IdempotencyRecord;
  const keepsResult = primitive.options.keep !== false;
  const call = { callId: caller.callId, tool: primitive.id };
  let record: IdempotencyRecord | undefined;
  try {
    record = keepsResult ? await sealRecord(sealing, fingerprint, { ...ran, outcome }) : undefined;
    if (keepsResult && record === undefined)
      runtime.log({ level: "warning", message: "result too large to be kept", ...call });
  } catch (error) {
    // The call has run and must not run again: store at least that, even if the result cannot be stored.
    const described = describeError(error, context.scrub);
    runtime.log({ level: "error", message: "result not sealed", ...call, error: described });
  }
  return claim.settle(record ?? (await ranOnly()), ranOnly);
}

/** The caller's scopes that the deployment uses; undefined if none. */
function scopesOf({ principal: { scopes } }: Call, { catalog }: Runtime): RecordedCall["scopes"] {
  const used = granted(catalog.scopes, scopes);
  if (used.length === 0) return undefined;
  return scopes === "all" ? scopes : used;
}

/** The result of a call that does not run, because another call with its key is running or has run. */
async function resultWithoutRun(
  claim: Exclude<Claim, { state: "claimed" }>,
  attempt: Attempt,
  { sealing }: CallKeys,
): Promise<CallResult> {
  if (claim.state === "conflict") return refused(attempt, { reason: "conflict" });
  if (claim.state === "running") return refused(attempt, { reason: "running", retryAfterMs: claim.retryAfterMs });
  const recorded = await openRecord(sealing, claim.record);
  if (recorded === undefined) return refused(attempt, { reason: "not_kept" });
  const { version, outcome, durationMs, session } = recorded;
  const { caller, primitive, runtime } = attempt;
  if (!isSameCall(recorded, caller)) return refused(attempt, { reason: "conflict" });
  const ran = runtime.catalog.find({ id: primitive.id, version }, caller.toolkit);
  const entry = "entry" in ran ? ran.entry : primitive;
  if (outcome === undefined) return { ...refused(attempt, { reason: "not_kept" }), entry };
  return { outcome, durationMs, entry, replayed: true, run: recorded.run, sessionId: sessionOfReplay(session, caller) };
}

/**
 * The session that the replay of a result continues. Callers who share a principal may use the same key by chance. They
 * may get the result, because they sent the same input. They must not get the session, which may later hold another
 * person's data.
 *
 * @returns undefined if it is the caller's own; null if it may be another caller's
 */
export function sessionOfReplay(session: TaskSession | undefined, caller: Call): string | null | undefined {
  if (!session?.begun || !caller.beginsSession || session.id === caller.sessionId) return undefined;
  return wasStartedBy(session, caller) ? session.id : null;
}

/**
 * Whether a recorded result may be replayed to a call. It must not come from another session's values, from another
 * version, or from a caller with more scopes: tools can read scopes, and the version that ran may have demanded others.
 */
export function isSameCall(
  { version, session, scopes }: Pick<RecordedCall, "version" | "session" | "scopes">,
  call: Call,
): boolean {
  const { tool, sessionId, beginsSession = false, principal } = call;
  if (scopes === "all" ? principal.scopes !== "all" : lacking(scopes, principal.scopes).length > 0) return false;
  if (tool.version !== undefined && exactVersion(tool.version) !== version) return false;
  if (!session?.seen || session.id === sessionId) return true;
  return session.begun !== false && beginsSession !== false && (session.begun === true || wasStartedBy(session, call));
}

/**
 * Whether a caller who names a task may have the handle of its session: yes, if it started the session with the task.
 * (A caller that continued an earlier session already has its handle.) Callers that cannot be identified may have it if
 * they know the task's id, because only the caller that started the task gets that.
 */
export function mayContinue(session: Omit<TaskSession, "seen">, call: Pick<Call, "principal" | "toolkit">): boolean {
  return session.begun !== false && (session.by === undefined || wasStartedBy(session, call));
}

function wasStartedBy({ by }: Omit<TaskSession, "seen">, call: Pick<Call, "principal" | "toolkit">): boolean {
  return by !== undefined && by === partyOf(call);
}

/**
 * Tells callers that share a principal apart: by grant, and by path, because a token may be valid for only one path.
 */
export function partyOf({ principal, toolkit }: Pick<Call, "principal" | "toolkit">): string | undefined {
  return isNamed(principal) ? JSON.stringify([principal[GRANT], toolkit]) : undefined;
}

function refused({ primitive: entry }: Attempt, refusal: Refusal): CallResult {
  return { outcome: { kind: "refused", refusal }, durationMs: 0, entry };
}
