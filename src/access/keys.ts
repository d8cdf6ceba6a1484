/**
 * Checks API keys: `trivet_<id>_<secret>`. One cached read finds the record by the id. The record has only a hash of
 * the key, compared in constant time; 256 random bits do not need a slow hash. `npm run keys` creates keys.
 */
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Principal } from "../core/model/principal.ts";
import type { KeyRecord, KeyRecords } from "../core/ports/key-records.ts";
import { TtlCache } from "./ttl-cache.ts";

export type Keyring = ReturnType<typeof keyring>;

const KEY = /^trivet_([0-9a-z]{16})_[\w-]{43}$/;
/** How long an isolate caches a record. KV caches it for a minute, so a revoked key is refused within two minutes. */
const CACHE_MS = 30_000;

interface Known {
  readonly record: KeyRecord;
  readonly principal: Principal;
  /** The full key, once its hash has matched, so that it is not hashed again. */
  text?: string;
}

/** Shared, because creating one costs more than using it. */
const UTF8 = new TextEncoder();

/** Whether a text has the form of an API key. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** The key's public id; undefined if the text is not a key. */
export function keyIdOf(text: string): string | undefined {
  return KEY.exec(text)?.[1];
}

/** @param now milliseconds since 1970 */
export function keyring(records: KeyRecords, now: () => number) {
  const recent = new TtlCache<Known>(now);

  const read = async (id: string): Promise<Known | undefined> => {
    const record = await records.read(id);
    // Another request may have cached it in the meantime, with the checked text.
    const other = recent.get(id);
    if (other || record === undefined) return other;
    const known = { record, principal: principalOf(id, record) };
    recent.set(id, known, now() + CACHE_MS);
    return known;
  };
  const unlessExpired = ({ record, principal }: Known) =>
    record.expires !== undefined && record.expires * 1_000 <= now() ? undefined : principal;
  const check = async (id: string, text: string) => {
    const known = recent.get(id) ?? (await read(id));
    if (known === undefined) return undefined;
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", UTF8.encode(text)));
    if (!crypto.subtle.timingSafeEqual(hash, Uint8Array.fromHex(known.record.hash))) return undefined;
    known.text = text;
    return unlessExpired(known);
  };

  return {
    /** @returns the key's principal; undefined if the text is not a key, or the key is unknown, expired or revoked */
    find(text: string): MaybePromise<Principal | undefined> {
      const id = keyIdOf(text);
      if (id === undefined) return undefined;
      const known = recent.get(id);
      return known?.text && isSame(text, known.text) ? unlessExpired(known) : check(id, text);
    },
    /** Why {@link find} returned undefined, for the log. Uses only what is cached. */
    whyNot(text: string): { readonly why: string; readonly key?: string } {
      const id = keyIdOf(text);
      if (id === undefined) return { why: "not in the form of a key" };
      const known = recent.get(id);
      if (known === undefined) return { why: "unknown or revoked key", key: id };
      const hasSecret = known.text !== undefined && isSame(text, known.text);
      return { why: hasSecret ? "expired key" : "key with a wrong secret", key: id };
    },
    /** The principal of the key that a user signed in with; undefined if the key is unknown, expired or revoked. */
    async findById(id: string): Promise<Principal | undefined> {
      const known = recent.get(id) ?? (await read(id));
      return known && unlessExpired(known);
    },
  };
}

/**
 * Compares two keys, which all have the same length, in constant time. crypto.subtle.timingSafeEqual takes bytes, and
 * encoding the text would cost more than everything else that is done with a key.
 */
function isSame(text: string, other: string): boolean {
  let difference = text.length ^ other.length;
  for (let at = 0; at < text.length; at++) difference |= text.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

function principalOf(id: string, { toolkits, scopes, rate }: KeyRecord): Principal {
  const granted = scopes.includes("*") ? "all" : scopes;
  return Object.freeze({ id: `key:${id}`, toolkits, scopes: granted, reach: granted, rate });
}
