/**
 * Decides which redirect URIs get a code: those on https and loopback, and those of apps on the user's machine
 * (private-use URI schemes, RFC 8252, section 7.1). The library accepts nearly any scheme.
 */

/**
 * RFC 8252, section 8.4: a scheme without a period "SHOULD be rejected", because nobody can show that it is theirs, and
 * the operating systems themselves open many. These are of apps that are known to register no other redirect URI:
 * Cursor, Warp, and extensions of editors such as Cline, in whichever editor they run.
 */
const KNOWN = /^(cursor|vscode|vscode-insiders|warp|windsurf):$/;
/** A domain name in reverse, as the URL parser spells a scheme. */
const REVERSE_DOMAIN = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/;

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Tells the developer of a client which redirect URIs get codes, if it lists none of them. */
export const NO_REDIRECT =
  "A redirect URI must use https, http on a loopback host, or an app's own scheme with a period in it, such as " +
  "com.example.app:/callback, or the scheme of a known app, such as cursor:";

/** OAuth 2.1, section 1.5: https only, except on loopback. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname));
}

/** Whether a code may be sent to this redirect URI. */
export function getsCodes(uri: string): boolean {
  // In a redirect, a browser takes "https:app.example.com" for a path of the page that it is on.
  if (/^https?:(?!\/\/)/i.test(uri)) return false;
  const url = URL.parse(uri);
  return url !== null && (isSafe(url) || isOfApp(url));
}

/** Whether a redirect URI leads to an app on the user's machine, by the app's own scheme. */
export function isOfApp({ protocol }: URL): boolean {
  return KNOWN.test(protocol) || REVERSE_DOMAIN.test(protocol);
}

/** Where a redirect URI leads, for a person: its host, and for an app on this computer also its scheme. */
export function placeOf(uri: string): string {
  const url = new URL(uri);
  if (!isOfApp(url)) return url.host;
  return url.host === "" ? url.protocol : `${url.protocol}//${url.host}`;
}
