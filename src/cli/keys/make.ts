/** Makes API keys as src/access/keys.ts checks them. A key's text leaves here once, for its owner; what is kept is a hash. */
import { createHash, randomBytes, randomInt } from "node:crypto";
import type { KeyRecord, KeyTerms } from "../../core/ports/key-records.ts";
import { Mistake } from "./mistake.ts";

export interface MadeKey {
  readonly id: string;
  readonly text: string;
  readonly record: KeyRecord;
}

const ID_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";
/** What KV keeps beside a value, as JSON. */
const MAX_METADATA_BYTES = 1_024;

export function makeKey(terms: KeyTerms): MadeKey {
  // The terms stand beside the record too (key-records.ts).
  const bytes = Buffer.byteLength(JSON.stringify(terms));
  if (bytes > MAX_METADATA_BYTES) {
    throw new Mistake(
      `Name, toolkits and scopes take ${bytes} bytes and KV lists ${MAX_METADATA_BYTES}: give the key fewer, or all of them.`,
    );
  }
  const id = Array.from({ length: 16 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join("");
  const text = `trivet_${id}_${randomBytes(32).toString("base64url")}`;
  return { id, text, record: { ...terms, hash: createHash("sha256").update(text).digest("hex") } };
}
