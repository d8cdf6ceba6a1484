/** Requests to verify, and what must come of each. The same cases run in Node 24 and 20, in workerd and in a browser. */
import { Webhook } from "standardwebhooks";
import { verifyWebhook, type WebhookHeaders, WebhookInvalid, type WebhookRequest } from "../../src/client/webhooks.ts";

/** 2027-01-15T08:00:00Z. */
export const NOW = 1_800_000_000;
export const SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
export const OLD_SECRET = "whsec_bm90IHRoZSBzYW1lIHNlY3JldCBhdCBhbGw=";
export const TEXT_SECRET = "a plain text of at least thirty-two characters";
export const EVENT = { type: "task.finished", data: { name: "Zoë", costs: "5 €", n: 1e21 } };
export const BODY = ` ${JSON.stringify(EVENT)}\n`;
export const ID = "evt_01J9ZK";

/** As `standardwebhooks` signs. */
export function standard(secret = SECRET, body = BODY, seconds = NOW, id = ID): Record<string, string> {
  const format = secret.startsWith("whsec_") ? {} : ({ format: "raw" } as const);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": new Webhook(secret, format).sign(id, new Date(seconds * 1_000), body),
  };
}

/** `X-BeeOS-Signature`, with one signature for each secret. */
export async function gateway(secrets = [TEXT_SECRET], body = BODY, seconds = NOW): Promise<Record<string, string>> {
  const signatures = await Promise.all(secrets.map((secret) => hex(secret, bytesOf(`${seconds}.${body}`))));
  return {
    "X-BeeOS-Event-Id": ID,
    "X-BeeOS-Signature": [`t=${seconds}`, ...signatures.map((value) => `v1=${value}`)].join(","),
  };
}

async function hex(secret: string, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytesOf(secret), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, content));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const bytesOf = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

export interface Case {
  readonly name: string;
  readonly request: Omit<WebhookRequest, "headers"> & { readonly headers: object };
  /** A code, `TypeError`, or "ok". */
  readonly outcome: string;
}

/** What comes of a request: "ok" if the id, the time and the payload are those that were signed. */
export async function outcomeOf({ request }: Case): Promise<string> {
  try {
    const { id, timestamp, payload } = await verifyWebhook(request as WebhookRequest);
    const seconds = timestamp.getTime() / 1_000;
    const same = id === ID && Math.abs(seconds - NOW) <= 300 && JSON.stringify(payload) === JSON.stringify(EVENT);
    return same ? "ok" : `another event: ${JSON.stringify({ id, timestamp, payload })}`;
  } catch (error) {
    const { name, message } = error as Error;
    if ([SECRET, OLD_SECRET, TEXT_SECRET, "5 €", ID].some((known) => message.includes(known))) return "leaks";
    return error instanceof WebhookInvalid ? error.code : name;
  }
}

