/** What is kept of an API key, and where from. Types only: `npm run keys` writes them, the Worker reads them. */

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

export interface KeyRecords {
  /** @returns undefined for an id that no key has (any more) */
  read(id: string): Promise<KeyRecord | undefined>;
}
