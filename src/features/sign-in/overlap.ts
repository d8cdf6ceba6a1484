/**
 * Lets a client use one refresh token several times at once: whoever uses it again within half a minute gets the same
 * new refresh token, and an access token of its own. Several windows of one app wake up together, and all of them
 * refresh. Without this, each would get a refresh token of its own, of which only the last counts, and using another
 * would end the grant for all.
 *
 * The library checks every request, as these may differ: in their scopes, in their resource, and in an assertion that a
 * client signs anew each time. But only the first changes the grant, so that a grant has one line of refresh tokens and
 * reuse is still noticed (refresh-token-reuse.ts). The new refresh token is kept as a keyed call's result is, encrypted
 * with a key that only the old one gives.
 */
import type { SignInDependencies } from "../../access/sign-in.ts";
import { type CallIdentity, storeKeyOf } from "../../core/idempotency/call-identity.ts";
import { openRecord, recordKey, sealRecord } from "../../core/idempotency/sealed-record.ts";
import { describeError } from "../../core/lib/log.ts";
import type { Claim, ClaimRequest, IdempotencyRecord } from "../../core/ports/idempotency-store.ts";

const OVERLAP_MS = 30_000;
/** How long a request waits for the answer of another. */
const WAIT_MS = 10_000;

/** What is kept of the first response. */
interface Issued {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly refreshToken: string;
}

/**
 * @param user whose grant it is. Only for a refresh token that is valid: otherwise anyone could fill the store
 * @param refresh asks the library, which replaces the refresh token if `isFirst`
 */
export async function sharingRefreshToken(
  user: string,
  refreshToken: string,
  { idempotency, signer, log }: Pick<SignInDependencies, "idempotency" | "signer" | "log">,
  refresh: (isFirst: boolean) => Promise<Response>,
): Promise<Response> {
  const identity = identityOf(user, refreshToken);
  let key: string;
  let claim: Claim;
  try {
    key = await storeKeyOf(signer, identity);
    claim = await idempotency.claim(requestOf(user, key));
  } catch (error) {
    log({ level: "warning", message: "a refresh does not see others", error: describeError(error) });
    return refresh(true);
  }
  if (claim.state === "known") {
    const issued = await openRecord<Issued>(await recordKey(signer, identity), claim.record);
    if (issued && Date.now() - issued.at < OVERLAP_MS) return withToken(await refresh(false), issued.refreshToken);
  }
  if (claim.state !== "claimed") return refresh(true);
  let record: IdempotencyRecord | undefined;
  try {
    const response = await refresh(true);
    if (response.status === 200) {
      const { refresh_token } = await response.clone().json<{ readonly refresh_token: string }>();
      const issued: Issued = { at: Date.now(), refreshToken: refresh_token };
      record = await sealRecord(await recordKey(signer, identity), key, issued);
    }
    return response;
  } finally {
    const kept = record;
    await (kept === undefined ? claim.release() : claim.settle(kept, async () => kept));
  }
}

/**
 * Whether a refresh token was used within `IDEMPOTENCY_TTL_SECONDS`. Only for one whose grant there is: others may be any
 * text, and each would have an object of its own.
 */
export async function wasUsed(
  refreshToken: string,
  { idempotency, signer, log }: Pick<SignInDependencies, "idempotency" | "signer" | "log">,
): Promise<boolean> {
  const [user = ""] = refreshToken.split(":");
  try {
    const key = await storeKeyOf(signer, identityOf(user, refreshToken));
    return (await idempotency.look(requestOf(user, key)))?.state === "known";
  } catch (error) {
    log({ level: "warning", message: "not known whether a revoked token was used", error: describeError(error) });
    return false;
  }
}

function identityOf(user: string, refreshToken: string): CallIdentity {
  return [`key:${user}`, undefined, "sign-in refresh", refreshToken];
}

function requestOf(user: string, key: string): ClaimRequest {
  return { principal: `key:${user}`, key, fingerprint: key, once: true, limitMs: WAIT_MS };
}

async function withToken(response: Response, refreshToken: string): Promise<Response> {
  if (response.status !== 200) return response;
  const answer = await response.json<object>();
  return new Response(JSON.stringify({ ...answer, refresh_token: refreshToken }), response);
}
