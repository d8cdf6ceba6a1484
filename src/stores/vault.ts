/**
 * Keeps the deployment's signing key, so that no owner has to make one. One object for the whole deployment: the first
 * caller makes the key, everyone after gets the same. An isolate asks until it has it.
 */
import { DurableObject } from "cloudflare:workers";

const KEY_BYTES = 32;

export class Vault extends DurableObject {
  async signingKey(): Promise<Uint8Array<ArrayBuffer>> {
    const kept = await this.ctx.storage.get<Uint8Array<ArrayBuffer>>("signing-key");
    if (kept) return kept;
    const key = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    await this.ctx.storage.put("signing-key", key);
    return key;
  }
}
