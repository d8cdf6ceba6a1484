/**
 * Detects reuse of refresh tokens (RFC 9700, section 4.14.2). The library replaces the token at each use and accepts
 * the previous one until its successor is used, as the answer may have been lost. If an older one comes back, two
 * parties have it: the grant ends. No list says which tokens a grant has given out, as a thief could make it overflow.
 * The grant's random id, from its own client, is enough: it is on no page and in no log, so whoever knows it has, or had,
 * a code or a token of the grant. (Records stand on KV: two locations that use one token within a minute may not know of
 * each other, and one that does not know of the newest token yet takes it for one that came back.)
 */
import { sha256 } from "../core/lib/digest.ts";

/** A grant's record as the library keeps it on KV, as far as it counts here. */
export interface GrantRecord {
  readonly clientId: string;
  readonly refreshTokenId?: string;
  readonly previousRefreshTokenId?: string;
}

/** As the library makes them: user, grant, 32 random characters. */
const REFRESH_TOKEN = /^([^:]+):([^:]+):[\w-]{32}$/;

/**
 * @param client that sent it, and was authenticated
 * @returns the token's grant, if it is this client's, and has refresh tokens of which this is neither the current nor the
 *   previous one
 */
export async function grantOfReplacedToken(
  refreshToken: string,
  client: string | undefined,
  read: (key: string) => Promise<GrantRecord | null>,
): Promise<{ readonly userId: string; readonly grantId: string } | undefined> {
  const [, userId, grantId] = REFRESH_TOKEN.exec(refreshToken) ?? [];
  if (userId === undefined || grantId === undefined) return undefined;
  const grant = await read(`grant:${userId}:${grantId}`);
  if (grant?.refreshTokenId === undefined || grant.clientId !== client) return undefined;
  const id = await sha256(refreshToken);
  return id === grant.refreshTokenId || id === grant.previousRefreshTokenId ? undefined : { userId, grantId };
}
