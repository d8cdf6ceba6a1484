/**
 * The Worker: reads bindings, picks stores, exports the app and its Durable Objects. The only file that names a
 * binding; settings are read in settings.ts.
 */
import { env, waitUntil } from "cloudflare:workers";
import catalogSource, { createWorker } from "#catalog";
import createSignIn from "#sign-in";
import createTokenVerifier from "#tokens";
import { anonymousAccess } from "./access/anonymous.ts";
import { failures } from "./access/failures.ts";
import { createGuard } from "./access/guard.ts";
import { keyring } from "./access/keys.ts";
import { withCache } from "./access/sign-in.ts";
import { TOKENS_ARE_OFF } from "./access/tokens.ts";
import { createCatalog } from "./core/catalog/catalog.ts";
import { guardedFetch } from "./core/lib/guarded-fetch.ts";
import { lazily } from "./core/lib/lazily.ts";
import { describeError, type Log } from "./core/lib/log.ts";
import type { Runtime } from "./core/ports/runtime.ts";
import { fromBase64Url, hmacSigner } from "./core/ports/signed-handles.ts";
import { MIN_TTL_SECONDS, readSettings } from "./settings.ts";
import { ClaimsObject } from "./stores/claims.ts";
import { kvIdempotency, recordName } from "./stores/kv-idempotency.ts";
import { kvKeys } from "./stores/kv-keys.ts";
import { kvSessions } from "./stores/kv-sessions.ts";
import { type Hub, objectChangeFeed } from "./stores/object-change-feed.ts";
import { objectIdempotency } from "./stores/object-idempotency.ts";
import { type Mailbox, objectRelay } from "./stores/object-relay.ts";
import { objectSessions, type Sessions } from "./stores/object-sessions.ts";
import type { Vault } from "./stores/vault.ts";

export { Hub } from "./stores/object-change-feed.ts";
export { Mailbox } from "./stores/object-relay.ts";
export { Sessions } from "./stores/object-sessions.ts";
export { Vault } from "./stores/vault.ts";

interface OwnBindings {
  readonly KV: KVNamespace;
  /** Optional. Without it, idempotency relies on KV alone, where two overlapping calls may both run. */
  readonly CLAIMS?: DurableObjectNamespace<Claims>;
  /** Optional. Without it, session values are kept in KV alone. */
  readonly SESSIONS?: DurableObjectNamespace<Sessions>;
  readonly VAULT: DurableObjectNamespace<Vault>;
  readonly HUB: DurableObjectNamespace<Hub>;
  readonly MAILBOX: DurableObjectNamespace<Mailbox>;
}

const bindings = env as unknown as OwnBindings;
const { settings, mistakes } = readSettings(env as unknown as Record<string, unknown>);

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
async function rateLimit(perMinute: number, key: string): Promise<boolean> {
  const limiter = ownValue(`RATE_${perMinute}`) as RateLimit | undefined;
  if (limiter === undefined) throw new Error(`There is no rate limiter RATE_${perMinute} in wrangler.toml`);
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    // If the rate limiter cannot be reached, let requests through instead of closing the deployment.
    log({ level: "error", message: "request not counted", error: describeError(error) });
    return true;
  }
}

const log: Log = (entry) => console.log(JSON.stringify(entry));
const now = () => Date.now();
const catalog = createCatalog(catalogSource);
const keys = keyring(kvKeys(bindings.KV), now);
const {
  name,
  title,
  website,
  icons,
  isLocal,
  baseScopes,
  jwtSecret: secret,
  jwtIssuer: issuer,
  jwksUrl,
  audience,
} = settings;
const ownServer = createSignIn?.({
  kv: bindings.KV,
  keys,
  catalog,
  baseScopes,
  serverName: title ?? name,
  rateLimit,
  log,
});
const signIn = ownServer && withCache(ownServer, now);
const report = (error: unknown) =>
  log({ level: "error", message: "credential not checked", error: describeError(error) });
