/**
 * A keyed call: claims its key, runs, settles its result under it; or repeats the result of the call that did. A call
 * that its caller no longer waits for (time limit, cancelled) keeps its key while its tool works on: the next call with
 * the key gets what that comes to.
 */
import type { Call } from "./call.ts";
import { type CatalogEntry, exactVersion, granted, lacking } from "./catalog.ts";
import type { Ending } from "./ending.ts";
import type { Host } from "./host.ts";
import {
  type CallIdentity,
  type Claim,
  fingerprint,
  type Known,
  type LedgerRecord,
  ledgerKey,
  type Running,
} from "./ledger.ts";
import { describeError } from "./log.ts";
import { isFinal, type Outcome, type Refusal } from "./outcome.ts";
import { GRANT, isNamed, ownerOf } from "./principal.ts";
import { type Kept, type KeptSession, openRecord, recordKey, sealRecord } from "./record.ts";
import { DEFAULT_TIMEOUT_MS } from "./run.ts";
import type { Carried, ToolRun } from "./tool-run.ts";

const LEDGER_RETRY_MS = 1_000;

/** Nobody waited for it any more when its turn came: it has not run, and need not. */
const CANCELLED: Carried = { outcome: { kind: "cancelled" }, durationMs: 0 };

/** A call's names: in the stores, its fingerprint, and its sealing key. */
interface CallKeys {
  readonly storeKey: string;
  readonly fingerprint: string;
  readonly sealing: CryptoKey;
}

/** @param key the client's */
export async function once(run: ToolRun, key: string): Promise<Ending> {
  let keys: CallKeys;
  let claim: Claim;
  try {
    // Derived before the tool runs: without it no result could be kept.
    keys = await keysOf(run, key);
    claim = await claimFor(run, keys);
  } catch (error) {
    const { host, caller } = run;
    // Nothing has run: the caller may try again, and must not be served without the promise that its key makes.
    host.log({ level: "error", message: "ledger unavailable", callId: caller.callId, error: describeError(error) });
    return refused(run, { reason: "unavailable", retryAfterMs: LEDGER_RETRY_MS });
  }
  if (claim.state !== "claimed") return found(claim, run, keys);
  run.context.extendLease = (ms) => claim.extendLease(ms);
  const work = carriedOut(run, keys, claim);
  // A caller that goes between the run and its result must not take the result with it.
  run.host.defer(work.catch(() => {}));
  return work;
}

async function keysOf({ caller, offer, met, host }: ToolRun, key: string): Promise<CallKeys> {
  const { principal, context, input = {}, attachments } = caller;
  const userId = context.userId || undefined;
  const identity: CallIdentity = [ownerOf(principal), userId, offer.id, key];
  // An authenticated caller that names its user may have refreshed that user's tokens since its last try. For others,
  // their credentials may be all that tells users apart.
  const namesUser = userId !== undefined && isNamed(principal);
  return {
    storeKey: await ledgerKey(host.signer, identity),
    fingerprint: await fingerprint(host.signer, identity, input, attachments, namesUser ? undefined : met.fromCaller),
    sealing: await recordKey(host.signer, identity),
  };
}

function claimFor(
  { caller, offer: { id, traits }, host }: ToolRun,
  { storeKey, fingerprint }: CallKeys,
): Promise<Claim> {
  return host.ledger.claim({
    principal: ownerOf(caller.principal),
    key: storeKey,
    fingerprint,
    // All versions share their keys, so one that needs atomic claims takes the others with it.
    once: needsOnce(traits) || host.catalog.all(undefined).some((other) => other.id === id && needsOnce(other.traits)),
    limitMs: traits.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  });
}

function needsOnce({ once, annotations }: CatalogEntry["traits"]): boolean {
  return once ?? annotations?.readOnly !== true;
}

async function carriedOut(run: ToolRun, keys: CallKeys, claim: Claim & { state: "claimed" }): Promise<Ending> {
  const { caller, offer: entry, host } = run;
  const started = host.now();
  const isOver = caller.client?.signal.aborted;
  const { outcome, durationMs, late } = isOver ? CANCELLED : await run.carryOut(keys.storeKey);
  if (isFinal(outcome)) {
    const kept = await keep(run, keys, claim, outcome, durationMs);
    // This runner was given up, and another has run: all callers get the one result.
    return kept === "kept" ? { outcome, durationMs, entry } : found(kept, run, keys);
  }
  const afterwards = async (end: Outcome | undefined): Promise<void> => {
    // Its caller went on with the session meanwhile, if it likes: what the tool read of it is for no other.
    const begun = caller.beginsSession && "further";
    await (end && isFinal(end) ? keep(run, keys, claim, end, host.now() - started, begun) : claim.release());
  };
  if (late === undefined) await claim.release();
  else host.defer(late.then(afterwards));
  return { outcome, durationMs, entry };
}

async function keep(
  { caller, offer, context, host }: ToolRun,
  { fingerprint, sealing }: CallKeys,
  claim: Claim & { state: "claimed" },
  outcome: Outcome,
  durationMs: number,
  begun = caller.beginsSession ?? false,
): Promise<"kept" | Known | Running> {
  const id = caller.sessionId;
  const ran: Kept = {
    version: offer.version,
    durationMs,
    scopes: scopesOf(caller, host),
    session: id === undefined ? undefined : { id, begun, by: partyOf(caller), seen: context.sawSession },
  };
  const ranOnly = async () => (await sealRecord(sealing, fingerprint, ran)) as LedgerRecord;
  const isKept = offer.traits.keep !== false;
  const lost = { callId: caller.callId, tool: offer.id };
  let whole: LedgerRecord | undefined;
  try {
    whole = isKept ? await sealRecord(sealing, fingerprint, { ...ran, outcome }) : undefined;
    if (isKept && whole === undefined) host.log({ level: "warning", message: "result too large to be kept", ...lost });
  } catch (error) {
    // It has run, and must not again: that is kept, whatever was wrong with the result.
    const described = describeError(error, context.scrub);
    host.log({ level: "error", message: "result not sealed", ...lost, error: described });
  }
  return claim.settle(whole ?? (await ranOnly()), ranOnly);
}

/** Those that count of its caller's; undefined for none, as where nothing demands any. */
function scopesOf({ principal: { scopes } }: Call, { catalog }: Host): Kept["scopes"] {
  const counted = granted(catalog.scopes, scopes);
  if (counted.length === 0) return undefined;
  return scopes === "all" ? scopes : counted;
}

/** The ending of a call that does not run: another with its key does, or has. */
async function found(
  claim: Exclude<Claim, { state: "claimed" }>,
  run: ToolRun,
  { sealing }: CallKeys,
): Promise<Ending> {
  if (claim.state === "conflict") return refused(run, { reason: "conflict" });
  if (claim.state === "running") return refused(run, { reason: "running", retryAfterMs: claim.retryAfterMs });
  const kept = await openRecord(sealing, claim.record);
  if (kept === undefined) return refused(run, { reason: "not_kept" });
  const { version, outcome, durationMs, session } = kept;
  const { caller, offer, host } = run;
  if (!isOfThisCall(kept, caller)) return refused(run, { reason: "conflict" });
  const ran = host.catalog.find({ id: offer.id, version }, caller.toolkit);
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

function refused({ offer: entry }: ToolRun, refusal: Refusal): Ending {
  return { outcome: { kind: "refused", refusal }, durationMs: 0, entry };
}
