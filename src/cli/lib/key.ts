/** The key with which scripts call a server. */
import { Mistake } from "./mistake.ts";

/** The variable of the key. */
export const KEY = "TRIVET_KEY";

/**
 * The key to send. Only from the environment: a shell keeps what is typed, and other users of a machine can read the
 * arguments of a process.
 *
 * @param base of the server
 * @throws {Mistake} if the key would be readable on its way, or is none
 */
export function keyFor(base: string, environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const key = environment[KEY]?.trim();
  if (!key) return undefined;
  if (!/^[\x21-\x7e]+$/.test(key)) throw new Mistake(`${KEY} is not a key: it has a blank, or a letter that none has.`);
  if (base.startsWith("http:") && !isNear(new URL(base).hostname)) {
    throw new Mistake(`${base} is not https, so everyone on the way could read ${KEY}: write https://, or unset it.`);
  }
  return key;
}

/** Whether a host is this machine, or in a private network. */
function isNear(host: string): boolean {
  const near = /^(localhost|.*\.localhost|\[::1\]|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|\[f[cd].*)$/;
  return near.test(host);
}
