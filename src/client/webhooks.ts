/**
 * Verifies webhooks, for programs that receive them (docs/webhooks.md). One file without imports, for Workers,
 * Node from version 20, Deno, Bun and browsers: it uses nothing but WebCrypto.
 *
 * It knows two signatures, both HMAC-SHA256:
 * - Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature: v1,<base64>`, over id, timestamp and
 *   body. MCP Events uses it. https://github.com/standard-webhooks/standard-webhooks/blob/main/spec
 * - `X-BeeOS-Signature: t=<seconds>,v1=<hex>`, over timestamp and body, with the id in `X-BeeOS-Event-Id`.
 *
 * A request that has both is judged by the first alone, because only that one covers the id. If it is wrong, the
 * request is refused, whatever the second says: otherwise, whoever recorded a request could send it again under new ids.
 */

/** Why a request was refused. Programs may switch on it; the messages may change. */
export type WebhookRefusal =
  /** The request has neither signature, or only in versions that are not known here. */
  | "no-signature"
  | "no-id"
  /** A header is longer than 4 KiB, was sent twice, or cannot be read. */
  | "bad-header"
  /** The timestamp is missing, or not a number of seconds. */
  | "bad-timestamp"
  | "too-old"
  | "too-new"
  /** The sender has another secret, or the request was changed on the way. */
  | "wrong-signature"
  /** The signature is right, and the body is not JSON. */
  | "not-json";

/** Thrown for a request that must not be trusted. Its message has nothing of the request or the secret in it. */
export class WebhookInvalid extends Error {
  override readonly name = "WebhookInvalid";
  readonly code: WebhookRefusal;

  constructor(code: WebhookRefusal, message: string) {
    super(message);
    this.code = code;
  }
}

/** A request that came from somebody who knows the secret. */
export interface VerifiedWebhook {
  /** Stays the same when the event is sent again: keep it, and ignore an event whose id you have. */
  readonly id: string;
  /** When the request was signed. Each attempt to send an event is signed again. */
  readonly timestamp: Date;
  /** The body, parsed. Its form is not checked. */
  readonly payload: unknown;
}

/** `Headers`, or an object such as `request.headers` in Node, in any casing. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | { readonly [name: string]: string | readonly string[] | undefined };

export interface WebhookSecret {
  /** `whsec_` and base64, also after `v1,` as some senders show it; or any other text. */
  readonly secret?: string | undefined;
  /** While a secret is replaced, the old and the new one: a request may be signed with either. */
  readonly secrets?: readonly string[] | undefined;
  /** How far the sender's clock may be off, and how long a recorded request can be sent again. Default: 300. */
  readonly toleranceSeconds?: number | undefined;
  /** Accepts Standard Webhooks only. Set it if your sender signs that way: only then is the id signed. */
  readonly standardOnly?: boolean | undefined;
  /** Milliseconds since 1970. Default: now. */
  readonly now?: number | undefined;
}

export interface WebhookRequest extends WebhookSecret {
  readonly headers: WebhookHeaders;
  /** The body as it arrived, before anything parsed it. */
  readonly body: string | Uint8Array | ArrayBuffer;
}

/** The longest header, in characters: enough for ten signatures. */
const MAX_HEADER = 4_096;
/** Each one costs an HMAC over the whole body, and anyone can send a request. */
const MAX_SIGNATURES = 10;

/**
 * Verifies a request, in constant time.
 *
 * @returns its id, its time and its body, parsed
 * @throws {WebhookInvalid} if the request must not be trusted; `code` says why
 * @throws {TypeError} if the call is wrong: no secret, a secret that cannot be read, or a body that was parsed before
 *
 * @example
 * const { id, payload } = await verifyWebhook({ secret, headers: request.headers, body: await request.text() });
 */
export async function verifyWebhook(request: WebhookRequest): Promise<VerifiedWebhook> {
  const { headers, standardOnly = false } = request;
  const body = bytesOf(request.body);
  const secrets = secretsOf(request);
  const signed = read(headers, "webhook-signature");
  const isStandard = signed !== undefined || standardOnly;
  const keys = secrets.map((secret) => (isStandard ? keyOf(secret) : encode(secret)));
  const { id, timestamp, start, signatures } = isStandard ? standard(headers, signed) : gateway(headers);
  checkTime(timestamp, request);
  const content = await new Blob([start, body]).arrayBuffer();
  if (!(await isSignedWith(keys, signatures, content))) {
    refuse("wrong-signature", "The signature does not belong to this secret and this body");
  }
  return { id, timestamp: new Date(timestamp * 1_000), payload: parse(body) };
}

