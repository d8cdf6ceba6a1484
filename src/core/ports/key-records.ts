/**
 * Records of API keys. The Worker and its sign-in read records; `npm run keys` writes, lists and removes them.
 * Interface only: stores/key-record-text.ts defines how they are stored.
 */

/** The stored record of a key. Does not contain the key itself. */
export interface KeyRecord {
  /** A name that the deployment's owner gave it. */
  readonly name: string;
  /** SHA-256 of the text of the whole key, in hex. */
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

export type KeyTerms = Omit<KeyRecord, "hash">;

export interface KeyRecords {
  /** @returns undefined if there is no such key, or it was removed */
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
  remove(id: string): Promise<void>;
}
