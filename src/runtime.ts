/**
 * The Worker's runtime: reads bindings and settings, and chooses the stores. Features read their own bindings;
 * settings.ts reads the settings.
 */
import { env, waitUntil } from "cloudflare:workers";
import catalogSource from "#catalog";
import { features } from "#features";
import { composedRun } from "./compose.ts";
import { WAITING } from "./core/call/questions.ts";
import { createCatalog } from "./core/catalog/catalog.ts";
import { fromBase64Url } from "./core/crypto/encoding.ts";
import { hmacSigner } from "./core/crypto/signer.ts";
import { ConcurrencyLimit } from "./core/lib/concurrency-limit.ts";
import { guardedFetch } from "./core/lib/guarded-fetch.ts";
import { lazily } from "./core/lib/lazily.ts";
import { describeError, log } from "./core/lib/log.ts";
import { wrapped } from "./core/lib/wrapped.ts";
import type { Runtime } from "./core/ports/runtime.ts";
import { readSettings } from "./settings.ts";
import type { ClaimsObject } from "./stores/claims-object.ts";
import { kvIdempotency } from "./stores/kv-idempotency.ts";
import { kvSessions } from "./stores/kv-sessions.ts";
import { type Hub, objectChangeFeed } from "./stores/object-change-feed.ts";
import { objectIdempotency } from "./stores/object-idempotency.ts";
import { type Mailbox, objectRelay } from "./stores/object-relay.ts";
import type { Vault } from "./stores/vault.ts";

interface OwnBindings {
  readonly KV: KVNamespace;
  /** Optional. Without it, idempotency relies on KV alone, where two overlapping calls may both run. */
  readonly CLAIMS?: DurableObjectNamespace<ClaimsObject>;
  readonly VAULT: DurableObjectNamespace<Vault>;
  readonly HUB: DurableObjectNamespace<Hub>;
  readonly MAILBOX: DurableObjectNamespace<Mailbox>;
}

export const bindings = env as unknown as OwnBindings;
export const { settings, mistakes } = readSettings(env as unknown as Record<string, unknown>);

function ownValue(name: string): unknown {
  return Object.hasOwn(env, name) ? (env as unknown as Record<string, unknown>)[name] : undefined;
}

async function signingKey(): Promise<Uint8Array<ArrayBuffer>> {
  if (settings.signingKey === undefined) return bindings.VAULT.getByName("vault").signingKey();
  const key = fromBase64Url(settings.signingKey);
  if (key === undefined || key.length < 32) throw new Error("SIGNING_KEY must be 32 bytes or more in base64url");
  return key;
}

/** Counts a request with the rate limiter whose name states its limit: `RATE_60` allows 60 a minute. */
export async function rateLimit(perMinute: number, key: string): Promise<boolean> {
  const limiter = ownValue(`RATE_${perMinute}`) as RateLimit | undefined;
  if (limiter === undefined) throw new Error(`There is no rate limiter RATE_${perMinute} in the settings file`);
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    // If the rate limiter cannot be reached, let requests through instead of closing the deployment.
    log({ level: "error", message: "request not counted", error: describeError(error) });
    return true;
  }
}

export { features, log };
export const now = () => Date.now();
export const send: typeof fetch = (input, init) => fetch(input, init);
export const catalog = createCatalog(catalogSource);

if (!bindings.CLAIMS) {
  log({ level: "warning", message: "No CLAIMS in the settings file: overlapping calls with the same key may all run" });
}

const core: Runtime = {
  catalog,
  idempotency: bindings.CLAIMS
    ? objectIdempotency({ objects: bindings.CLAIMS, kv: bindings.KV, ttlSeconds: settings.resultSeconds, log })
    : kvIdempotency(bindings.KV, settings.resultSeconds, log),
  sessions: kvSessions({ kv: bindings.KV, ttlSeconds: settings.sessionSeconds, now, defer: waitUntil, log }),
  signer: hmacSigner(signingKey),
  relay: objectRelay(bindings.MAILBOX),
  questions: new ConcurrencyLimit(WAITING),
  changeFeed: objectChangeFeed(bindings.HUB),
  defer: waitUntil,
  fetch: guardedFetch(send, settings.privateHosts),
  rateLimit,
  log,
  logCall: settings.logsCalls ? log : undefined,
  isLocal: settings.isLocal,
  // Lazy, because random values can be created only within a request.
  buildId: settings.isLocal ? lazily(() => crypto.randomUUID()) : undefined,
  now,
  secret(name) {
    const value = ownValue(name);
    return typeof value === "string" ? value : undefined;
  },
  binding: ownValue,
};

export const runtime: Runtime = wrapped(core, features, ({ provide }) => provide);

/** Runs a tool, including what features do around it, for code that runs tools outside of a request. */
export const run = composedRun(features);