/** Bytes as WebCrypto takes them, which are not those of a `SharedArrayBuffer`. */
type Bytes = Uint8Array<ArrayBuffer>;

/** What a signature says of a request. `start` and the body are what was signed. */
interface Signed {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly start: string;
  readonly signatures: readonly Bytes[];
}

/** Standard Webhooks, Signature scheme. Versions other than `v1`, such as the asymmetric `v1a`, are left out. */
function standard(headers: WebhookHeaders, signed = ""): Signed {
  const values = signed.split(" ").flatMap((part) => (part.startsWith("v1,") ? [part.slice(3)] : []));
  const signatures = few(values).map((value) => (SHA256_BASE64.test(value) ? fromBase64(value) : UNREADABLE));
  const id = read(headers, "webhook-id") || refuse("no-id", NO_ID);
  const seconds = read(headers, "webhook-timestamp");
  return { id, timestamp: secondsOf(seconds), start: `${id}.${seconds}.`, signatures };
}

/** `t=1700000000,v1=…`, with a `v1` for each secret while it is replaced. */
function gateway(headers: WebhookHeaders): Signed {
  const parts = (read(headers, "x-beeos-signature") ?? "").split(",").map((part) => part.trim());
  const valuesOf = (name: string) =>
    parts.flatMap((part) => (part.startsWith(`${name}=`) ? [part.slice(name.length + 1)] : []));
  const signatures = few(valuesOf("v1")).map((value) => (SHA256_HEX.test(value) ? fromHex(value) : UNREADABLE));
  const [seconds, second] = valuesOf("t");
  if (second !== undefined) refuse("bad-header", "The signature has two timestamps");
  const id = read(headers, "x-beeos-event-id") || refuse("no-id", NO_ID);
  return { id, timestamp: secondsOf(seconds), start: `${seconds}.`, signatures };
}

/** 32 bytes. The last letter before "=" stands for four bits only, so that each signature has one spelling. */
const SHA256_BASE64 = /^[A-Za-z\d+/]{42}[AEIMQUYcgkosw048]=$/;
const SHA256_HEX = /^[\da-f]{64}$/i;
const NO_ID = "The request has no id";
/** A signature that is never right. */
const UNREADABLE = new Uint8Array(0);

function few(values: readonly string[]): readonly string[] {
  if (values.length === 0) refuse("no-signature", "The request has no signature of a known form");
  if (values.length > MAX_SIGNATURES) refuse("bad-header", "The request has too many signatures");
  return values;
}

function refuse(code: WebhookRefusal, message: string): never {
  throw new WebhookInvalid(code, message);
}

function secondsOf(seconds = ""): number {
  return /^\d{1,11}$/.test(seconds) ? Number(seconds) : refuse("bad-timestamp", "The timestamp is not in seconds");
}

function checkTime(timestamp: number, { toleranceSeconds = 300, now = Date.now() }: WebhookSecret): void {
  // Every comparison with NaN is false, so a tolerance of NaN would accept everything.
  if (!(toleranceSeconds >= 0)) throw new TypeError("`toleranceSeconds` must be a number of seconds");
  if (!Number.isFinite(now)) throw new TypeError("`now` must be milliseconds since 1970");
  const age = Math.floor(now / 1_000) - timestamp;
  if (age > toleranceSeconds) refuse("too-old", "The request was signed too long ago");
  if (age < -toleranceSeconds) refuse("too-new", "The request was signed in the future");
}

/** @returns undefined if the header is not there */
function read(headers: WebhookHeaders, name: string): string | undefined {
  const values = hasGet(headers)
    ? [headers.get(name) ?? undefined]
    : Object.entries(headers).flatMap(([key, value]) => (key.toLowerCase() === name ? value : []));
  const [value, other] = values.filter((value) => value !== undefined);
  if (other !== undefined) refuse("bad-header", `The header ${name} was sent more than once`);
  if (value && value.length > MAX_HEADER) refuse("bad-header", `The header ${name} is too long`);
  return value;
}

function hasGet(headers: WebhookHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === "function";
}

function secretsOf({ secret, secrets = [] }: WebhookSecret): readonly string[] {
  const all = secret === undefined ? secrets : [secret, ...secrets];
  if (all.length > 0 && all.every((one) => typeof one === "string" && one !== "")) return all;
  throw new TypeError("A secret to verify with is missing: is its environment variable set?");
}

