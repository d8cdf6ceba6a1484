/** What all protocols share of HTTP: reading a JSON body within limits, and answering. Knows no protocol's words. */

import { MAX_INPUT_DEPTH, nestsDeeperThan } from "../core/lib/json.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import type { Principal, Trace } from "../core/model/definition.ts";
import type { Runtime } from "../core/ports/runtime.ts";

/** How this deployment introduces itself. */
export interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** One request on its way through a protocol. */
export interface RequestContext {
  readonly request: Request;
  /** The request's: each look at `request.headers` crosses into the runtime. */
  readonly headers: Headers;
  readonly principal: Principal;
  /** Folder name of the toolkit whose path was asked for; absent on the bare paths. */
  readonly toolkit: string | undefined;
  readonly runtime: Runtime;
  readonly server: ServerInfo;
  readonly limits: Limits;
  /** How a principal is told to come back with more scopes: the status, and the header that says which. */
  challenge(this: RequestContext, scopes: readonly string[]): Challenge;
  /**
   * Looks at the credential once more.
   *
   * @param times how many further requests to count against the principal's rate: 0 for none
   * @returns what to answer if the principal is not admitted any more, is over its rate, or sees other tools than
   *          before
   */
  recheck(this: RequestContext, times: number): MaybePromise<Response | undefined>;
}

export interface Challenge {
  readonly status: 401 | 403;
  readonly headers: Record<string, string>;
}

export interface Limits {
  /** Bytes that a request's body may have. */
  readonly bodyBytes: number;
  /** Items on one page of a listing that has pages. */
  readonly pageSize: number;
}

export type MaybeResponse = MaybePromise<Response>;

/** A method on a path, served on the bare path and under each toolkit. */
export interface Endpoint {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** Served to everyone: needs no credential. */
  readonly open?: true;
  readonly serve: (context: RequestContext) => MaybeResponse;
}

/** A protocol as the app mounts it. */
export interface Protocol {
  readonly endpoints: readonly Endpoint[];
  /** An error that HTTP itself can tell (404, 405, 500), in this protocol's shape. */
  readonly httpError: (status: number, message: string, headers?: Record<string, string>) => Response;
}

/** Baggage may have 8,192 bytes (W3C Baggage, section 3.3.2), the others far less. */
const MAX_TRACE = 8_192;

const JSON_HEADERS = { "content-type": "application/json", "x-content-type-options": "nosniff" };
/** Made once: what nearly every answer says beside its body is copied from it, and not converted again for each. */
const PLAIN = new Response(null, { headers: JSON_HEADERS });

/** An answer that says all it has to say by its status. */
export function empty(status: 202 | 204): Response {
  return new Response(null, { status, headers: { "x-content-type-options": "nosniff" } });
}

/** An answer whose body is JSON text already. */
export function jsonText(text: string, status = 200, headers?: Record<string, string>): Response {
  if (headers === undefined && status === 200) return new Response(text, PLAIN);
  return new Response(text, { status, headers: { ...JSON_HEADERS, ...headers } });
}

export function json(value: unknown, status = 200, headers?: Record<string, string>): Response {
  return jsonText(JSON.stringify(value), status, headers);
}

/** What was wrong with a body, as a status and a sentence for whoever sent it. */
export interface BadBody {
  readonly status: 400 | 413 | 415;
  readonly message: string;
}

export type ReadBody = { readonly value: unknown } | { readonly bad: BadBody };

const NO_JSON: ReadBody = {
  bad: { status: 415, message: "The request body must be application/json, without a Content-Encoding" },
};

/** Whoever sends it has most likely gone: that is no fault of ours, and no matter for the log. */
const BROKEN: ReadBody = { bad: { status: 400, message: "The request body broke off" } };

/**
 * Rejects invalid UTF-8, which `text()` would replace by U+FFFD: two different keys would become one. It skips a byte
 * order mark (RFC 8259, section 8.1: parsers may).
 */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/** Reads a JSON body, any JSON value, no deeper and no larger than allowed; and goes on with it. */
export function readJson<Next>(
  { request, headers, limits }: RequestContext,
  next: (body: ReadBody) => MaybePromise<Next>,
): MaybePromise<Next> {
  const type = headers.get("content-type");
  const encoding = headers.get("content-encoding");
  if ((type !== null && !isJsonType(type)) || (encoding !== null && encoding.toLowerCase() !== "identity")) {
    return next(NO_JSON);
  }
  const announced = headers.get("content-length");
  if (Number(announced) > limits.bodyBytes) return next(parsed(undefined, limits));
  const bytes = announced === null ? readBytes(request, limits.bodyBytes) : request.arrayBuffer();
  return bytes.then(
    (body) => next(parsed(body, limits)),
    () => next(BROKEN),
  );
}

/** @param body undefined for one that is too large */
function parsed(body: ArrayBuffer | undefined, limits: Limits): ReadBody {
  // What a request announces need not be what comes.
  if (body === undefined || body.byteLength > limits.bodyBytes) {
    return { bad: { status: 413, message: `The request body is larger than ${limits.bodyBytes} bytes` } };
  }
  let text: string;
  try {
    text = UTF_8.decode(body);
  } catch {
    return { bad: { status: 400, message: "The request body is not valid UTF-8" } };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { bad: { status: 400, message: `The request body is ${text === "" ? "empty" : "not valid JSON"}` } };
  }
  // A text shorter than this cannot nest that deep: each level takes two characters.
  if (text.length > 2 * MAX_INPUT_DEPTH && nestsDeeperThan(value, MAX_INPUT_DEPTH)) {
    return { bad: { status: 400, message: `The request body nests over ${MAX_INPUT_DEPTH} levels deep` } };
  }
  return { value };
}

