/** Reads JSON bodies within limits of size, depth and time. */

import { ConcurrencyLimit } from "../core/lib/concurrency-limit.ts";
import { countContainers, MAX_INPUT_DEPTH, nestsDeeperThan } from "../core/lib/json.ts";
import { MAY_HAVE_LOST, markLostNumbers } from "../core/lib/lost-numbers.ts";
import type { MaybePromise } from "../core/lib/maybe-promise.ts";
import { readUpTo } from "../core/lib/read-up-to.ts";
import { partitionOf } from "../core/model/principal.ts";
import type { HeldRoom, Limits, RequestContext } from "./request-context.ts";
import { retryAfter } from "./response.ts";

/** Why a body was rejected: the HTTP status, and a message for the sender. */
export interface BadBody {
  readonly status: 400 | 408 | 413 | 415 | 429;
  readonly message: string;
  /** The parsed body, if it is JSON but refused: it may name the request that the response belongs to. */
  readonly value?: unknown;
  readonly headers?: Record<string, string>;
}

export type ReadBody = { readonly value: unknown } | { readonly bad: BadBody };

const NO_JSON: ReadBody = {
  bad: { status: 415, message: "The request body must be application/json, without a Content-Encoding" },
};

/** The client has most likely disconnected. That is not an error of the server, so nothing is logged. */
const BROKEN: ReadBody = { bad: { status: 400, message: "The request body ended early" } };

/** How long a body may take to arrive, in milliseconds, unless it is small. */
export const BODY_MS = 30_000;
/** Bodies up to this size have no deadline: they take little memory, and a timer would cost something in each call. */
const SMALL_BYTES = 8_192;
/**
 * Bytes of larger bodies of one principal that an isolate receives and handles at a time; further bodies wait for their
 * turn. Parsed, the worst body of 1 MiB takes 14 MB (100,000 objects, each with a member of a different name), and an
 * isolate has 128 MB.
 */
const AT_A_TIME = 5_242_880;
/** Most objects and lists in a body together. 1 MiB of `{}` would have 350,000. */
export const MAX_CONTAINERS = 100_000;
/**
 * Bytes of room for each object or list of a large body, in addition to its text. Most libraries copy what they check,
 * so 1 MiB of small objects takes up to 28 MB while its call runs. No body takes more than half of the room.
 */
export const PER_CONTAINER = 50;

const SLOW: ReadBody = {
  bad: { status: 408, message: `The request body took longer than ${BODY_MS / 1_000} seconds to arrive` },
};

/** The refusal of a request if there is no room for its body, or for the answers in it. */
export const BUSY = {
  status: 429,
  message: "Too many of your large requests are running: send this one again when another has ended",
  headers: retryAfter(BODY_MS / 6),
} satisfies BadBody;

/** Limits the bytes of large bodies of each principal. There is room for at least two bodies. */
export function bodyLimit(bodyBytes: number): ConcurrencyLimit {
  return new ConcurrencyLimit({ most: Infinity, each: roomFor(bodyBytes), forMs: BODY_MS });
}

function roomFor(bodyBytes: number): number {
  return Math.max(2 * bodyBytes, AT_A_TIME);
}

/**
 * Rejects invalid UTF-8, which `text()` would replace with U+FFFD: two different keys would become one. Skips a byte
 * order mark, as RFC 8259, section 8.1, allows.
 */
const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

/**
 * Reads a JSON body: any JSON value within the limits. Never rejects. Marks numbers that JSON.parse changed
 * (core/lib/lost-numbers.ts); each protocol refuses them in its own form.
 */
export function readJson(context: RequestContext): MaybePromise<ReadBody> {
  const { request, headers, limits } = context;
  const type = headers.get("content-type");
  const encoding = headers.get("content-encoding");
  if ((type !== null && !isJsonType(type)) || (encoding !== null && encoding.toLowerCase() !== "identity")) {
    return NO_JSON;
  }
  const announced = headers.get("content-length");
  if (Number(announced) > limits.bodyBytes) return parsed(undefined, limits);
  const isSmall = announced !== null && Number(announced) <= SMALL_BYTES;
  if (!isSmall) return readLarge(context, Number(announced ?? limits.bodyBytes) || limits.bodyBytes);
  return request.arrayBuffer().then(
    (bytes) => withRoom(context, bytes.byteLength, parsed(bytes, limits)),
    () => BROKEN,
  );
}

/** Reserves room for a body that takes much when it is parsed: what is parsed must not wait in memory. */
function withRoom(context: RequestContext, bytes: number, read: Parsed): ReadBody {
  const { bodies, bodyBytes } = context.limits;
  if (bodies === undefined || !("value" in read)) return read;
  const size = sizeParsed(bytes, read.containers, bodyBytes);
  if (size <= SMALL_BYTES) return read;
  context.largeBody = hold(bodies, partitionOf(context.principal), size);
  return context.largeBody === undefined ? { bad: BUSY } : read;
}

