/**
 * The Worker: reads bindings, picks stores, exports the app and its Durable Objects. The only file that names a
 * binding.
 */
import { env, waitUntil } from "cloudflare:workers";
import source from "#catalog";
import createSignIn from "#sign-in";
import { failures } from "./access/failures.ts";
import { createGuard } from "./access/guard.ts";
import { LEAST_SECRET, tokens } from "./access/jwt.ts";
import { keyring } from "./access/keys.ts";
import { remembering } from "./access/sign-in.ts";
import { strangers } from "./access/stranger.ts";
import { createApp } from "./app.ts";
import { createCatalog } from "./core/catalog.ts";
import { guardedFetch } from "./core/egress.ts";
import { fromBase64Url, hmacSigner } from "./core/handle.ts";
import type { Host } from "./core/host.ts";
import { describeError, type Log } from "./core/log.ts";
import { claimLedger } from "./stores/claim-ledger.ts";
import { ClaimsObject } from "./stores/claims.ts";
import { type Hub, hubChanges } from "./stores/hub.ts";
import { kvKeys } from "./stores/kv-keys.ts";
import { kvLedger, recordName } from "./stores/kv-ledger.ts";
import { kvSessions } from "./stores/kv-sessions.ts";
import { type Mailbox, mailboxes } from "./stores/mailbox.ts";
import { objectSessions, type Sessions } from "./stores/session-object.ts";
import type { Vault } from "./stores/vault.ts";

export { Hub } from "./stores/hub.ts";
export { Mailbox } from "./stores/mailbox.ts";
export { Sessions } from "./stores/session-object.ts";
export { Vault } from "./stores/vault.ts";

interface Bindings {
  readonly KV: KVNamespace;
  /** Left out: idempotency on KV alone, which cannot exclude. */
  readonly CLAIMS?: DurableObjectNamespace<Claims>;
  /** Left out: session values on KV alone. */
  readonly SESSIONS?: DurableObjectNamespace<Sessions>;
  readonly VAULT: DurableObjectNamespace<Vault>;
  readonly HUB: DurableObjectNamespace<Hub>;
  readonly MAILBOX: DurableObjectNamespace<Mailbox>;
  readonly SERVER_NAME?: string;
  readonly SERVER_VERSION?: string;
  readonly IDEMPOTENCY_TTL_SECONDS?: string;
  readonly SESSION_TTL_SECONDS?: string;
  readonly PAGE_SIZE?: string;
  readonly MAX_BODY_BYTES?: string;
  readonly LOCAL?: string;
  readonly PUBLIC?: string;
  readonly ALLOWED_ORIGINS?: string;
  readonly ALLOWED_HOSTS?: string;
  readonly JWT_SECRET?: string;
  readonly JWT_ISSUER?: string;
  readonly JWT_JWKS_URL?: string;
  readonly JWT_AUDIENCE?: string;
  readonly OAUTH_SCOPES?: string;
  readonly RATE_PER_MINUTE?: string;
  readonly LOG_CALLS?: string;
  /**
   * Base64url, 32 bytes or more: signs session handles, and keys that encrypt stored results are derived from it. Left
   * out, the deployment makes its own.
   */
  readonly SIGNING_KEY?: string;
}

const bindings = env as unknown as Bindings;
const MAX_BODY_BYTES = 1_048_576;
/** Many clients read the first page only. */
const PAGE_SIZE = 1_000;
const DAY_SECONDS = 86_400;
/** What KV takes at the least. */
const LEAST_TTL_SECONDS = 60;

function seconds(setting: string | undefined): number {
  return Math.max(LEAST_TTL_SECONDS, Number(setting) || DAY_SECONDS);
}

function ownValue(name: string): unknown {
  return Object.hasOwn(env, name) ? (env as unknown as Record<string, unknown>)[name] : undefined;
}

async function signingKey(): Promise<Uint8Array<ArrayBuffer>> {
  if (!bindings.SIGNING_KEY) return bindings.VAULT.getByName("vault").signingKey();
  const key = fromBase64Url(bindings.SIGNING_KEY);
  if (key === undefined || key.length < 32) throw new Error("SIGNING_KEY must be 32 bytes or more in base64url");
  return key;
}

/** A setting that lists things, separated by blanks or commas. */
function listOf(setting: string | undefined): string[] {
  return (setting ?? "").split(/[\s,]+/).filter((one) => one !== "");
}

/** A rate limiter counts to what its name says: `RATE_60` to 60 a minute. */
async function within(perMinute: number, key: string): Promise<boolean> {
  const limiter = ownValue(`RATE_${perMinute}`) as RateLimit | undefined;
  if (limiter === undefined) throw new Error(`There is no rate limiter RATE_${perMinute} in wrangler.toml`);
  try {
    return (await limiter.limit({ key })).success;
  } catch (error) {
    // A counter that cannot be reached must not close the deployment.
    log({ level: "error", message: "request not counted", error: describeError(error) });
    return true;
  }
}

