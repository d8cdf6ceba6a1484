/** Encrypts what an outbox keeps: events, URLs, secrets. The key is derived from the signing key and the principal. */

import type { Signer } from "../../../core/crypto/signer.ts";
import { openRecord, sealRecord } from "../../../core/idempotency/sealed-record.ts";
import { canonical } from "../../../core/lib/json.ts";

export type OutboxSeal = Awaited<ReturnType<typeof outboxSeal>>;

/** @throws if the signing key is unavailable */
export async function outboxSeal(signer: Signer, partition: string) {
  const key = await signer.deriveKey(canonical(["outbox", partition]));
  return {
    /** @param label says what the text is, so that one sealed text cannot pass for another */
    async seal(label: string, value: unknown): Promise<string> {
      const record = await sealRecord(key, label, { value });
      if (record === undefined) throw new RangeError(`An outbox's ${label} is too large to be kept`);
      return record.sealed;
    },
    /** @returns undefined if it was sealed with another signing key, or with another label */
    async open<Value>(label: string, sealed: string): Promise<Value | undefined> {
      return (await openRecord<{ readonly value: Value }>(key, { fingerprint: label, sealed }))?.value;
    },
  };
}
