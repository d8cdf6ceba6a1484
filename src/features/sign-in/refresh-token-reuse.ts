/**
 * Detects reuse of refresh tokens (RFC 9700, section 4.14.2). The library replaces the token at each use, and accepts
 * the previous one until its successor is used, because the response may have been lost. If an older token is used, two
 * parties have it, and the grant ends. (Requests with one token at the same time get the same new one: overlap.ts.)
 *
 * There is no list of issued tokens, because a thief could make it overflow. Instead, any token with the grant's random
 * id that is neither the current nor the previous one counts as old, if the grant's own client sends it: the id is on
 * no page and in no log, so only someone who has or had a code or token of the grant knows it.
 *
 * Limits: the records are on KV. Two locations that use one token within a minute may not notice each other, and a
 * location that does not know the newest token yet takes it for an old one.
 */
import { sha256 } from "../../core/crypto/digest.ts";

/** The part of the library's grant record on KV that is used here. */
export interface GrantRecord {
  readonly clientId: string;
  readonly refreshTokenId?: string;
  readonly previousRefreshTokenId?: string;
}

/** The library's format: user, grant, 32 random characters. */
const REFRESH_TOKEN = /^([^:]+):([^:]+):[\w-]{32}$/;

interface TokenOfGrant {
  readonly userId: string;
  readonly grantId: string;
  readonly clientId: string;
  /** Whether the token is neither the grant's current refresh token nor its previous one. */
  readonly isReplaced: boolean;
}

/** Finds the grant of a refresh token. Returns undefined if there is none, or it has ended. */
export async function grantOf(
  refreshToken: string,
  read: (key: string) => Promise<GrantRecord | null>,
): Promise<TokenOfGrant | undefined> {
  const [, userId, grantId] = REFRESH_TOKEN.exec(refreshToken) ?? [];
  if (userId === undefined || grantId === undefined) return undefined;
  const grant = await read(`grant:${userId}:${grantId}`);
  if (grant?.refreshTokenId === undefined) return undefined;
  const id = await sha256(refreshToken);
  const isReplaced = id !== grant.refreshTokenId && id !== grant.previousRefreshTokenId;
  return { userId, grantId, clientId: grant.clientId, isReplaced };
}
