/**
 * Encrypts what callers and tools say in a task, at rest in the ledger. The key is derived from the deployment's signing
 * key, the principal and the task's id, which is not guessable.
 */

import type { Signer } from "../../core/crypto/signer.ts";
import { openRecord, sealRecord } from "../../core/idempotency/sealed-record.ts";
import { canonical } from "../../core/lib/json.ts";

/** Thrown for a value that is too large to be kept: 10 MB as JSON. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";
}

export type TaskSeal = Awaited<ReturnType<typeof taskSeal>>;

/** @throws if the signing key is unavailable */
export async function taskSeal(signer: Signer, partition: string, id: string) {
  const key = await signer.deriveKey(canonical(["task", partition, id]));
  return {
    /**
     * @param label what the text is, so that none can be taken for another
     * @throws {TooLarge}
     */
    async seal(label: string, value: unknown): Promise<string> {
      const record = await sealRecord(key, label, { value });
      if (record === undefined) throw new TooLarge(`A task's ${label} is too large to be kept`);
      return record.sealed;
    },
    /** @throws if the text was sealed with another signing key, or with another label */
    async open<Value>(label: string, sealed: string): Promise<Value> {
      const opened = await openRecord<{ readonly value: Value }>(key, { fingerprint: label, sealed });
      if (opened === undefined) throw new Error(`A task's ${label} cannot be opened`);
      return opened.value;
    },
  };
}
