/**
 * API keys as they are kept: the shape of a record, its name in the store and its text stand here alone. The Worker and
 * its sign-in read records, `npm run keys` writes, lists and removes them.
 */

/** What is kept of a key. Never the key. */
export interface KeyRecord {
  /** What its owner calls it. */
  readonly name: string;
  /** SHA-256 of the whole key's text, in hex. */
  readonly hash: string;
  /** Folder names of the toolkits that it opens; absent for all. */
  readonly toolkits?: readonly string[];
  /** Scopes that it grants; `*` among them for all. */
  readonly scopes: readonly string[];
  /** Requests a minute; absent for the deployment's own limit. */
  readonly rate?: number;
  /** Seconds since 1970. */
  readonly created: number;
  /** Seconds since 1970; absent for never. */
  readonly expires?: number;
}

/** What a key is to be: all of its record but the key's hash. */
export type KeyTerms = Omit<KeyRecord, "hash">;

export interface KeyRecords {
  /** @returns undefined for an id that no key has (any more) */
  read(id: string): Promise<KeyRecord | undefined>;
}

export interface ListedKey {
  readonly id: string;
  /** Undefined for a record that {@link KeyEditor.write} did not write. */
  readonly terms: KeyTerms | undefined;
}

/** The same records, for their owner. */
export interface KeyEditor {
  write(id: string, record: KeyRecord): Promise<void>;
  /** All keys, the oldest first. */
  list(): Promise<ListedKey[]>;
  /** Does nothing if there is no such key. */
  remove(id: string): Promise<void>;
}

/** What the names of all records begin with. */
export const KEY_PREFIX = "key:";

export function keyName(id: string): string {
  return KEY_PREFIX + id;
}

/** A record as a store keeps it: the terms stand beside the text, so that a list of all keys is one request. */
export interface KeyEntry {
  readonly name: string;
  readonly text: string;
  readonly metadata: KeyTerms;
  /** When the store may forget it, in seconds since 1970. */
  readonly expiration: number | undefined;
}

export function keyEntry(id: string, record: KeyRecord): KeyEntry {
  const { hash: _, ...metadata } = record;
  return { name: keyName(id), text: JSON.stringify(record), metadata, expiration: record.expires };
}

/** @param text of a {@link KeyEntry}; null where there is none */
export function readKey(text: string | null): KeyRecord | undefined {
  return text === null ? undefined : (JSON.parse(text) as KeyRecord);
}

/** Reads a list of names with what stands beside them. */
export function listedKeys(entries: readonly { readonly name: string; readonly metadata?: unknown }[]): ListedKey[] {
  return entries
    .map(({ name, metadata }) => ({
      id: name.slice(KEY_PREFIX.length),
      terms: isTerms(metadata) ? metadata : undefined,
    }))
    .sort((one, other) => (one.terms?.created ?? 0) - (other.terms?.created ?? 0));
}

/** Enough of it to be shown. */
function isTerms(metadata: unknown): metadata is KeyTerms {
  const { name, scopes, created } = (metadata ?? {}) as Partial<KeyTerms>;
  return typeof name === "string" && Array.isArray(scopes) && typeof created === "number";
}
