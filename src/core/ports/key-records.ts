/**
 * Records of API keys: their shape, name and text in the store are defined only here. The Worker and its sign-in read
 * records; `npm run keys` writes, lists and removes them.
 */

/** The stored record of a key. Does not contain the key itself. */
export interface KeyRecord {
  /** A name that the deployment's owner gave it. */
  readonly name: string;
  /** SHA-256 of the whole key's text, in hex. */
  readonly hash: string;
  /** Folder names of the toolkits that it gives access to; absent for all. */
  readonly toolkits?: readonly string[];
  /** Scopes that it grants; `*` for all. */
  readonly scopes: readonly string[];
  /** Requests per minute; absent for the deployment's limit. */
  readonly rate?: number;
  /** Seconds since 1970. */
  readonly created: number;
  /** Seconds since 1970; absent for never. */
  readonly expires?: number;
}

/** The properties of a key: its record without the hash. */
export type KeyTerms = Omit<KeyRecord, "hash">;

/** Read access to records, for the Worker. */
export interface KeyRecords {
  /** @returns undefined if there is no such key (any more) */
  read(id: string): Promise<KeyRecord | undefined>;
}

export interface ListedKey {
  readonly id: string;
  /** Undefined for a record that {@link KeyEditor.write} did not write. */
  readonly terms: KeyTerms | undefined;
}

/** Write access to records, for `npm run keys`. */
export interface KeyEditor {
  write(id: string, record: KeyRecord): Promise<void>;
  /** All keys, oldest first. */
  list(): Promise<ListedKey[]>;
  /** Does nothing if there is no such key. */
  remove(id: string): Promise<void>;
}

/** Prefix of all records' names in the store. */
export const KEY_PREFIX = "key:";

/** Name of a key's record in the store. */
export function keyName(id: string): string {
  return KEY_PREFIX + id;
}

/** A record as it is stored. The terms are also in the metadata, so that one request lists all keys. */
export interface KeyEntry {
  readonly name: string;
  readonly text: string;
  readonly metadata: KeyTerms;
  /** When the store may delete it, in seconds since 1970; undefined for never. */
  readonly expiration: number | undefined;
}

/** Serializes a record for the store. */
export function keyEntry(id: string, record: KeyRecord): KeyEntry {
  const { hash: _, ...metadata } = record;
  return { name: keyName(id), text: JSON.stringify(record), metadata, expiration: record.expires };
}

/** Parses the text of a {@link KeyEntry}. Returns undefined for null. */
export function readKey(text: string | null): KeyRecord | undefined {
  return text === null ? undefined : (JSON.parse(text) as KeyRecord);
}

/** Reads a listing of names with metadata. Sorts keys by age, oldest first. */
export function listedKeys(entries: readonly { readonly name: string; readonly metadata?: unknown }[]): ListedKey[] {
  return entries
    .map(({ name, metadata }) => ({
      id: name.slice(KEY_PREFIX.length),
      terms: isTerms(metadata) ? metadata : undefined,
    }))
    .sort((one, other) => (one.terms?.created ?? 0) - (other.terms?.created ?? 0));
}

/** Whether metadata has the fields that a listing shows. */
function isTerms(metadata: unknown): metadata is KeyTerms {
  const { name, scopes, created } = (metadata ?? {}) as Partial<KeyTerms>;
  return typeof name === "string" && Array.isArray(scopes) && typeof created === "number";
}
