/** What a conversation remembers between its calls, and how much that may be. */
import type { Json } from "../lib/json.ts";

/** A session as a tool sees it: a small map of JSON values, read once and written once a call. */
export interface Session {
  /** Unguessable, and of no use to any other principal. */
  readonly id: string;
  get<Value extends Json>(key: string): Promise<Value | undefined>;
  /**
   * Kept when the call ends, whatever its outcome. Of calls that overlap, the last to end wins, key by key; what one of
   * them set is not kept, and the log says so, if it does not fit in with what the others did.
   *
   * @throws where the session would hold more than {@link MAX_SESSION_CHARACTERS}; left alone, the call fails and says so
   */
  set(key: string, value: Json): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Values by key. */
export type SessionValues = Readonly<Record<string, Json>>;
/** Values to set; undefined forgets the key. */
export type SessionChanges = Readonly<Record<string, Json | undefined>>;

/**
 * How long a session's id is good. That it has ended is remembered as long and no longer: it must not come back to life,
 * and need not be known of for ever.
 */
export const SESSION_LIFETIME_MS = 30 * 86_400_000;

/** JSON characters that all of a session's values may have, keys included. */
export const MAX_SESSION_CHARACTERS = 131_072;

/** Characters of JSON that one value takes with its key. */
export function sizeOf(key: string, value: Json | undefined): number {
  return value === undefined ? 0 : key.length + JSON.stringify(value).length;
}

/**
 * @param after  characters that the session would hold
 * @param before what it holds: it may lose some also if it holds too much
 */
export function fits(after: number, before = 0): boolean {
  return after <= MAX_SESSION_CHARACTERS || after < before;
}

export function charactersOf(values: SessionValues): number {
  return Object.entries(values).reduce((sum, [key, value]) => sum + sizeOf(key, value), 0);
}

/** Has the shape of a `ToolError`, as the caller is to be told. */
export class SessionFull extends Error {
  override readonly name = "ToolError";
  readonly fault = { message: `The session is full: it holds ${MAX_SESSION_CHARACTERS} characters of JSON` };
  override readonly message = this.fault.message;
}

/** The values with changes made: fromEntries defines members, so that `__proto__` stays a plain key. */
export function changedBy(values: SessionValues, changes: SessionChanges): SessionValues {
  const all = new Map<string, Json | undefined>([...Object.entries(values), ...Object.entries(changes)]);
  return Object.fromEntries([...all].filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
