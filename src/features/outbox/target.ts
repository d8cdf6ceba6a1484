/** Checks the URLs that the outbox sends to: when one is given, and again before each attempt. */
import { AddressRefused, refusePrivate } from "../../core/lib/guarded-fetch.ts";

const MAX_URL = 2_048;

/**
 * @param allowed hosts that may be in a private network, and reached without TLS (`ALLOWED_HOSTS`)
 * @returns what is wrong with the URL, in words; undefined if nothing is
 */
export function wrongTarget(url: string, allowed: readonly string[]): string | undefined {
  if (url.length > MAX_URL) return `must not have over ${MAX_URL} characters`;
  if (!URL.canParse(url)) return "must be a URL";
  const parsed = new URL(url);
  if (parsed.username !== "" || parsed.password !== "") return "must not contain a name or a password";
  if (allowed.includes(parsed.host)) return /^https?:$/.test(parsed.protocol) ? undefined : "must begin with https://";
  if (parsed.protocol === "http:") return "must begin with https://: http:// is for hosts in ALLOWED_HOSTS only";
  if (parsed.protocol !== "https:") return "must begin with https://";
  try {
    refusePrivate(parsed);
    return undefined;
  } catch (error) {
    if (!(error instanceof AddressRefused)) throw error;
    // The message of this error is for authors of tools.
    return "must be on the public internet";
  }
}