const log: Log = (entry) => console.log(JSON.stringify(entry));
const now = () => Date.now();
const catalog = createCatalog(source);
const keys = keyring(kvKeys(bindings.KV), now);
const name = bindings.SERVER_NAME ?? "trivet";
const isLocal = bindings.LOCAL === "true";
// RFC 6749, section 3.3; and a refresh token is nothing that a resource asks for (MCP, basic/authorization).
const baseScopes = listOf(bindings.OAUTH_SCOPES).filter(
  (scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope) && scope !== "offline_access",
);
const ownServer = createSignIn?.({ kv: bindings.KV, keys, catalog, baseScopes, serverName: name, within, log });
const signIn = ownServer && remembering(ownServer, now);
const { JWT_SECRET: secret, JWT_ISSUER: issuer, JWT_JWKS_URL: jwksUrl, JWT_AUDIENCE } = bindings;
const audience = JWT_AUDIENCE || undefined;
const hasProvider = Boolean(issuer && jwksUrl);
const resource = {
  name,
  baseScopes,
  issuers: (origin: string) => [...(hasProvider ? [issuer as string] : []), ...(signIn ? [origin] : [])],
};

const sessionSeconds = seconds(bindings.SESSION_TTL_SECONDS);
const resultSeconds = seconds(bindings.IDEMPOTENCY_TTL_SECONDS);
if (!bindings.CLAIMS) {
  log({ level: "warning", message: "No CLAIMS in wrangler.toml: calls with one key that overlap may all run" });
}

/** Claims, with the KV that keeps their results. */
export class Claims extends ClaimsObject {
  protected override put(key: string, record: string, keepMs: number): Promise<void> {
    return bindings.KV.put(recordName(key), record, { expirationTtl: seconds(String(keepMs / 1_000)) });
  }
}

const host: Host = {
  catalog,
  ledger: bindings.CLAIMS
    ? claimLedger({ objects: bindings.CLAIMS, kv: bindings.KV, ttlSeconds: resultSeconds, log })
    : kvLedger(bindings.KV, resultSeconds, log),
  sessions: bindings.SESSIONS
    ? objectSessions(bindings.SESSIONS, sessionSeconds)
    : kvSessions({ kv: bindings.KV, ttlSeconds: sessionSeconds, now, defer: waitUntil, log }),
  signer: hmacSigner(signingKey),
  mail: mailboxes(bindings.MAILBOX),
  changes: hubChanges(bindings.HUB),
  defer: waitUntil,
  fetch: guardedFetch((input, init) => fetch(input, init), listOf(bindings.ALLOWED_HOSTS)),
  within,
  log,
  logCall: bindings.LOG_CALLS === "false" ? undefined : log,
  now,
  secret(name) {
    const value = ownValue(name);
    return typeof value === "string" ? value : undefined;
  },
  binding: ownValue,
};

const report = (error: unknown) =>
  log({ level: "error", message: "credential not checked", error: describeError(error) });

if (Boolean(issuer) !== Boolean(jwksUrl)) {
  log({ level: "error", message: "JWT_ISSUER and JWT_JWKS_URL go together: tokens are refused" });
}
const secretBytes = new TextEncoder().encode(secret).length;
if (secret && secretBytes < LEAST_SECRET) {
  const problem = `JWT_SECRET has ${secretBytes} bytes and needs ${LEAST_SECRET} or more: tokens signed with it are refused`;
  const fix = "Make one with: openssl rand -base64 32, and set it with: npx wrangler secret put JWT_SECRET";
  log({ level: "error", message: `${problem}. ${fix}` });
}
if (isLocal) log({ level: "info", message: "Open to this machine: no credential is asked for under npm start" });

export default createApp({
  host,
  server: { name, version: bindings.SERVER_VERSION ?? "0.0.0" },
  limits: {
    bodyBytes: Number(bindings.MAX_BODY_BYTES) || MAX_BODY_BYTES,
    pageSize: Number(bindings.PAGE_SIZE) || PAGE_SIZE,
  },
  neighbours: { local: isLocal, origins: listOf(bindings.ALLOWED_ORIGINS) },
  resource,
  signIn,
  guard: createGuard({
    access: {
      stranger: strangers({ isLocal, isPublic: bindings.PUBLIC === "true" }, hasProvider || signIn !== undefined),
      keys,
      tokens:
        secret || hasProvider
          ? tokens({ secret, issuer, jwksUrl, audience }, (input, init) => fetch(input, init), now, report)
          : undefined,
      signIn,
      failures: failures(within, now, log),
      report,
    },
    resource,
    // What is no number names no rate limiter: then nobody is let in, and the log says why.
    rate: isLocal || !bindings.RATE_PER_MINUTE ? undefined : Number(bindings.RATE_PER_MINUTE),
    within,
    log,
  }),
});