/** The key of Standard Webhooks. `X-BeeOS-Signature` takes any secret as the text that it is. */
function keyOf(secret: string): Bytes {
  if (!/^(v1,)?whsec_/i.test(secret)) return encode(secret);
  try {
    const key = fromBase64(secret.slice(secret.indexOf("_") + 1));
    if (key.length > 0) return key;
  } catch {
    // Base64 that cannot be read gets the same message as an empty key.
  }
  throw new TypeError("A secret that begins with whsec_ must go on in base64");
}

async function isSignedWith(
  keys: readonly Bytes[],
  signatures: readonly Bytes[],
  content: ArrayBuffer,
): Promise<boolean> {
  for (const raw of keys) {
    const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const signature of signatures) {
      // Compares in constant time.
      if (await crypto.subtle.verify("HMAC", key, signature, content)) return true;
    }
  }
  return false;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(body));
  } catch {
    refuse("not-json", "The body is not JSON");
  }
}

function bytesOf(body: unknown): Bytes {
  if (typeof body === "string") return encode(body);
  if (body instanceof Uint8Array) return body as Bytes;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError(
    "`body` must be the text or the bytes of the request as they arrived: these are signed, and JSON that was parsed " +
      "and written again has other bytes (Express: express.raw, Fastify: parseAs, Hono: await c.req.text())",
  );
}

// Not `Uint8Array.fromBase64`, which Node 20 lacks.
const fromBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
const fromHex = (text: string) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
const encode = (text: string) => new TextEncoder().encode(text) as Bytes;

/**
 * The answer to a server that asks whether this address wants its events (MCP Events, Webhook Security): a verified body
 * `{"type": "verification", "challenge": "…"}` is answered with `{"challenge": "…"}`. Undefined for an event.
 */
export function challengeAnswer(payload: unknown): { readonly challenge: string } | undefined {
  const { type, challenge } = (payload ?? {}) as { type?: unknown; challenge?: unknown };
  return type === "verification" && typeof challenge === "string" ? { challenge } : undefined;
}

/** The largest body of MCP Events (Delivery profile). */
const MAX_DELIVERY_BYTES = 262_144;

/** Refusals that are answered with 401. All others, which a correct sender never causes, with 400. */
const UNTRUSTED: readonly WebhookRefusal[] = ["no-signature", "wrong-signature", "too-old", "too-new"];

/**
 * Receives a webhook on servers whose requests are those of `fetch`: Workers, Deno, Bun, Hono, Next.js.
 *
 * @param options.onEvent gets each verified event, maybe more than once: compare its `id`. What it throws is not
 *                        caught: the runtime logs it and answers 500, and the sender tries again
 * @returns 204 after `onEvent`, or the response that it returned; the answer to a challenge; 401 for a request that
 *          must not be trusted, 400 or 405 for one that is not a webhook, 413 for one of more than 256 KiB
 * @throws {TypeError} like {@link verifyWebhook}
 */
export async function receiveWebhook(
  request: Request,
  options: WebhookSecret & { readonly onEvent: (event: VerifiedWebhook) => unknown },
): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
  const body = await readBody(request);
  if (body === undefined) return new Response(null, { status: 413 });
  const event = await verifyWebhook({ ...options, headers: request.headers, body }).catch(refusal);
  if (event instanceof Response) return event;
  const challenged = challengeAnswer(event.payload);
  if (challenged !== undefined) return Response.json(challenged);
  const answer = await options.onEvent(event);
  return answer instanceof Response ? answer : new Response(null, { status: 204 });
}

function refusal(error: unknown): Response {
  if (!(error instanceof WebhookInvalid)) throw error;
  const { code, message } = error;
  return Response.json({ code, message }, { status: UNTRUSTED.includes(code) ? 401 : 400 });
}

/** @returns undefined if the body is too large. Stops reading there, whatever length the headers claim */
async function readBody({ body }: Request): Promise<ArrayBuffer | undefined> {
  // Grows with what arrives: a body that does not come takes nothing.
  let bytes = new Uint8Array(0);
  let size = 0;
  const reader = body?.getReader();
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) return bytes.buffer.slice(0, size);
    const end = size + value.byteLength;
    if (end > MAX_DELIVERY_BYTES) {
      await reader?.cancel();
      return undefined;
    }
    if (end > bytes.byteLength) {
      const longer = new Uint8Array(Math.min(MAX_DELIVERY_BYTES, 2 * end));
      longer.set(bytes);
      bytes = longer;
    }
    // Copied, because Workers gives each piece a buffer of 4 KB, even if only one byte has arrived.
    bytes.set(value, size);
    size = end;
  }
}
