/** The Worker: reads bindings, picks stores, exports the app and its Durable Objects. The only file that names a binding. */
import { env } from "cloudflare:workers";
import source from "#catalog";
import { authenticate } from "./access/authenticate.ts";
import { createApp } from "./app.ts";
import { createCatalog } from "./core/catalog.ts";
import { guardedFetch } from "./core/egress.ts";
import { fromBase64Url, hmacSigner } from "./core/handle.ts";
import { kvLedger } from "./stores/kv-ledger.ts";
import { kvSessions } from "./stores/kv-sessions.ts";
import type { Vault } from "./stores/vault.ts";

export { Vault } from "./stores/vault.ts";

interface Bindings {
  readonly KV: KVNamespace;
  readonly VAULT: DurableObjectNamespace<Vault>;
  readonly SERVER_NAME?: string;
  readonly SERVER_VERSION?: string;
  readonly IDEMPOTENCY_TTL_SECONDS?: string;
  readonly SESSION_TTL_SECONDS?: string;
  /** Base64url, 32 bytes or more: signs session handles. Left out, the deployment makes its own. */
  readonly SIGNING_KEY?: string;
}

const bindings = env as unknown as Bindings;
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
  const given = bindings.SIGNING_KEY && fromBase64Url(bindings.SIGNING_KEY);
  return given || bindings.VAULT.getByName("vault").signingKey();
}

export default createApp({
  host: {
    catalog: createCatalog(source),
    ledger: kvLedger(bindings.KV, seconds(bindings.IDEMPOTENCY_TTL_SECONDS)),
    sessions: kvSessions(bindings.KV, seconds(bindings.SESSION_TTL_SECONDS)),
    signer: hmacSigner(signingKey),
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
  limits: { bodyBytes: 1_048_576 },
  authenticate,
});
