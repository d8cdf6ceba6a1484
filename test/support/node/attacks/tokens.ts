/** Builds JSON Web Tokens by hand, so that every member may be wrong. */
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign as signWith } from "node:crypto";

export const SECRET = "a secret that caller and deployment share, 32 bytes and more";

export const now = () => Math.floor(Date.now() / 1_000);

export const base64url = (part: unknown): string =>
  Buffer.from(typeof part === "string" ? part : JSON.stringify(part)).toString("base64url");

export type Sign = (input: string) => Buffer;

export const hmac =
  (secret: string | Buffer, hash = "sha256"): Sign =>
  (input) =>
    createHmac(hash, secret).update(input).digest();
export const rsa =
  (key: KeyObject, hash = "sha256"): Sign =>
  (input) =>
    signWith(hash, Buffer.from(input), key);
export const pss =
  (key: KeyObject): Sign =>
  (input) =>
    signWith("sha256", Buffer.from(input), { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
export const ecdsa =
  (key: KeyObject, dsaEncoding: "ieee-p1363" | "der" = "ieee-p1363", hash = "sha256"): Sign =>
  (input) =>
    signWith(hash, Buffer.from(input), { key, dsaEncoding });
export const eddsa =
  (key: KeyObject): Sign =>
  (input) =>
    signWith(null, Buffer.from(input), key);

export function forge(header: unknown, claims: unknown, sign: Sign): string {
  const input = `${base64url(header)}.${base64url(claims)}`;
  return `${input}.${sign(input).toString("base64url")}`;
}

/** A token signed with the shared secret. Claims that are undefined are omitted. */
export const shared = (claims: object = {}, header: object = {}, sign: Sign = hmac(SECRET)): string =>
  forge({ alg: "HS256", typ: "JWT", ...header }, { sub: "ada", exp: now() + 900, ...claims }, sign);

export const KEYS = {
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: generateKeyPairSync("ed25519"),
} as const;

export type Alg = keyof typeof KEYS;

export const SIGN: Readonly<Record<Alg, Sign>> = {
  RS256: rsa(KEYS.RS256.privateKey),
  ES256: ecdsa(KEYS.ES256.privateKey),
  EdDSA: eddsa(KEYS.EdDSA.privateKey),
};

/** The key as a provider publishes it, with its algorithm as default id. */
export const publicJwk = (alg: Alg, kid: string = alg): Record<string, unknown> => ({
  ...KEYS[alg].publicKey.export({ format: "jwk" }),
  kid,
  alg,
  use: "sig",
});
