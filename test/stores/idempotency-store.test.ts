import { env } from "cloudflare:workers";
import type { ClaimsObject } from "../../src/stores/claims-object.ts";
import { kvIdempotency } from "../../src/stores/kv-idempotency.ts";
import { objectIdempotency } from "../../src/stores/object-idempotency.ts";
import { memoryIdempotency } from "../support/memory.ts";
import { idempotencyStoreContract } from "./idempotency-store.contract.ts";

const { CLAIMS, KV } = env as unknown as { CLAIMS: DurableObjectNamespace<ClaimsObject>; KV: KVNamespace };
const ttlSeconds = 60;
const log = () => {};

idempotencyStoreContract("memory", { excludes: true }, () => memoryIdempotency(0));
idempotencyStoreContract("KV", { excludes: false }, () => kvIdempotency(KV, ttlSeconds, log));
idempotencyStoreContract("a Durable Object with KV", { excludes: true }, () =>
  objectIdempotency({ objects: CLAIMS, kv: KV, ttlSeconds, log, marginMs: 0 }),
);
