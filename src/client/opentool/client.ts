/** The client of OpenTool 1.0 (sections 1 to 4): sends requests. response.ts decides what their responses mean. */
import { headerValue } from "../lib/header.ts";
import { NoResponse, openRequest, type RequestLimits } from "../lib/http.ts";
import { type Redact, redactor } from "../lib/redact.ts";
import { sleep } from "../lib/sleep.ts";
import { documentOf, type OpenTool } from "./document.ts";
import { OpenToolServerNoAccessException } from "./exceptions.ts";
import { type FunctionCall, ToolReturn } from "./model.ts";
import { againAfterMs, isSuccess, objectOf, type Received, refusalOf, resultOf } from "./response.ts";
import { eventsOf, type Opened, type StreamEvent } from "./stream.ts";

export interface OpenToolClientOptions extends Pick<RequestLimits, "timeoutMs" | "maxBytes" | "fetch"> {
  /** The server's, with or without `/opentool` at the end: `https://host`, `https://host/calculator/opentool`. */
  readonly url: string | URL;
  /** Sent as `Authorization: Bearer …`. */
  readonly apiKey?: string | undefined;
}

export interface RequestOptions {
  /** Ends the request: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's `timeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

export interface OpenToolCallOptions extends RequestOptions {
  /**
   * 1 to 255 visible ASCII characters, sent as `Idempotency-Key`: a server that knows the header runs the call once and
   * answers a repetition with the first result. Not part of OpenTool; other servers ignore it.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * How long to keep asking for the result of a call that still runs, in milliseconds from the beginning of the call.
   * With 0, the server's first answer that the call still runs is thrown. Default: 900,000, a quarter of an hour.
   */
  readonly totalMs?: number | undefined;
}

export interface Version {
  /** In the form `1.0.0`. */
  readonly version: string;
}

/** Statuses of a server that has no `/streamCall`. */
const NOT_THERE = [404, 405, 501];
const TOTAL_MS = 900_000;

/** Calls the functions of an OpenTool server. Every method throws an `OpenToolException` if there is no answer. */
export class OpenToolClient {
  readonly #base: URL;
  readonly #key: Readonly<Record<string, string>>;
  readonly #redact: Redact;
  readonly #limits: RequestLimits;

  /** @throws {TypeError} if the URL or the key cannot be used */
  constructor({ url, apiKey, timeoutMs, maxBytes, fetch }: OpenToolClientOptions) {
    this.#base = baseOf(url);
    this.#key = apiKey ? { authorization: `Bearer ${headerValue("apiKey", apiKey.trim())}` } : {};
    this.#redact = redactor(apiKey ? [apiKey.trim()] : []);
    this.#limits = { timeoutMs, maxBytes, fetch };
  }

  /** `GET /version`. @throws {OpenToolException} */
  async version(options?: RequestOptions): Promise<Version> {
    const received = await this.#get("version", options);
    const { version } = objectOf(received);
    if (typeof version === "string") return { version };
    const cause = new Error(`${received.url} answered without a version`);
    throw new OpenToolServerNoAccessException({ reason: "not-opentool", status: received.status, cause });
  }

  /**
   * Sends `POST /call`, and sends it again as long as the server says that the call still runs.
   *
   * @returns the result, which is an object: `{ value }` if the server answered another value, `{}` if it answered null
   * @throws {OpenToolException}
   */
  async call(functionCall: FunctionCall, options?: OpenToolCallOptions): Promise<ToolReturn> {
    const goesOn = patience(options);
    for (;;) {
      try {
        const response = await this.#post("call", functionCall, options);
        return new ToolReturn(functionCall.id, resultOf(await receivedFrom(response)));
      } catch (error) {
        if (!(await goesOn(error))) throw error;
      }
    }
  }

