/**
 * Encrypts what callers and tools say in a task, at rest in the ledger. The key is derived from the deployment's
 * signing key, the principal and the task's id, which is not guessable.
 */

import { sealFor } from "../../core/crypto/seal.ts";
import type { Signer } from "../../core/crypto/signer.ts";

export type TaskSeal = Awaited<ReturnType<typeof taskSeal>>;

/** @throws if the signing key is unavailable */
export async function taskSeal(signer: Signer, partition: string, id: string) {
  const { seal, open } = await sealFor(signer, ["task", partition, id]);
  return {
    seal,
    /** @throws if the text was sealed with another signing key, or with another label */
    async open<Value>(label: string, sealed: string): Promise<Value> {
      const opened = await open<Value>(label, sealed);
      if (opened === undefined) throw new Error(`A task's ${label} cannot be opened`);
      return opened.value;
    },
  };
}
