/**
 * Sends one HTTP request, with limits on its time and on the size of its response, and without following redirects. Uses
 * nothing but `fetch`, and knows no protocol.
 */

export interface RequestLimits {
  /** Limit for each request, until the last byte of its response; Infinity for no limit. Default: 60,000 ms. */
  readonly timeoutMs?: number | undefined;
  /** Whether the time limit starts again with each part of the response. As a whole, it may then take any time. */
  readonly isStream?: boolean | undefined;
  /** Limit for the body of each response. Default: 32 MiB. */
  readonly maxBytes?: number | undefined;
  /** Ends the request: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the platform's `fetch`: in tests, or `env.SERVICE.fetch.bind(env.SERVICE)` to call another Worker. */
  readonly fetch?: Fetch | undefined;
}

/** The part of `fetch` that is used here. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export type NoResponseReason =
  /** There was no connection, or it broke before the status. */
  | "unreachable"
  /** The connection broke within the body. */
  | "cut"
  | "timeout"
  | "too-large"
  /** A redirect. It is not followed, so that credentials go only to the address that was given. */
  | "redirected";

/** There is no complete response. `cause` is what the platform threw. */
export class NoResponse extends Error {
  override readonly name = "NoResponse";
  readonly reason: NoResponseReason;

  constructor(reason: NoResponseReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A response whose body has not been read. Read it once, with `text` or `chunks`, or `cancel` it. */
export interface OpenResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body as UTF-8. @throws {NoResponse} */
  text(): Promise<string>;
  /** The body as it arrives. @throws {NoResponse} */
  chunks(): AsyncGenerator<string, void, void>;
  cancel(): Promise<void>;
}

const TIMEOUT_MS = 60_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** 24 days. A timer with a longer time, such as Infinity, fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Sends a request and waits for the status and headers of its response.
 *
 * @throws {NoResponse} and the reason of `limits.signal` once that is aborted
 */
export async function openRequest(url: string, init: RequestInit, limits: RequestLimits): Promise<OpenResponse> {
  const { timeoutMs = TIMEOUT_MS, maxBytes = MAX_BYTES, signal } = limits;
  // Called without `this`: platforms refuse their own fetch as a method of another object.
  const send: Fetch = limits.fetch ?? ((...given) => fetch(...given));
  signal?.throwIfAborted();
  const stop = new AbortController();
  const timeout = new NoResponse("timeout", `No complete response from ${url} within ${timeoutMs} ms`);
  const startTimer = () => setTimeout(() => stop.abort(timeout), Math.min(timeoutMs, MAX_TIMER_MS));
  let timer = startTimer();
  const abort = () => stop.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  const end = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  };
  /** What to throw. After the time limit or an abort it is the signal's reason, whatever the platform threw. */
  const failure = (reason: NoResponseReason, what: string, cause: unknown) =>
    stop.signal.aborted ? stop.signal.reason : new NoResponse(reason, what, { cause });

  let response: Response;
  try {
    // "manual", because Workers do not support "error". In browsers, the status of a redirect is then 0.
    response = await raced(send(url, { ...init, redirect: "manual", signal: stop.signal }), stop.signal);
  } catch (error) {
    end();
    throw failure("unreachable", `Cannot reach ${url}`, error);
  }
  const { status, headers, body } = response;
  if (status === 0 || (status >= 301 && status <= 308 && status !== 304)) {
    end();
    body?.cancel().catch(() => {});
    const to = headers.get("location");
    throw new NoResponse("redirected", `${url} redirects${to === null ? "" : ` to ${to}`}: use that address instead`);
  }

  async function* chunks(): AsyncGenerator<string, void, void> {
    const reader = body?.getReader();
    const decoder = new TextDecoder();
    let bytes = 0;
    try {
      while (reader) {
        const { done, value } = await raced(reader.read(), stop.signal);
        if (done) break;
        if (limits.isStream) {
          clearTimeout(timer);
          timer = startTimer();
        }
        bytes += value.byteLength;
        if (bytes > maxBytes) {
          throw new NoResponse("too-large", `The response of ${url} is longer than ${maxBytes} bytes`);
        }
        yield decoder.decode(value, { stream: true });
      }
      const rest = decoder.decode();
      if (rest !== "") yield rest;
    } catch (error) {
      throw error instanceof NoResponse ? error : failure("cut", `The response of ${url} broke off`, error);
    } finally {
      end();
      // Closes the connection, unless the last byte has arrived.
      reader?.cancel().catch(() => {});
    }
  }
  const text = async () => {
    let whole = "";
    for await (const chunk of chunks()) whole += chunk;
    return whole;
  };
  const cancel = async () => {
    end();
    await body?.cancel().catch(() => {});
  };
  return { status, headers, text, chunks, cancel };
}

/** Waits for a promise, but rejects once the signal is aborted: a `fetch` that was passed in may ignore its signal. */
export function raced<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    // Also if the signal is aborted already: an unhandled rejection ends a Node process.
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
