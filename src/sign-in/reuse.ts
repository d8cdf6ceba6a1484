/**
 * Detects reuse of refresh tokens (RFC 9700, section 4.14.2). The library replaces the token at each use and accepts
 * the previous one until its successor is used, as the answer may have been lost. If an older one comes back, two
 * parties have it: the grant ends. For that, a grant's record also lists which tokens it has given out. (Records stand
 * on KV: two locations that use one token within a minute may not know of each other.)
 */
import { sha256 } from "../core/digest.ts";

/** A grant's record as the library keeps it on KV, as far as it counts here, and what we add to it. */
interface GrantRecord {
  readonly refreshTokenId?: string;
  readonly previousRefreshTokenId?: string;
  /** Ours; the library writes back what it does not know. */
  readonly issued?: readonly string[];
}

/** Tokens that a record remembers: more than a week of them, at one an hour. */
const MAX_ISSUED = 200;
/** Hex digits kept of a token's SHA-256: 64 bits are enough within one grant. */
const SHORT = 16;

export const GRANT = "grant:";

/**
 * Adds the current refresh token to those that a grant has given out.
 *
 * @param record what the library writes, as JSON
 */
export function rememberIssued(record: string): string {
  const grant = JSON.parse(record) as GrantRecord;
  const current = grant.refreshTokenId?.slice(0, SHORT);
  if (current === undefined || grant.issued?.at(-1) === current) return record;
  return JSON.stringify({ ...grant, issued: [...(grant.issued ?? []), current].slice(-MAX_ISSUED) });
}

/** @returns the token's grant, if the token was issued and has been replaced */
export async function grantOfReplacedToken(
  refreshToken: string,
  read: (key: string) => Promise<GrantRecord | null>,
): Promise<{ readonly userId: string; readonly grantId: string } | undefined> {
  const [userId, grantId, secret, ...more] = refreshToken.split(":");
  if (!userId || !grantId || !secret || more.length > 0) return undefined;
  const grant = await read(`${GRANT}${userId}:${grantId}`);
  const id = await sha256(refreshToken);
  if (id === grant?.refreshTokenId || id === grant?.previousRefreshTokenId) return undefined;
  return grant?.issued?.includes(id.slice(0, SHORT)) ? { userId, grantId } : undefined;
}
