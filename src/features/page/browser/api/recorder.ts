/** Records requests and their responses as they go over the wire, without the credential and the secrets in them. */
import type { Fetch } from "../../../../client/lib/http.ts";
import { MASK, masking } from "../lib/mask.ts";

/** One request and its response. The members of the response come while it arrives: the object stays the same. */
export interface Exchange {
  readonly protocol: "OXP" | "MCP";
  readonly method: string;
  readonly url: string;
  /** The headers that this page sets. The browser adds others. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** undefined if it has none. */
  readonly requestBody?: string;
  /** undefined until the response begins. */
  readonly status?: number;
  /** "" over HTTP/2. */
  readonly statusText?: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** The part that has arrived. */
  readonly responseBody?: string;
  /** From the request to the last byte of the response, so far. */
  readonly ms: number;
  /** A sentence: why there is no response, or no end of it. */
  readonly failure?: string;
}

export interface Recorder {
  readonly fetch: Fetch;
  /** In the order of the requests. */
  readonly exchanges: readonly Exchange[];
  /** The headers of the last response, with nothing hidden. */
  readonly lastHeaders: Headers | undefined;
}

export interface RecorderOptions {
  /** Shown as `•••`. */
  readonly secrets?: readonly string[];
  /** Called when a request is sent, and whenever something of its response has arrived. */
  readonly onChange?: ((exchange: Exchange) => void) | undefined;
}

const MAX_SHOWN = 1_000_000;

export function recorder({ secrets = [], onChange }: RecorderOptions = {}): Recorder {
  const { hide, longest } = masking(secrets);
  const shownOf = (name: string, value: string) => {
    if (name === "authorization") return `Bearer ${MASK}`;
    return secrets.includes(value) ? MASK : hide(value);
  };
  const hideIn = (headers: Headers) =>
    Object.fromEntries(Array.from(headers, ([name, value]) => [name, shownOf(name, value)]));
  let lastHeaders: Headers | undefined;
  const exchanges: Exchange[] = [];

  async function recorded(url: string, init: RequestInit): Promise<Response> {
    const began = performance.now();
    // Both protocols send texts.
    const body = typeof init.body === "string" ? init.body : undefined;
    const exchange: { -readonly [Member in keyof Exchange]: Exchange[Member] } = {
      protocol: new URL(url).pathname === "/mcp" ? "MCP" : "OXP",
      method: init.method ?? "GET",
      url,
      requestHeaders: hideIn(new Headers(init.headers)),
      ...(body !== undefined && { requestBody: shortened(hide(body, MAX_SHOWN), body.length - MAX_SHOWN) }),
      responseHeaders: {},
      ms: 0,
    };
    exchanges.push(exchange);
    const changed = () => {
      exchange.ms = Math.round(performance.now() - began);
      onChange?.(exchange);
    };
    const failed = (what: string) => {
      exchange.failure = init.signal?.aborted ? "This page ended the request." : what;
      changed();
    };
    changed();
    let response: Response;
    try {
      response = await browserFetch(url, init);
    } catch (error) {
      failed("There was no response.");
      throw error;
    }
    const { status, statusText, headers, body: stream } = response;
    lastHeaders = headers;
    Object.assign(exchange, { status, statusText, responseHeaders: hideIn(headers) });
    changed();
    if (stream === null) return response;
    let text = "";
    let length = 0;
    const decoder = new TextDecoder();
    const arrived = (piece: string, isEnd: boolean) => {
      length += piece.length;
      text += piece.slice(0, Math.max(0, MAX_SHOWN + longest - text.length));
      // More of a secret may be on its way.
      const end = isEnd ? text.length : Math.max(0, text.length - longest);
      exchange.responseBody = shortened(hide(text, Math.min(end, MAX_SHOWN)), length - MAX_SHOWN);
      changed();
    };
    const reader = stream.getReader();
    const copy = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            arrived(value ? decoder.decode(value, { stream: true }) : decoder.decode(), done);
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            failed("The response broke off.");
            controller.error(error);
          }
        },
        cancel(reason) {
          // The reader has all that it wants.
          arrived("", true);
          return reader.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(copy, { status, statusText, headers });
  }
  return {
    fetch: recorded,
    exchanges,
    get lastHeaders() {
      return lastHeaders;
    },
  };
}

/** Browsers refuse their own `fetch` as a method of another object. */
export const browserFetch: Fetch = (url, init) => fetch(url, init);

function shortened(text: string, left: number): string {
  return left > 0 ? `${text}\n… and ${left} characters more, which are not shown here` : text;
}
