/**
 * Stores the deployment's signing key, so that the operator does not have to create one. There is one object per
 * deployment: the first caller creates the key, and all later ones get the same. An isolate asks until it has the key.
 */
import { DurableObject } from "cloudflare:workers";

const KEY_BYTES = 32;

export class Vault extends DurableObject {
  async signingKey(): Promise<Uint8Array<ArrayBuffer>> {
    const stored = await this.ctx.storage.get<Uint8Array<ArrayBuffer>>("signing-key");
    if (stored) return stored;
    const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    await this.ctx.storage.put("signing-key", key);
    return key;
  }
}