export async function casesOf(): Promise<Case[]> {
  const cases: Case[] = [];
  /** Is verified with `SECRET` at `NOW`, unless `more` says otherwise. */
  const expectOf = (outcome: string, name: string, headers: object, more: object = {}) =>
    cases.push({ name, outcome, request: { secret: SECRET, body: BODY, now: NOW * 1_000, headers, ...more } });
  const ok = expectOf.bind(null, "ok");
  const text = { secret: TEXT_SECRET };
  const sent = standard();
  const old = await gateway();
  const signature = sent["webhook-signature"] as string;
  const oldSignature = old["X-BeeOS-Signature"] as string;
  const bytes = bytesOf(BODY);
  const upper = (headers: object) =>
    Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toUpperCase(), value]));

  ok("as signed by standardwebhooks", sent);
  ok("in Headers", new Headers(sent));
  ok("in capitals", upper(sent));
  ok("values in lists, as in headersDistinct", Object.fromEntries(Object.entries(sent).map(([k, v]) => [k, [v]])));
  ok("a body of bytes", sent, { body: bytes });
  ok("a body that is part of a larger buffer", sent, { body: new Uint8Array([1, ...bytes, 2]).subarray(1, -1) });
  ok("a body in an ArrayBuffer", sent, { body: bytes.buffer });
  ok("a secret of plain text", standard(TEXT_SECRET), text);
  ok("one of two secrets", sent, { secret: undefined, secrets: [OLD_SECRET, SECRET] });
  ok("an old secret beside the new one", sent, { secret: OLD_SECRET, secrets: [SECRET] });
  const both = `${standard(OLD_SECRET)["webhook-signature"]} ${signature}`;
  ok("signed with both secrets during rotation", { ...sent, "webhook-signature": both });
  ok("and with other versions", { ...sent, "webhook-signature": `v1a,${"x".repeat(86)}== ${signature} v2,abc` });
  ok("299 s old", standard(SECRET, BODY, NOW - 299));
  ok("300 s ahead", standard(SECRET, BODY, NOW + 300));

  ok("as signed by the gateway document", old, text);
  ok("the same in Headers", new Headers(old), text);
  ok("the same with spaces, and in lower case", { ...old, "X-BeeOS-Signature": oldSignature.replace(",", ", ") }, text);
  ok("the same with digits in capitals", capitals(old), text);
  ok("the same, with an unknown version", { ...old, "X-BeeOS-Signature": `${oldSignature},v0=abc` }, text);
  ok("the same, signed with two secrets", await gateway([OLD_SECRET, TEXT_SECRET]), text);
  ok("the same, by either secret", old, { secret: undefined, secrets: [SECRET, TEXT_SECRET] });
  ok("a whsec_ secret, which the document takes as text", await gateway([SECRET]));
  ok("both signatures", { ...(await gateway([SECRET])), ...sent });
  ok("a wrong second signature, which is not read", { ...sent, "x-beeos-signature": "t=1,v1=0" });

  const refused = expectOf;
  refused("no-signature", "no headers", {});
  refused("no-signature", "nothing but unknown versions", { ...sent, "webhook-signature": `v1a,${"x".repeat(86)}==` });
  refused("no-signature", "an empty header", { ...sent, "webhook-signature": "" });
  refused("no-signature", "a signature without a version", { ...sent, "webhook-signature": signature.slice(3) });
  refused("no-signature", "only a time", { ...old, "X-BeeOS-Signature": `t=${NOW}` }, text);
  refused("no-signature", "the document's, if only the standard is accepted", old, { ...text, standardOnly: true });
  refused("no-id", "no id", { ...sent, "webhook-id": undefined });
  refused("no-id", "an empty id", { ...sent, "webhook-id": "" });
  refused("no-id", "no id of the document", { ...old, "X-BeeOS-Event-Id": undefined }, text);
  for (const time of [undefined, "", "soon", "1e9", "-1800000000", "1800000000.5", " 1800000000", "0x6b49d200"]) {
    refused("bad-timestamp", `the timestamp ${time}`, { ...sent, "webhook-timestamp": time });
  }
  refused("bad-timestamp", "a timestamp of many digits", { ...sent, "webhook-timestamp": "1".repeat(400) });
  refused("bad-timestamp", "no t=", { ...old, "X-BeeOS-Signature": oldSignature.replace("t=", "s=") }, text);
  refused("too-old", "301 s old", standard(SECRET, BODY, NOW - 301));
  refused("too-new", "301 s ahead", standard(SECRET, BODY, NOW + 301));
  refused("too-old", "the document's, 301 s old", await gateway([TEXT_SECRET], BODY, NOW - 301), text);
  refused("too-new", "the document's, 301 s ahead", await gateway([TEXT_SECRET], BODY, NOW + 301), text);
  refused("too-old", "11 s old, with a tolerance of 10", standard(SECRET, BODY, NOW - 11), { toleranceSeconds: 10 });
  refused("too-old", "milliseconds in place of seconds", sent, { now: NOW * 1_000_000 });
  refused("wrong-signature", "another secret", sent, { secret: OLD_SECRET });
  refused("wrong-signature", "the text of the secret as its key", standard(TEXT_SECRET));
  refused("wrong-signature", "another id", { ...sent, "webhook-id": "evt_other" });
  refused("wrong-signature", "another time", { ...sent, "webhook-timestamp": String(NOW + 1) });
  refused("wrong-signature", "one byte more", sent, { body: `${BODY} ` });
  refused("wrong-signature", "JSON that was parsed and written again", sent, { body: JSON.stringify(EVENT) });
  refused("wrong-signature", "an empty body", sent, { body: "" });
  refused("wrong-signature", "another body of the document", old, { ...text, body: `${BODY} ` });
  refused("wrong-signature", "another secret of the document", old, { secret: SECRET });
  refused("wrong-signature", "another time of the document", earlier(old), text);
  for (const wrong of [
    "",
    "!",
    signature.slice(3, -1),
    `${signature.slice(3)}=`,
    signature.slice(3).replace("=", " "),
  ]) {
    refused("wrong-signature", `base64 that is ${wrong.length} letters`, {
      ...sent,
      "webhook-signature": `v1,${wrong}`,
    });
  }
  const next = String.fromCharCode(signature.charCodeAt(signature.length - 2) + 1);
  refused("wrong-signature", "base64 of the same bytes in another spelling", {
    ...sent,
    "webhook-signature": `${signature.slice(0, -2)}${next}=`,
  });
  refused("wrong-signature", "hex in place of base64", { ...sent, "webhook-signature": `v1,${"ab".repeat(32)}` });
  refused("wrong-signature", "base64 in place of hex", await swapped(signature), text);
  refused("wrong-signature", "odd hex", { ...old, "X-BeeOS-Signature": oldSignature.slice(0, -1) }, text);
  refused("wrong-signature", "a standard one that is wrong, although the document's is right", {
    ...(await gateway([SECRET])),
    ...standard(OLD_SECRET),
  });
  refused("bad-header", "a signature of 5 KiB", { ...sent, "webhook-signature": `${signature} ${"x".repeat(5_000)}` });
  refused("bad-header", "an id of a million letters", { ...sent, "webhook-id": "x".repeat(1_000_000) });
  refused("bad-header", "11 signatures", { ...sent, "webhook-signature": Array(11).fill(signature).join(" ") });
  refused(
    "bad-header",
    "the document's, of 5 KiB",
    { "x-beeos-signature": `${oldSignature}${" ".repeat(5_000)}` },
    text,
  );
  refused("bad-header", "two ids", { ...sent, "Webhook-Id": ID });
  refused("bad-header", "two signatures in a list", { ...sent, "webhook-signature": [signature, signature] });
  refused("bad-header", "two times of the document", { "x-beeos-signature": `${oldSignature},t=${NOW}` }, text);
  refused("wrong-signature", "two ids in Headers", added(sent, "webhook-id", ID));
  refused("bad-timestamp", "two times in Headers", added(sent, "webhook-timestamp", String(NOW)));
  refused("bad-header", "the document's twice in Headers", added(old, "x-beeos-signature", oldSignature), text);
  refused("not-json", "a text that is no JSON", standard(SECRET, "{"), { body: "{" });
  refused("not-json", "nothing", standard(SECRET, ""), { body: "" });
  const noText = new Uint8Array([...bytesOf('"'), 255, ...bytesOf('"')]);
  const signed = await hex(TEXT_SECRET, new Uint8Array([...bytesOf(`${NOW}.`), ...noText]));
  refused(
    "not-json",
    "bytes that are no text",
    { ...old, "X-BeeOS-Signature": `t=${NOW},v1=${signed}` },
    { ...text, body: noText },
  );
  refused("TypeError", "a body that was parsed", sent, { body: EVENT });
  refused("TypeError", "no body", sent, { body: undefined });
  refused("TypeError", "no secret", sent, { secret: undefined });
  refused("TypeError", "no secrets", sent, { secret: undefined, secrets: [] });
  refused("TypeError", "an empty secret", sent, { secret: "" });
  refused("TypeError", "a second secret that is not there", sent, { secrets: [undefined] });
  refused("TypeError", "a secret of nothing but whsec_", sent, { secret: "whsec_" });
  refused("TypeError", "a secret that is no base64", sent, { secret: "whsec_!!!" });
  refused("TypeError", "a tolerance that is none", sent, { toleranceSeconds: Number.NaN });
  refused("TypeError", "a tolerance below 0", sent, { toleranceSeconds: -1 });
  refused("TypeError", "a time that is none", sent, { now: Number.NaN });
  return cases;
}

const capitals = (headers: Record<string, string>) => ({
  ...headers,
  "X-BeeOS-Signature": headers["X-BeeOS-Signature"]?.replace(/v1=.*/, (hex) => `v1=${hex.slice(3).toUpperCase()}`),
});

const earlier = (headers: Record<string, string>) => ({
  ...headers,
  "X-BeeOS-Signature": headers["X-BeeOS-Signature"]?.replace(`t=${NOW}`, `t=${NOW - 1}`),
});

const swapped = async (signature: string) => ({
  ...(await gateway()),
  "X-BeeOS-Signature": `t=${NOW},v1=${signature.slice(3)}`,
});

function added(headers: Record<string, string>, name: string, value: string): WebhookHeaders {
  const both = new Headers(headers);
  both.append(name, value);
  return both;
}
