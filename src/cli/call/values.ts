/** What the environment has for a call: the key, and the secrets and tokens that a tool needs. Prints none of them. */
import { isIPv4 } from "node:net";
import { Mistake } from "../lib/mistake.ts";
import type { Needs, Values } from "./protocols/connection.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable of the key. */
export const KEY = "TRIVET_KEY";
/** The variable of the user on whose behalf a tool is called. */
const USER_ID = "TRIVET_USER_ID";

/**
 * The key to send. Only from the environment: a shell keeps what is typed, and other users of a machine can read the
 * arguments of a process.
 *
 * @param base of the server
 * @throws {Mistake} if the key would be readable on its way, or is none
 */
export function keyFor(base: string, environment: Environment): string | undefined {
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
  if (/^(.+\.)?localhost$|^\[::1\]$|^\[f[cd]/.test(host)) return true;
  // RFC 1918 and 1122. The parser of URLs writes every IPv4 address in this form.
  return isIPv4(host) && /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01]))\./.test(host);
}

/** The variable of a secret or token: its id, as shells can have it. `carrier-login` is CARRIER_LOGIN. */
export function variableOf(id: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? id : id.toUpperCase().replace(/[^A-Z0-9_]/g, "_");
}

export interface Found {
  /** All that the tool needs; undefined if that is nothing, or some of it is missing. */
  readonly values: Values | undefined;
  /** Variables that have a value. */
  readonly set: readonly string[];
  /** Variables that have none, or whose values may not be sent. */
  readonly missing: readonly string[];
}

/**
 * Finds what a tool needs. Either all of it is sent or nothing: a server does not add its own secrets to those of a
 * caller (docs/requirements.md).
 *
 * @param allowed variables whose values this server may have; undefined for all. Whoever runs a server decides what its
 *   tools need, so a stranger's could ask for any variable
 */
export function findValues(needs: Needs | undefined, environment: Environment, allowed?: readonly string[]): Found {
  const { secrets = [], tokens = [], userId = false } = needs ?? {};
  const wanted = [...[...secrets, ...tokens].map(variableOf), ...(userId ? [USER_ID] : [])];
  const read = (variable: string) =>
    (allowed === undefined || allowed.includes(variable) ? environment[variable] : undefined) || undefined;
  const missing = wanted.filter((variable) => read(variable) === undefined);
  const set = wanted.filter((variable) => read(variable) !== undefined);
  if (wanted.length === 0 || missing.length > 0) return { values: undefined, set, missing };
  const byId = (ids: readonly string[]) => new Map(ids.map((id) => [id, read(variableOf(id)) ?? ""]));
  return {
    values: { secrets: byId(secrets), tokens: byId(tokens), userId: userId ? read(USER_ID) : undefined },
    set,
    missing,
  };
}