  /**
   * Sends `POST /streamCall`, which newer servers have. With others it falls back to {@link call}, and yields one
   * `data` event. The request is sent when the first event is asked for. Leaving the loop closes the connection.
   *
   * @throws {OpenToolException} if the call fails, also for an `error` event, which is not yielded
   *
   * @example
   * for await (const { event, toolReturn } of client.streamCall(call)) if (event === "data") print(toolReturn.result);
   */
  async *streamCall(
    functionCall: FunctionCall,
    options?: OpenToolCallOptions,
  ): AsyncGenerator<StreamEvent, void, void> {
    const goesOn = patience(options);
    let [hasBegun, hasResult] = [false, false];
    for (;;) {
      try {
        const response = await this.#post("streamCall", functionCall, options);
        if (!isSuccess(response.status)) {
          const refusal = refusalOf(await receivedFrom(response));
          const isThere = !(refusal instanceof OpenToolServerNoAccessException) || !NOT_THERE.includes(response.status);
          if (isThere) throw refusal;
          // Nothing has run, so it is safe to call.
          return yield { event: "data", toolReturn: await this.call(functionCall, options) };
        }
        for await (const event of eventsOf(response, functionCall)) {
          // A request that is sent again continues the call: its `start` is not a new beginning.
          if (!hasBegun || event.event !== "start") yield event;
          hasBegun ||= event.event === "start";
          hasResult ||= event.event === "data";
        }
        return;
      } catch (error) {
        // After a result, the call has run: the error must not make it run again.
        if (hasResult || !(await goesOn(error))) throw asException(error);
      }
    }
  }

  /**
   * Reads the description of the server's functions: `GET /load`.
   *
   * @returns null if the server has no description of its functions
   * @throws {OpenToolException}
   */
  async load(options?: RequestOptions): Promise<OpenTool | null> {
    const received = await this.#get("load", options);
    return received.text.trim() === "null" ? null : documentOf(objectOf(received));
  }

  async #get(path: string, options?: RequestOptions): Promise<Received> {
    return receivedFrom(await this.#send(path, { method: "GET", headers: this.#key }, options));
  }

  #post(path: string, { id, name, arguments: params }: FunctionCall, options?: OpenToolCallOptions) {
    const { idempotencyKey: key } = options ?? {};
    const headers = {
      ...this.#key,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(key !== undefined && { "idempotency-key": headerValue("idempotencyKey", key.trim()) }),
    };
    const body = JSON.stringify({ jsonrpc: "2.0", method: name, params, id });
    return this.#send(path, { method: "POST", headers, body }, options);
  }

  async #send(path: string, init: RequestInit, { signal, timeoutMs }: RequestOptions = {}): Promise<Opened> {
    const url = new URL(this.#base);
    url.pathname += `/${path}`;
    const isStream = path === "streamCall";
    const limits = { ...this.#limits, signal, timeoutMs: timeoutMs ?? this.#limits.timeoutMs, isStream };
    try {
      return { ...(await openRequest(url.href, init, limits)), url: url.href, redact: this.#redact };
    } catch (error) {
      throw asException(error, this.#redact);
    }
  }
}

/** @returns a function that waits if the error says that the call still runs, and resolves with whether to ask again */
function patience({ totalMs = TOTAL_MS, signal }: OpenToolCallOptions = {}): (error: unknown) => Promise<boolean> {
  const until = Date.now() + totalMs;
  return async (error) => {
    const ms = againAfterMs(error);
    // Not `>`: if `totalMs` is not a number, the comparison is false, and the server is not asked again.
    if (ms === undefined || !(Date.now() + ms <= until)) return false;
    await sleep(ms, signal);
    return true;
  };
}

async function receivedFrom({ url, status, redact, text }: Opened): Promise<Received> {
  try {
    return { url, status, redact, text: await text() };
  } catch (error) {
    throw asException(error);
  }
}

/** Makes an exception of an error of the connection. Any other, such as the signal's reason, stays as it is. */
function asException(error: unknown, redact?: Redact): unknown {
  if (!(error instanceof NoResponse)) return error;
  // The address of a redirect may repeat the key.
  if (redact) error.message = redact(error.message);
  return new OpenToolServerNoAccessException({ reason: error.reason, cause: error });
}

/** The address under which `/version`, `/call` and `/load` are (OpenTool 1.0, Base URL). */
function baseOf(given: string | URL): URL {
  // The messages do not repeat the address: it may contain a password.
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("url must be the address of an OpenTool server, such as https://host/opentool");
  }
  if (url.username || url.password) throw new TypeError("url must not contain a user or password: pass apiKey");
  url.hash = "";
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/mcp")) {
    throw new TypeError(`url ends in ${url.pathname}, which is the path of MCP: write /opentool instead, or nothing`);
  }
  url.pathname = path.endsWith("/opentool") ? path : `${path}/opentool`;
  return url;
}
