/**
 * Lets a client use one refresh token several times at once: whoever sends it again within half a minute gets the answer
 * that the first request got. Several windows of one app wake up together, and all of them refresh. Without this, each
 * would get a token of its own, of which only the last counts, and using another would end the grant for all.
 *
 * The same answer, instead of another token for each, so that a grant has one line of tokens and reuse is still noticed
 * (refresh-token-reuse.ts). It is kept as a keyed call's result is, encrypted with a key that only the refresh token
 * gives. Only the very same request gets it: whoever sends that has the client's secret too, if it has one.
 */
import type { SignInParts } from "../access/sign-in.ts";
import { openRecord, recordKey, sealRecord } from "../core/idempotency/sealed-record.ts";
import { describeError } from "../core/lib/log.ts";
import { type CallIdentity, type Claim, type IdempotencyRecord, storeKeyOf } from "../core/ports/idempotency-store.ts";

const OVERLAP_MS = 30_000;
/** How long a request waits for the answer of another. */
const WAIT_MS = 10_000;

/** What is kept of an answer. */
interface Answer {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly text: string;
  readonly headers: readonly (readonly [string, string])[];
}

/**
 * @param user whose grant it is. Only for a refresh token that is valid: otherwise anyone could fill the store
 * @param form of the request
 * @param refresh asks the library, which replaces the token
 */
export async function sharingAnswers(
  user: string,
  form: URLSearchParams,
  headers: Headers,
  { idempotency, signer, log }: Pick<SignInParts, "idempotency" | "signer" | "log">,
  refresh: () => Promise<Response>,
): Promise<Response> {
  // Its answer has CORS headers for one origin.
  const request = JSON.stringify([[...form].sort(), headers.get("authorization"), headers.get("origin")]);
  const identity: CallIdentity = [`key:${user}`, undefined, "sign-in refresh", request];
  let key: string;
  let claim: Claim;
  try {
    key = await storeKeyOf(signer, identity);
    claim = await idempotency.claim({ principal: identity[0], key, fingerprint: key, once: true, limitMs: WAIT_MS });
  } catch (error) {
    log({ level: "warning", message: "a refresh does not see others", error: describeError(error) });
    return refresh();
  }
  if (claim.state === "known") {
    const answer = await openRecord<Answer>(await recordKey(signer, identity), claim.record);
    if (answer && Date.now() - answer.at < OVERLAP_MS) {
      return new Response(answer.text, { headers: answer.headers.map(([name, value]) => [name, value]) });
    }
  }
  if (claim.state !== "claimed") return refresh();
  let record: IdempotencyRecord | undefined;
  try {
    const response = await refresh();
    if (response.status === 200) {
      const answer: Answer = { at: Date.now(), text: await response.clone().text(), headers: [...response.headers] };
      record = await sealRecord(await recordKey(signer, identity), key, answer);
    }
    return response;
  } finally {
    const kept = record;
    await (kept === undefined ? claim.release() : claim.settle(kept, async () => kept));
  }
}
