/** Reads the key with which scripts call a server. */
import { isIPv4 } from "node:net";
import { Mistake } from "./mistake.ts";

/** The environment variable that has the key. */
export const KEY = "TRIVET_KEY";

/**
 * Reads the key to send, only from the environment: a shell keeps what is typed, and other users of a machine can read
 * the arguments of a process.
 *
 * @param base address of the server
 * @returns undefined if the variable is not set
 * @throws {Mistake} if the value cannot be a key, or would be sent without encryption to another network
 */
export function keyFor(base: string, environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const key = environment[KEY]?.trim();
  if (!key) return undefined;
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new Mistake(`${KEY} is not a key: it contains a space, or another character that no key has.`);
  }
  if (base.startsWith("http:") && !isNear(new URL(base).hostname)) {
    throw new Mistake(`${base} is not https, so everyone on the way could read ${KEY}: write https://, or unset it.`);
  }
  return key;
}

/** Whether a host is this machine, or in a private network. */
function isNear(host: string): boolean {
  if (/^(.+\.)?localhost$|^\[::1\]$|^\[f[cd]/.test(host)) return true;
  // RFC 1918 and 1122. The URL parser writes every IPv4 address in this form. 10.example.com is a name, not an address.
  return isIPv4(host) && /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(host);
}
