/** The client of OpenTool 1.0 (sections 1 to 4): sends requests. response.ts decides what their responses mean. */
import { headerValue } from "../lib/header.ts";
import { NoResponse, openRequest, type RequestLimits } from "../lib/http.ts";
import { documentOf, type OpenTool } from "./document.ts";
import { OpenToolServerNoAccessException } from "./exceptions.ts";
import { type FunctionCall, ToolReturn } from "./model.ts";
import { isSuccess, objectOf, type Received, refusalOf, resultOf } from "./response.ts";
import { eventsOf, type Opened, type StreamEvent } from "./stream.ts";

export interface OpenToolClientOptions extends Pick<RequestLimits, "timeoutMs" | "maxBytes" | "fetch"> {
  /** Of the server, with or without `/opentool` at the end: `https://host`, `https://host/calculator/opentool`. */
  readonly url: string | URL;
  /** Sent as `Authorization: Bearer …`. */
  readonly apiKey?: string | undefined;
}

export interface RequestOptions {
  /** Ends the request. The promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Overrides the client's. */
  readonly timeoutMs?: number | undefined;
}

export interface OpenToolCallOptions extends RequestOptions {
  /**
   * 1 to 255 visible ASCII characters, sent as `Idempotency-Key`: a server that knows the header runs the call once and
   * answers a repetition with the first result. Not part of OpenTool; other servers ignore it.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface Version {
  /** In the form `1.0.0`. */
  readonly version: string;
}

/** Statuses of a server that has no `/streamCall`. */
const NOT_THERE = [404, 405, 501];

/** Calls the functions of an OpenTool server. Every method throws an `OpenToolException` if there is no answer. */
export class OpenToolClient {
  readonly #base: URL;
  readonly #key: Readonly<Record<string, string>>;
  readonly #limits: RequestLimits;

  /** @throws {TypeError} if the URL or the key cannot be used */
  constructor({ url, apiKey, timeoutMs, maxBytes, fetch }: OpenToolClientOptions) {
    this.#base = baseOf(url);
    this.#key = apiKey ? { authorization: `Bearer ${headerValue("apiKey", apiKey.trim())}` } : {};
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
   * `POST /call`.
   *
   * @returns the result, which is an object: `{ value }` if the server answered another value, `{}` if it answered null
   * @throws {OpenToolException}
   */
  async call(functionCall: FunctionCall, options?: OpenToolCallOptions): Promise<ToolReturn> {
    const response = await this.#post("call", functionCall, options);
    return new ToolReturn(functionCall.id, resultOf(await receivedFrom(response)));
  }

  /**
   * `POST /streamCall`, which newer servers have. With others it falls back to {@link call}: one `data` event.
   * The request is sent when the first event is asked for. Leaving the loop closes the connection.
   *
   * @throws {OpenToolException} in place of the event, also for an `error` event
   *
   * @example
   * for await (const { event, toolReturn } of client.streamCall(call)) if (event === "data") print(toolReturn.result);
   */
  async *streamCall(
    functionCall: FunctionCall,
    options?: OpenToolCallOptions,
  ): AsyncGenerator<StreamEvent, void, void> {
    const response = await this.#post("streamCall", functionCall, options);
    if (isSuccess(response.status)) {
      try {
        return yield* eventsOf(response, functionCall);
      } catch (error) {
        throw asException(error);
      }
    }
    const refusal = refusalOf(await receivedFrom(response));
    const isThere = !(refusal instanceof OpenToolServerNoAccessException) || !NOT_THERE.includes(response.status);
    if (isThere) throw refusal;
    // Nothing has run, so it is safe to call.
    yield { event: "data", toolReturn: await this.call(functionCall, options) };
  }

  /**
   * `GET /load`.
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
    const limits = { ...this.#limits, signal, timeoutMs: timeoutMs ?? this.#limits.timeoutMs };
    try {
      return { ...(await openRequest(url.href, init, limits)), url: url.href };
    } catch (error) {
      throw asException(error);
    }
  }
}

async function receivedFrom({ url, status, text }: Opened): Promise<Received> {
  try {
    return { url, status, text: await text() };
  } catch (error) {
    throw asException(error);
  }
}

/** Returns the reason of the caller's signal, and anything else that is not about the connection, as it is. */
function asException(error: unknown): unknown {
  if (!(error instanceof NoResponse)) return error;
  return new OpenToolServerNoAccessException({ reason: error.reason, cause: error });
}

/** The address under which `/version`, `/call` and `/load` are (OpenTool 1.0, Base URL). */
function baseOf(given: string | URL): URL {
  // Not in the message: it may contain a password.
  const url = URL.canParse(String(given)) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TypeError("url must be the address of an OpenTool server, such as https://host/opentool");
  }
  if (url.username || url.password) throw new TypeError("url must not contain a user or password: pass apiKey");
  url.hash = "";
  const path = url.pathname.replace(/\/+$/, "");
  if (path.endsWith("/mcp")) {
    throw new TypeError(`url ends in ${url.pathname}, which is of MCP: write /opentool instead, or nothing`);
  }
  url.pathname = path.endsWith("/opentool") ? path : `${path}/opentool`;
  return url;
}
