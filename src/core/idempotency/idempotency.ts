/**
 * Keyed calls run at most once: a call claims its key, and its outcome is kept under it for the calls that repeat it. If
 * a call times out or is cancelled, its key stays taken while the tool is still running; the next call with that key
 * gets the result.
 */

import { exactVersion } from "../catalog/catalog.ts";
import { describeError } from "../lib/log.ts";
import type { Call } from "../model/call.ts";
import type { CallResult } from "../model/call-result.ts";
import type { CatalogEntry } from "../model/catalog-entry.ts";
import type { Granted } from "../model/granted.ts";
import { isFinal, type Outcome, type Refusal } from "../model/outcome.ts";
import { GRANT, granted, isNamed, lacking, partitionOf } from "../model/principal.ts";
import {
  type CallIdentity,
  type Claim,
  type ClaimRequest,
  fingerprint,
  type IdempotencyRecord,
  type Known,
  type Running,
  storeKeyOf,
} from "../ports/idempotency-store.ts";
import type { Runtime } from "../ports/runtime.ts";
import { DEFAULT_TIMEOUT_MS } from "../run/run-code.ts";
import type { RunLease, TimedRun, ToolRun } from "../run/run-tool.ts";
import { type Kept, type KeptSession, openRecord, recordKey, sealRecord } from "./sealed-record.ts";

const STORE_RETRY_MS = 1_000;

/** The right to run a keyed call. */
export interface Lease extends RunLease {
  readonly keys: CallKeys;
  readonly claim: Claim & { readonly state: "claimed" };
  /** In milliseconds of {@link Runtime.now}. */
  readonly claimedAt: number;
}

/** A call's names: in the stores, its fingerprint, and its sealing key. */
interface CallKeys {
  readonly storeKey: string;
  readonly fingerprint: string;
  readonly sealing: CryptoKey;
}

type Claimed = { readonly lease: Lease } | { readonly result: CallResult };

/** A call of a tool, whether or not it can run. */
type Attempt = Pick<ToolRun, "caller" | "offer" | "runtime"> & { readonly granted: Pick<Granted, "fromCaller"> };

/**
 * Claims a key for a call: only the holder of the lease may run the tool, and must settle afterwards.
 *
 * @param key the client's
 * @returns the result of the call that had the key before, or a refusal, if this one must not run. Never rejects
 */
export async function claim(tool: ToolRun, key: string): Promise<Claimed> {
  let keys: CallKeys;
  let claim: Claim;
  try {
    // Derived before the tool runs: without it no result could be kept.
    keys = await keysOf(tool, key);
    claim = await tool.runtime.idempotency.claim(requestOf(tool, keys));
  } catch (error) {
    return { result: unavailable(tool, error) };
  }
  if (claim.state !== "claimed") return { result: await known(claim, tool, keys) };
  const { storeKey } = keys;
  return { lease: { storeKey, keys, claim, claimedAt: tool.runtime.now(), extend: (ms) => claim.extendLease(ms) } };
}

/**
 * What a call gets that has the key already, if any has. Claims nothing: for calls that will not run.
 *
 * @param key the client's
 * @returns as {@link claim} does; undefined if the key is free. Never rejects
 */
export async function recall(attempt: Attempt, key: string): Promise<CallResult | undefined> {
  try {
    const keys = await keysOf(attempt, key);
    const found = await attempt.runtime.idempotency.look(requestOf(attempt, keys));
    return found && (await known(found, attempt, keys));
  } catch (error) {
    return unavailable(attempt, error);
  }
}

/** Nobody can say whether it ran: the caller may try again, and must not be served without the promise that its key makes. */
function unavailable(attempt: Attempt, error: unknown): CallResult {
  const { callId } = attempt.caller;
  attempt.runtime.log({ level: "error", message: "ledger unavailable", callId, error: describeError(error) });
  return refused(attempt, { reason: "unavailable", retryAfterMs: STORE_RETRY_MS });
}

/**
 * Keeps a final outcome under the call's key; otherwise gives the key back, or lets it go when the tool ends that its
 * caller no longer waits for.
 */
export async function settle(tool: ToolRun, lease: Lease, ran: TimedRun): Promise<CallResult> {
  const { offer: entry, runtime } = tool;
  const { outcome, durationMs, late } = ran;
  if (isFinal(outcome)) {
    const kept = await keep(tool, lease, outcome, durationMs);
    // If this lease was lost and another call has run, all callers get that one's result.
    return kept === "kept" ? { outcome, durationMs, entry } : known(kept, tool, lease.keys);
  }
  if (late) runtime.defer(late.then((end) => settleLate(tool, lease, end)));
  else await lease.claim.release();
  return { outcome, durationMs, entry };
}

async function settleLate(tool: ToolRun, lease: Lease, end: Outcome | undefined): Promise<void> {
  const { caller, runtime } = tool;
  // Its caller may have gone on with the session meanwhile: what the tool read of it is for no other.
  const begun = caller.beginsSession && "further";
  if (end && isFinal(end)) await keep(tool, lease, end, runtime.now() - lease.claimedAt, begun);
  else await lease.claim.release();
}

