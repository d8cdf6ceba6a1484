/** The Worker: reads bindings, picks stores, exports the app and its Durable Objects. The only file that names a binding. */
import { env, waitUntil } from "cloudflare:workers";
import source from "#catalog";
import { authenticate } from "./access/authenticate.ts";
import { createApp } from "./app.ts";
import { createCatalog } from "./core/catalog.ts";
import { guardedFetch } from "./core/egress.ts";
import { fromBase64Url, hmacSigner } from "./core/handle.ts";
import { type Hub, hubChanges } from "./stores/hub.ts";
import { kvLedger } from "./stores/kv-ledger.ts";
import { kvSessions } from "./stores/kv-sessions.ts";
import { type Mailbox, mailboxes } from "./stores/mailbox.ts";
import type { Vault } from "./stores/vault.ts";

export { Hub } from "./stores/hub.ts";
export { Mailbox } from "./stores/mailbox.ts";
export { Vault } from "./stores/vault.ts";

interface Bindings {
  readonly KV: KVNamespace;
  readonly VAULT: DurableObjectNamespace<Vault>;
  readonly HUB: DurableObjectNamespace<Hub>;
  readonly MAILBOX: DurableObjectNamespace<Mailbox>;
  readonly SERVER_NAME?: string;
  readonly SERVER_VERSION?: string;
  readonly IDEMPOTENCY_TTL_SECONDS?: string;
  readonly SESSION_TTL_SECONDS?: string;
  readonly PAGE_SIZE?: string;
  readonly LOCAL?: string;
  readonly ALLOWED_ORIGINS?: string;
  /** Base64url, 32 bytes or more: signs session handles. Left out, the deployment makes its own. */
  readonly SIGNING_KEY?: string;
}

const bindings = env as unknown as Bindings;
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

export default createApp({
  host: {
    catalog: createCatalog(source),
    ledger: kvLedger(bindings.KV, seconds(bindings.IDEMPOTENCY_TTL_SECONDS)),
    sessions: kvSessions(bindings.KV, seconds(bindings.SESSION_TTL_SECONDS)),
    signer: hmacSigner(signingKey),
    mail: mailboxes(bindings.MAILBOX),
    changes: hubChanges(bindings.HUB),
    defer: waitUntil,
    fetch: guardedFetch((input, init) => fetch(input, init)),
    log: (entry) => console.log(JSON.stringify(entry)),
    now: () => Date.now(),
    secret(name) {
      const value = ownValue(name);
      return typeof value === "string" ? value : undefined;
    },
    binding: ownValue,
  },
  server: { name: bindings.SERVER_NAME ?? "trivet", version: bindings.SERVER_VERSION ?? "0.0.0" },
  limits: { bodyBytes: 1_048_576, pageSize: Number(bindings.PAGE_SIZE) || PAGE_SIZE },
  neighbours: {
    local: bindings.LOCAL === "true",
    origins: (bindings.ALLOWED_ORIGINS ?? "").split(/[\s,]+/).filter((origin) => origin !== ""),
  },
  authenticate,
});