function isJsonType(type: string): boolean {
  if (type === "application/json") return true;
  const essence = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return essence === "application/json" || (essence.startsWith("application/") && essence.endsWith("+json"));
}

/** A body of unknown length, or undefined as soon as it is known to be too large. */
async function readBytes(request: Request, limit: number): Promise<ArrayBuffer | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.byteLength;
    if (size > limit) return undefined;
    pieces.push(piece);
  }
  return new Blob(pieces).arrayBuffer();
}

/** Whether a GET carries a body: legal, rare, and not to be waited for. */
export function hasBody({ request, headers }: RequestContext): boolean {
  if (request.body === null) return false;
  const length = headers.get("content-length");
  return length === null ? headers.has("transfer-encoding") : length !== "0";
}

/**
 * Characters from which on a listing is sent as a stream of bytes that all answers share. The runtime copies a text for
 * each answer, and keeps the copy until garbage is collected: with 1,000 tools, a stream is 1.6 times as fast, and the
 * process stays at 230 MiB where it grew to 1.4 GiB. Of a short one, the stream itself costs more than the copy: as
 * a text, 51,000 characters take 1.19 times the stream's CPU, and 41,000 take 0.85.
 */
const SHARED_FROM = 49_152;

/** A listing as it is answered, headers and all: made once for all who are told the same. */
export interface Listing {
  readonly etag: string;
  /** A long one as bytes, which all answers share. */
  readonly body: string | Uint8Array;
  /** What its answer says beside its body. */
  readonly whole: Response;
  /** To a client that has it already. */
  readonly unchanged: Response;
}

export function listingOf(etag: string, text: string): Listing {
  const headers = new Headers({ ...JSON_HEADERS, etag, "cache-control": "private, no-cache", vary: "origin" });
  const whole = new Response(null, { headers });
  headers.delete("content-type");
  const body = sharedBytes(text) ?? text;
  return { etag, body, whole, unchanged: new Response(null, { status: 304, headers }) };
}

/** Answers with a listing, or 304 to a client that has it already (RFC 9110, section 13.1.2). */
export function answerListing(context: RequestContext, { etag, body, whole, unchanged }: Listing): Response {
  const known = context.headers.get("if-none-match");
  // Compared weakly, as proxies that compress make a tag weak. Nothing in a list of tags looks like this one but
  // itself.
  if (known === "*" || known?.includes(etag)) return new Response(null, unchanged);
  return new Response(typeof body === "string" ? body : streamOf([body]), whole);
}

/** A text as bytes that answers can share; undefined for one that is better sent as text. */
export function sharedBytes(text: string): Uint8Array | undefined {
  return text.length < SHARED_FROM ? undefined : new TextEncoder().encode(text);
}

/** A JSON answer of which only the beginning is its own. */
export function jsonShared(head: string, rest: Uint8Array): Response {
  return new Response(streamOf([new TextEncoder().encode(head), rest]), PLAIN);
}

/** A body that sends these very bytes, and says how many they are. */
function streamOf(parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    expectedLength: parts.reduce((sum, { byteLength }) => sum + byteLength, 0),
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

/** The ETag of one protocol's listing of one toolkit, or of all, as far as they are visible. */
export function listingTag(runtime: Runtime, name: string, toolkit: string | undefined): string {
  const { revision, view } = runtime.catalog;
  return `"${revision}${view}-${name}${toolkit === undefined ? "" : `-${toolkit}`}"`;
}

/** A header that asks to wait (RFC 9110, section 10.2.3): whole seconds. */
export function retryAfter(ms: number): Record<string, string> {
  return { "retry-after": String(Math.ceil(ms / 1_000)) };
}

const TRACE_HEADERS = ["traceparent", "tracestate", "baggage"] as const;

/**
 * W3C trace context of a call (Trace Context, section 3): what stands in its headers.
 *
 * @param first what goes before them: a protocol may carry the same in its messages
 */
export function readTrace(headers: Headers, first: Readonly<Record<string, unknown>> = {}): Trace | undefined {
  let trace: { -readonly [Name in keyof Trace]: Trace[Name] } | undefined;
  for (const name of TRACE_HEADERS) {
    // Trace Context, section 3.3: without a traceparent, a tracestate says nothing.
    if (name === "tracestate" && trace === undefined) continue;
    const value = typeof first[name] === "string" ? first[name] : headers.get(name);
    // What no header can carry goes nowhere: it must not fail what a tool fetches.
    if (value === null || value.length > MAX_TRACE || !/^[\t\x20-\x7e]*$/.test(value)) continue;
    trace ??= {};
    trace[name] = value;
  }
  return trace;
}

/**
 * The idempotency key that HTTP carries beside a call (draft-ietf-httpapi-idempotency-key-header); "", which
 * {@link checkedKey} refuses, for one that is empty or cannot be read: whoever sends one counts on running once.
 */
export function idempotencyKeyOf(headers: Headers): string | undefined {
  const raw = headers.get("idempotency-key");
  if (raw === null) return undefined;
  // The runtime reads headers as UTF-8, and puts U+FFFD for bytes that are none: keys that differ would be one.
  if (raw.includes("\ufffd")) return "";
  // The draft makes it a quoted string; most clients send it bare.
  return raw.replace(/^"(.*)"$/, "$1");
}

/** An idempotency key is 1 to 255 characters of well-formed Unicode; undefined says that it is none. */
export function checkedKey(key: unknown): string | undefined {
  if (typeof key !== "string" || key === "" || !key.isWellFormed()) return undefined;
  return key.length <= 255 || [...key].length <= 255 ? key : undefined;
}
