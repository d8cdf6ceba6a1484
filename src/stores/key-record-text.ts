/** The format of an API key's record in KV. */
import type { KeyRecord, KeyTerms, ListedKey } from "../core/ports/key-records.ts";

export const KEY_PREFIX = "key:";

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

function isTerms(metadata: unknown): metadata is KeyTerms {
  const { name, scopes, created } = (metadata ?? {}) as Partial<KeyTerms>;
  return typeof name === "string" && Array.isArray(scopes) && typeof created === "number";
}
