/**
 * API keys: `trivet_<id>_<secret>`. A record is found by the id, in one read that is cached; of the secret only a hash
 * is kept (256 random bits need no slow one), and it is compared in constant time. `npm run keys` makes them.
 */
import type { Principal } from "../core/model/principal.ts";
import type { KeyRecord, KeyRecords } from "../core/ports/key-records.ts";
import { TtlCache } from "./ttl-cache.ts";

export interface Keyring {
  /** @returns undefined for a text that is no key, or none that is good (any more) */
  find(text: string): Principal | undefined | Promise<Principal | undefined>;
  /** Why {@link find} returned undefined, for the log; reads nothing. */
  whyNot(text: string): { readonly why: string; readonly key?: string };
  /** The principal of a key that is known by its id alone: one that a person signed in with. */
  findById(id: string): Promise<Principal | undefined>;
}

const KEY = /^trivet_([0-9a-z]{16})_[\w-]{43}$/;
/** How long a record is known here: with KV's own minute, a revoked key is refused within two. */
const KNOWN_MS = 30_000;

interface Known {
  readonly record: KeyRecord;
  readonly principal: Principal;
  /** The key's text once it was found to be good: its hash need not be taken again. */
  text?: string;
}

/** Made once: the runtime's own objects cost more than what is done with them. */
const UTF8 = new TextEncoder();

export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** The key's public id; undefined if the text is not a key. */
export function keyIdOf(text: string): string | undefined {
  return KEY.exec(text)?.[1];
}

/** @param now milliseconds since 1970 */
export function keyring(records: KeyRecords, now: () => number): Keyring {
  const recent = new TtlCache<Known>(now);

  const read = async (id: string): Promise<Known | undefined> => {
    const record = await records.read(id);
    // Another request may have read it meanwhile: then its checked text is known too.
    const other = recent.get(id);
    if (other || record === undefined) return other;
    const known = { record, principal: principalOf(id, record) };
    recent.set(id, known, now() + KNOWN_MS);
    return known;
  };
  const good = ({ record, principal }: Known) =>
    record.expires !== undefined && record.expires * 1_000 <= now() ? undefined : principal;
  const check = async (id: string, text: string) => {
    const known = recent.get(id) ?? (await read(id));
    if (known === undefined) return undefined;
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", UTF8.encode(text)));
    if (!crypto.subtle.timingSafeEqual(hash, Uint8Array.fromHex(known.record.hash))) return undefined;
    known.text = text;
    return good(known);
  };

  return {
    find(text) {
      const id = keyIdOf(text);
      if (id === undefined) return undefined;
      const known = recent.get(id);
      return known?.text && isSame(text, known.text) ? good(known) : check(id, text);
    },
    whyNot(text) {
      const id = keyIdOf(text);
      if (id === undefined) return { why: "no key by its looks" };
      const known = recent.get(id);
      if (known === undefined) return { why: "unknown or revoked key", key: id };
      const hasSecret = known.text !== undefined && isSame(text, known.text);
      return { why: hasSecret ? "expired key" : "key with a wrong secret", key: id };
    },
    async findById(id) {
      const known = recent.get(id) ?? (await read(id));
      return known && good(known);
    },
  };
}

/**
 * Compares two keys, which are all of one length, in a time that does not tell where they differ. The runtime's own way
 * takes bytes, and making those of a text costs more than all else that is done with a key.
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
