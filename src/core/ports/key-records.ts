/**
 * Records of API keys. The Worker and its sign-in read records; `npm run keys` writes, lists and removes them. Interface
 * only: how they are stored is in stores/key-record-text.ts.
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
