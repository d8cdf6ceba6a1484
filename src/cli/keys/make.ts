/**
 * Creates API keys in the format that src/access/keys.ts checks. The key's text is returned once; only a hash is
 * stored.
 */
import { createHash, randomBytes, randomInt } from "node:crypto";
import type { KeyRecord, KeyTerms } from "../../core/ports/key-records.ts";
import { Mistake } from "../lib/mistake.ts";

export interface MadeKey {
  readonly id: string;
  readonly text: string;
  readonly record: KeyRecord;
}

const ID_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz";
/** KV's limit for the metadata of a value, as JSON. */
const MAX_METADATA_BYTES = 1_024;

/** @throws {Mistake} if the terms do not fit into KV's metadata */
export function makeKey(terms: KeyTerms): MadeKey {
  // The terms are stored as the record's metadata too, for the list (key-records.ts).
  const bytes = Buffer.byteLength(JSON.stringify(terms));
  if (bytes > MAX_METADATA_BYTES) {
    throw new Mistake(
      `Name, toolkits and scopes take ${bytes} bytes, and KV allows ${MAX_METADATA_BYTES}: ` +
        "list fewer, or give the key all of them.",
    );
  }
  const id = Array.from({ length: 16 }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join("");
  const text = `trivet_${id}_${randomBytes(32).toString("base64url")}`;
  return { id, text, record: { ...terms, hash: createHash("sha256").update(text).digest("hex") } };
}
