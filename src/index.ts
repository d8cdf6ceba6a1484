/** The Worker's entry point: the app on its runtime, behind access control, and the Durable Objects. Wiring only. */
import { env } from "cloudflare:workers";
import { anonymousAccess } from "./access/anonymous.ts";
import { failures } from "./access/failures.ts";
import { createGuard } from "./access/guard.ts";
import { keyring } from "./access/keys.ts";
import { SIGN_IN_IS_OFF, withCache } from "./access/sign-in.ts";
import { TOKENS_ARE_OFF } from "./access/tokens.ts";
import { createApp } from "./app.ts";
import { logRejections } from "./core/call/log-rejections.ts";
import { describeError, logMistakes } from "./core/lib/log.ts";
import { wrapped } from "./core/lib/wrapped.ts";
import type { CreateWorker } from "./features/feature.ts";
import { bodyLimit } from "./http/body.ts";
import { bindings, features, log, mistakes, now, rateLimit, runtime, send, settings } from "./runtime.ts";
import { kvKeys } from "./stores/kv-keys.ts";
import { keepMaps } from "./v8-maps.ts";

export * from "#entrypoints";
export { Hub } from "./stores/object-change-feed.ts";
export { Mailbox } from "./stores/object-relay.ts";
export { Vault } from "./stores/vault.ts";

const { createSignIn } = features.find((feature) => feature.createSignIn) ?? {};
const { createTokenVerifier } = features.find((feature) => feature.createTokenVerifier) ?? {};
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
// Environments share one bundle, so the sign-in may be bundled although this environment does not turn it on.
const ownServer = settings.hasSignIn
  ? createSignIn?.({ ...runtime, kv: bindings.KV, keys, baseScopes, serverName: title ?? name })
  : undefined;
if (settings.hasSignIn && !ownServer) log({ level: "error", message: SIGN_IN_IS_OFF });
const signIn = ownServer && withCache(ownServer, now);
const report = (error: unknown) =>
  log({ level: "error", message: "credential not checked", error: describeError(error) });
const expectsTokens = Boolean(secret || issuer || jwksUrl);
const tokens =
  expectsTokens && settings.takesTokens
    ? createTokenVerifier?.({
        settings: { secret, issuer, jwksUrl, audience },
        ...{ send, now, log, report, defer: runtime.defer },
      })
    : undefined;
if (expectsTokens && !tokens) log({ level: "error", message: TOKENS_ARE_OFF });
const hasProvider = Boolean(tokens && issuer && jwksUrl);
const resource = {
  name,
  baseScopes,
  issuers: (origin: string) => [...(hasProvider ? [issuer as string] : []), ...(signIn ? [origin] : [])],
};

for (const { readSettings } of features)
  if (readSettings) logMistakes(readSettings(env as unknown as Record<string, unknown>).mistakes, log);
logRejections(runtime);
keepMaps();

const createPlain: CreateWorker = (deployment) => createApp(deployment, features);
const createWorker = wrapped(createPlain, features, ({ aroundWorker }) => aroundWorker);
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
    bodies: bodyLimit(settings.bodyBytes),
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
