/** The Durable Object for claims, with the KV namespace that stores large results. */
import { bindings } from "./runtime.ts";
import { MIN_TTL_SECONDS } from "./settings.ts";
import { ClaimsObject } from "./stores/claims-object.ts";
import { recordName } from "./stores/kv-idempotency.ts";

export class Claims extends ClaimsObject {
  protected override put(key: string, record: string, keepMs: number): Promise<void> {
    return bindings.KV.put(recordName(key), record, { expirationTtl: Math.max(MIN_TTL_SECONDS, keepMs / 1_000) });
  }
}
