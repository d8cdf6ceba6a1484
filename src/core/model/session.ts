/** Session values: what a conversation remembers between calls, and the limits on it. */
import type { Json } from "../lib/json.ts";

/** A session as a tool sees it: a small map of JSON values, read once and written once per call. */
export interface Session {
  /** Cannot be guessed, and is useless to other principals. */
  readonly id: string;
  get<Value extends Json>(key: string): Promise<Value | undefined>;
  /**
   * Sets a value. It is written when the call ends, whatever its outcome. If calls overlap, the last to end wins for
   * each key. If the values of several calls do not fit together, those of the last are dropped and the log says so.
   *
   * @throws if the session would exceed {@link MAX_SESSION_CHARACTERS}; if not caught, the call fails with that message
   */
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<void>;
}

export type SessionValues = Readonly<Record<string, Json>>;
/** Values to set by key; undefined deletes the key. */
export type SessionChanges = Readonly<Record<string, Json | undefined>>;

/**
 * How long a session id is valid. A session that was ended is remembered for as long, so that it cannot be revived;
 * after that, its id is invalid anyway.
 */
export const SESSION_LIFETIME_MS = 30 * 86_400_000;

/** Most characters of JSON in a session, keys included. */
export const MAX_SESSION_CHARACTERS = 131_072;

/** Characters of JSON in a value and its key. */
export function sizeOf(key: string, value: Json | undefined): number {
  return value === undefined ? 0 : key.length + JSON.stringify(value).length;
}

/**
 * Whether a session of this size is allowed. One that is too large may still shrink.
 *
 * @param after  size after the change, in characters
 * @param before size before the change
 */
export function fits(after: number, before = 0): boolean {
  return after <= MAX_SESSION_CHARACTERS || after < before;
}

/** In characters of JSON. */
export function charactersOf(values: SessionValues): number {
  return Object.entries(values).reduce((sum, [key, value]) => sum + sizeOf(key, value), 0);
}

/** Thrown if a session would grow too large. Has the shape of a `ToolError`, so that the caller gets the message. */
export class SessionFull extends Error {
  override readonly name = "ToolError";
  readonly fault = { message: `The session is full: it holds ${MAX_SESSION_CHARACTERS} characters of JSON` };
  override readonly message = this.fault.message;
}

export function changedBy(values: SessionValues, changes: SessionChanges): SessionValues {
  const all = new Map<string, Json | undefined>([...Object.entries(values), ...Object.entries(changes)]);
  // fromEntries defines members, so `__proto__` stays a plain key.
  return Object.fromEntries([...all].filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
