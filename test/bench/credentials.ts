/** One principal per kind of credential: its `Authorization` value, and what the deployment needs to accept it. */
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { makeKey } from "../../src/cli/keys/make.ts";
import { keyEntry, keyName } from "../../src/stores/key-record-text.ts";
import type { Given } from "./scenarios.ts";

/** The configuration that makes a deployment accept the credentials. */
export interface Trust {
  readonly vars: Readonly<Record<string, string>>;
  /** KV values by key. */
  readonly kept: Readonly<Record<string, string>>;
  /** Documents that the identity provider publishes. */
  readonly jwks: string;
  /** Creates new credentials: callers' own tokens live for an hour at most. */
  credentials(): Promise<Given["credentials"]>;
}

/** The host in the load's requests. */
const AUDIENCE = "http://bench.example/mcp";
const ISSUER = "https://provider.example";
const LIFE = "1h";

export async function trust(): Promise<Trust> {
  const key = makeKey({ name: "bench", scopes: [], created: Math.floor(Date.now() / 1_000) });
  const secret = "a secret of the benchmark, longer than 32 bytes";
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "one", alg: "ES256", use: "sig" };
  return {
    vars: {
      TOKENS: "true",
      JWT_SECRET: secret,
      JWT_ISSUER: ISSUER,
      JWT_JWKS_URL: `${ISSUER}/jwks.json`,
      JWT_AUDIENCE: AUDIENCE,
    },
    kept: { [keyName(key.id)]: keyEntry(key.id, key.record).text },
    jwks: JSON.stringify({ keys: [jwk] }),
    async credentials() {
      const token = () =>
        new SignJWT({ sub: "bench", aud: AUDIENCE, iss: ISSUER }).setIssuedAt().setExpirationTime(LIFE);
      const shared = await token().setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
      const provided = await token().setProtectedHeader({ alg: "ES256", kid: "one" }).sign(privateKey);
      return { none: "", key: `Bearer ${key.text}`, HS256: `Bearer ${shared}`, ES256: `Bearer ${provided}` };
    },
  };
}