async function keysOf({ caller, offer, granted, runtime }: Attempt, key: string): Promise<CallKeys> {
  const { principal, context, input = {}, attachments } = caller;
  const userId = context.userId || undefined;
  const identity: CallIdentity = [partitionOf(principal), userId, offer.id, key];
  // An authenticated caller that names its user may have refreshed that user's tokens since its last try. For others,
  // their credentials may be all that tells users apart.
  const namesUser = userId !== undefined && isNamed(principal);
  return {
    storeKey: await storeKeyOf(runtime.signer, identity),
    fingerprint: await fingerprint(
      runtime.signer,
      identity,
      input,
      attachments,
      namesUser ? undefined : granted.fromCaller,
    ),
    sealing: await recordKey(runtime.signer, identity),
  };
}

function requestOf(
  { caller, offer: { id, traits }, runtime }: Attempt,
  { storeKey, fingerprint }: CallKeys,
): ClaimRequest {
  return {
    principal: partitionOf(caller.principal),
    key: storeKey,
    fingerprint,
    // All versions share their keys, so one that needs atomic claims takes the others with it.
    once:
      needsOnce(traits) || runtime.catalog.all(undefined).some((other) => other.id === id && needsOnce(other.traits)),
    limitMs: traits.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  };
}

function needsOnce({ once, annotations }: CatalogEntry["traits"]): boolean {
  return once ?? annotations?.readOnly !== true;
}

async function keep(
  { caller, offer, context, runtime }: ToolRun,
  { claim, keys: { fingerprint, sealing } }: Lease,
  outcome: Outcome,
  durationMs: number,
  begun = caller.beginsSession ?? false,
): Promise<"kept" | Known | Running> {
  const id = caller.sessionId;
  const ran: Kept = {
    version: offer.version,
    durationMs,
    scopes: scopesOf(caller, runtime),
    session: id === undefined ? undefined : { id, begun, by: partyOf(caller), seen: context.sawSession },
  };
  const ranOnly = async () => (await sealRecord(sealing, fingerprint, ran)) as IdempotencyRecord;
  const isKept = offer.traits.keep !== false;
  const lost = { callId: caller.callId, tool: offer.id };
  let whole: IdempotencyRecord | undefined;
  try {
    whole = isKept ? await sealRecord(sealing, fingerprint, { ...ran, outcome }) : undefined;
    if (isKept && whole === undefined)
      runtime.log({ level: "warning", message: "result too large to be kept", ...lost });
  } catch (error) {
    // It has run, and must not again: that is kept, whatever was wrong with the result.
    const described = describeError(error, context.scrub);
    runtime.log({ level: "error", message: "result not sealed", ...lost, error: described });
  }
  return claim.settle(whole ?? (await ranOnly()), ranOnly);
}

/** Those that count of its caller's; undefined for none, as where nothing demands any. */
function scopesOf({ principal: { scopes } }: Call, { catalog }: Runtime): Kept["scopes"] {
  const counted = granted(catalog.scopes, scopes);
  if (counted.length === 0) return undefined;
  return scopes === "all" ? scopes : counted;
}

/** The ending of a call that does not run: another with its key does, or has. */
async function known(
  claim: Exclude<Claim, { state: "claimed" }>,
  run: Attempt,
  { sealing }: CallKeys,
): Promise<CallResult> {
  if (claim.state === "conflict") return refused(run, { reason: "conflict" });
  if (claim.state === "running") return refused(run, { reason: "running", retryAfterMs: claim.retryAfterMs });
  const kept = await openRecord(sealing, claim.record);
  if (kept === undefined) return refused(run, { reason: "not_kept" });
  const { version, outcome, durationMs, session } = kept;
  const { caller, offer, runtime } = run;
  if (!isOfThisCall(kept, caller)) return refused(run, { reason: "conflict" });
  const ran = runtime.catalog.find({ id: offer.id, version }, caller.toolkit);
  const entry = "entry" in ran ? ran.entry : offer;
  if (outcome === undefined) return { ...refused(run, { reason: "not_kept" }), entry };
  // Of others who have the principal too, an equal key shows nothing: the session goes on, and may come to hold anything.
  // The result came of the same input alone, as any that is replayed to them.
  const wasBegun = session?.begun && caller.beginsSession && session.id !== caller.sessionId;
  const sessionId = wasBegun ? (isBy(session, caller) ? session.id : null) : undefined;
  return { outcome, durationMs, entry, replayed: true, sessionId };
}

/**
 * A result made with another session's values, or by another version, must not be replayed; nor one of a caller with more
 * scopes than this one: a tool may look at them, and the version that ran may have demanded others.
 */
function isOfThisCall({ version, session, scopes }: Kept, call: Call): boolean {
  const { tool, sessionId, beginsSession = false, principal } = call;
  if (scopes === "all" ? principal.scopes !== "all" : lacking(scopes, principal.scopes).length > 0) return false;
  if (tool.version !== undefined && exactVersion(tool.version) !== version) return false;
  if (!session?.seen || session.id === sessionId) return true;
  return session.begun !== false && beginsSession !== false && (session.begun === true || isBy(session, call));
}

/** Whether the session was begun by this caller, as far as can be told. */
function isBy({ by }: KeptSession, call: Call): boolean {
  return by !== undefined && by === partyOf(call);
}

/** Who of a principal calls, and on which path, where its tokens may be good for one only. */
function partyOf({ principal, toolkit }: Call): string | undefined {
  return isNamed(principal) ? JSON.stringify([principal[GRANT], toolkit]) : undefined;
}

function refused({ offer: entry }: Attempt, refusal: Refusal): CallResult {
  return { outcome: { kind: "refused", refusal }, durationMs: 0, entry };
}
