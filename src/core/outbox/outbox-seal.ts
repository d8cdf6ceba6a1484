/** Encrypts what an outbox keeps: events, URLs, secrets. The key is derived from the signing key and the principal. */
import { openRecord, sealRecord } from "../idempotency/sealed-record.ts";
import { canonical } from "../lib/json.ts";
import type { Signer } from "../ports/signed-handles.ts";

export interface OutboxSeal {
  /** @param label says what the text is, so that one sealed text cannot pass for another */
  seal(label: string, value: unknown): Promise<string>;
  /** @returns undefined if it was sealed with another signing key, or with another label */
  open<Value>(label: string, sealed: string): Promise<Value | undefined>;
}

/** @throws if the signing key is unavailable */
export async function outboxSeal(signer: Signer, partition: string): Promise<OutboxSeal> {
  const key = await signer.deriveKey(canonical(["outbox", partition]));
  return {
    async seal(label, value) {
      const record = await sealRecord(key, label, { value });
      if (record === undefined) throw new RangeError(`An outbox's ${label} is too large to be kept`);
      return record.sealed;
    },
    async open<Value>(label: string, sealed: string) {
      return (await openRecord<{ readonly value: Value }>(key, { fingerprint: label, sealed }))?.value;
    },
  };
}
