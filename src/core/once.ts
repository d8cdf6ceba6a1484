/**
 * A keyed call: claims its key, runs, settles its result under it; or repeats the result of the call that did. A call
 * that its caller no longer waits for (time limit, cancelled) keeps its key while its tool works on: the next call with
 * the key gets what that comes to.
 */
import type { Ending } from "./ending.ts";
import { type Claim, confidenceOf, fingerprint, ledgerKey } from "./ledger.ts";
import { describeError } from "./log.ts";
import { isFinal, type Outcome, type Refusal } from "./outcome.ts";
import { ownerOf } from "./principal.ts";
import { DEFAULT_TIMEOUT_MS } from "./run.ts";
import type { Carried, ToolRun } from "./tool-run.ts";

const LEDGER_RETRY_MS = 1_000;

/** Nobody waited for it any more when its turn came: it has not run, and need not. */
const CANCELLED: Carried = { outcome: { kind: "cancelled" }, durationMs: 0 };

/** @param key the client's */
export async function once(run: ToolRun, key: string): Promise<Ending> {
  const { caller: call, offer: entry, met, host } = run;
  const { principal, sessionId } = call;
  const { traits, id, version } = entry;
  const refused = (refusal: Refusal): Ending => ({ outcome: { kind: "refused", refusal }, durationMs: 0, entry });
  const ended = (found: Exclude<Claim, { state: "claimed" }>): Ending => {
    if (found.state === "conflict") return refused({ reason: "conflict" });
    if (found.state === "running") return refused({ reason: "running", retryAfterMs: found.retryAfterMs });
    const { record } = found;
    // What another session's values or another stranger's secrets went into is nothing to repeat here.
    const isOwn = [undefined, sessionId].includes(record.sessionId) && record.confidence === confidence;
    if (!isOwn) return refused({ reason: "conflict" });
    return { outcome: record.outcome, durationMs: record.durationMs, entry, replayed: true };
  };

  let claim: Claim;
  const storeKey = await ledgerKey(ownerOf(principal), met.userId, `${id}@${version}`, key);
  const confidence = await confidenceOf(principal, met);
  const print = await fingerprint(call.input ?? {}, call.attachments);
  try {
    claim = await host.ledger.claim({
      principal: ownerOf(principal),
      key: storeKey,
      fingerprint: print,
      once: traits.once ?? traits.annotations?.readOnly !== true,
      limitMs: traits.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
  } catch (error) {
    // Nothing has run: the caller may try again, and must not be served without the promise that its key makes.
    host.log({ level: "error", message: "ledger unavailable", callId: call.callId, error: describeError(error) });
    return refused({ reason: "unavailable", retryAfterMs: LEDGER_RETRY_MS });
  }
  if (claim.state !== "claimed") return ended(claim);

  const { settle, release } = claim;
  run.context.holdKey = (ms) => claim.extend(ms);
  const carriedOut = async (): Promise<Ending> => {
    const started = host.now();
    const isOver = call.client?.signal.aborted;
    const { outcome, durationMs, late } = isOver ? CANCELLED : await run.carryOut(storeKey);
    const keep = (final: Outcome, took: number) =>
      settle({
        fingerprint: print,
        outcome: final,
        durationMs: took,
        sessionId: run.context.sawSession ? sessionId : undefined,
        confidence,
      });
    if (isFinal(outcome)) {
      const kept = await keep(outcome, durationMs);
      // This runner was given up, and another has run: all callers get the one result.
      return kept === "kept" ? { outcome, durationMs, entry } : ended(kept);
    }
    const afterwards = async (end: Outcome | undefined): Promise<void> => {
      await (end && isFinal(end) ? keep(end, host.now() - started) : release());
    };
    if (late === undefined) await release();
    else host.defer(late.then(afterwards));
    return { outcome, durationMs, entry };
  };
  const work = carriedOut();
  // A caller that goes between the run and its result must not take the result with it.
  host.defer(work.catch(() => {}));
  return work;
}