/** Keys that make a copy of an object large (core/lib/json.ts). A digit may be written as its code. */
const HAS_NUMBER_AS_KEY = /"(?:\d|\\u003\d){1,4}"\s*:/;

/** `containers`: how many objects and lists a body has, if it may take much. */
type Parsed = Exclude<ReadBody, { readonly value: unknown }> | { readonly value: unknown; readonly containers: number };

/** @param body undefined if it is too large */
function parsed(body: ArrayBuffer | undefined, limits: Limits): Parsed {
  // The body may be larger than its Content-Length.
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
  // A shorter text cannot be nested that deep, because each level takes two characters.
  if (text.length > 2 * MAX_INPUT_DEPTH && nestsDeeperThan(value, MAX_INPUT_DEPTH)) {
    return { bad: { status: 400, message: `The request body is nested over ${MAX_INPUT_DEPTH} levels deep`, value } };
  }
  const mayTakeMuch = text.length > SMALL_BYTES || HAS_NUMBER_AS_KEY.test(text);
  const containers = mayTakeMuch ? countContainers(value, MAX_CONTAINERS) : 0;
  if (containers > MAX_CONTAINERS) {
    const message = `The request body has over ${MAX_CONTAINERS} objects and lists`;
    return { bad: { status: 413, message, value } };
  }
  if (MAY_HAVE_LOST.test(text)) markLostNumbers(text, value);
  return { value, containers };
}

function isJsonType(type: string): boolean {
  if (type === "application/json") return true;
  const essence = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return essence === "application/json" || (essence.startsWith("application/") && essence.endsWith("+json"));
}

/** Waits for room for a body that may be large, and reads it. {@link HeldRoom} says when the room is released. */
async function readLarge(context: RequestContext, announced: number): Promise<ReadBody> {
  const { request, limits, principal } = context;
  const { bodyBytes, bodies } = limits;
  const holder = partitionOf(principal);
  let end: (() => void) | undefined;
  try {
    end = await bodies?.wait(() => bodies.hold(holder, announced), AbortSignal.timeout(BODY_MS));
  } catch {
    return { bad: BUSY };
  }
  let bytes: ArrayBuffer | undefined;
  try {
    bytes = await (await readUpTo(request.body, bodyBytes, AbortSignal.timeout(BODY_MS)))?.arrayBuffer();
  } catch (error) {
    return (error as Error | undefined)?.name === "TimeoutError" ? SLOW : BROKEN;
  } finally {
    // The body may be smaller than its Content-Length said, and it may take more when parsed.
    end?.();
  }
  return withRoom(context, bytes?.byteLength ?? 0, parsed(bytes, limits));
}

/**
 * Reserves room for a value that a request holds besides its body.
 *
 * @param length of the text that the value was parsed from
 * @returns undefined if there is no room
 */
export function holdParsed(context: RequestContext, length: number, value: unknown): HeldRoom | undefined {
  const { bodies, bodyBytes } = context.limits;
  if (bodies === undefined || length <= SMALL_BYTES) return NO_ROOM_NEEDED;
  const size = sizeParsed(length, countContainers(value, MAX_CONTAINERS), bodyBytes);
  return hold(bodies, partitionOf(context.principal), size);
}

/** The room that parsed JSON takes, in bytes: at most half of what a principal has, so that two always fit. */
function sizeParsed(bytes: number, containers: number, bodyBytes: number): number {
  return Math.min(roomFor(bodyBytes) / 2, bytes + PER_CONTAINER * containers);
}

const NO_ROOM_NEEDED: HeldRoom = { keep() {}, release() {}, keepUntil() {} };

/** @param bytes the size. Reserved until the last `release` */
function hold(bodies: ConcurrencyLimit, holder: string, bytes: number): HeldRoom | undefined {
  const end = bodies.hold(holder, bytes);
  if (end === undefined) return undefined;
  let keepers = 1;
  let later: Promise<unknown> | undefined;
  return {
    keep() {
      keepers++;
    },
    release() {
      keepers--;
      if (keepers > 0) return;
      end();
      if (later === undefined) return;
      // Not renewed: a timer would keep the request open for as long as the tool runs, perhaps for ever.
      const turn = bodies.begin(holder, bytes);
      later.then(turn?.end);
    },
    keepUntil(settled) {
      later = Promise.allSettled([later, settled]);
    },
  };
}

/** Whether a GET request has a body. That is legal but rare, so a GET request's body is read only if there is one. */
export function hasBody({ request, headers }: RequestContext): boolean {
  if (request.body === null) return false;
  const length = headers.get("content-length");
  return length === null ? headers.has("transfer-encoding") : length !== "0";
}