const send: typeof fetch = (input, init) => fetch(input, init);
const expectsTokens = Boolean(secret || issuer || jwksUrl);
const tokens = expectsTokens
  ? createTokenVerifier?.({ settings: { secret, issuer, jwksUrl, audience }, send, now, log, report })
  : undefined;
if (expectsTokens && !tokens) log({ level: "error", message: TOKENS_ARE_OFF });
const hasProvider = Boolean(tokens && issuer && jwksUrl);
const resource = {
  name,
  baseScopes,
  issuers: (origin: string) => [...(hasProvider ? [issuer as string] : []), ...(signIn ? [origin] : [])],
};

if (!bindings.CLAIMS) {
  log({ level: "warning", message: "No CLAIMS in wrangler.toml: overlapping calls with the same key may all run" });
}

/** The Durable Object for claims, with the KV namespace that keeps their results. */
export class Claims extends ClaimsObject {
  protected override put(key: string, record: string, keepMs: number): Promise<void> {
    return bindings.KV.put(recordName(key), record, { expirationTtl: Math.max(MIN_TTL_SECONDS, keepMs / 1_000) });
  }
}

const runtime: Runtime = {
  catalog,
  idempotency: bindings.CLAIMS
    ? objectIdempotency({ objects: bindings.CLAIMS, kv: bindings.KV, ttlSeconds: settings.resultSeconds, log })
    : kvIdempotency(bindings.KV, settings.resultSeconds, log),
  sessions: bindings.SESSIONS
    ? objectSessions(bindings.SESSIONS, settings.sessionSeconds)
    : kvSessions({ kv: bindings.KV, ttlSeconds: settings.sessionSeconds, now, defer: waitUntil, log }),
  signer: hmacSigner(signingKey),
  relay: objectRelay(bindings.MAILBOX),
  changeFeed: objectChangeFeed(bindings.HUB),
  defer: waitUntil,
  fetch: guardedFetch(send, settings.privateHosts),
  rateLimit,
  log,
  logCall: settings.logsCalls ? log : undefined,
  isLocal,
  // Made in a request, because there is no randomness outside of one.
  buildId: isLocal ? lazily(() => crypto.randomUUID()) : undefined,
  now,
  secret(name) {
    const value = ownValue(name);
    return typeof value === "string" ? value : undefined;
  },
  binding: ownValue,
};

if (isLocal) log({ level: "info", message: "Open to this machine: npm start requires no credentials" });

// The app of app.ts, behind the fork's own middleware and routes if there is a tools/worker.ts.
const worker = createWorker({
  runtime,
  server: {
    name,
    version: settings.version,
    ...(title !== undefined && { title }),
    ...(website !== undefined && { websiteUrl: website }),
    ...(icons.length > 0 && { icons: icons.map((src) => ({ src })) }),
  },
  limits: {
    bodyBytes: settings.bodyBytes,
    pageSize: settings.pageSize,
  },
  documentSettings: {
    isOn: settings.hasDocuments,
    description: settings.description,
    registryName: settings.registryName,
  },
  originPolicy: { local: isLocal, origins: settings.origins },
  resource,
  signIn,
  guard: createGuard({
    access: {
      anonymous: anonymousAccess({ isLocal, isPublic: settings.isPublic }, hasProvider || signIn !== undefined),
      keys,
      tokens,
      signIn,
      failures: failures(rateLimit, now, log),
      report,
    },
    resource,
    rate: isLocal ? undefined : settings.ratePerMinute,
    rateLimit,
    log,
  }),
});

for (const { setting, problem, fix } of mistakes) {
  log({ level: "error", message: `${problem}: ${fix}. Until then, every request is refused`, setting });
}
const refused = { message: "A setting of this deployment is invalid: its log says which one and how to fix it" };

export default mistakes.length === 0 ? worker : { fetch: () => Response.json(refused, { status: 503 }) };
