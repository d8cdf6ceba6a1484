/** Records requests and their responses as they go over the wire, without the credential and the secrets in them. */
import type { Fetch } from "../../client/lib/http.ts";
import { redactor } from "../../client/lib/redact.ts";

/** One request and its response. The members of the response come while it arrives: the object stays the same. */
export interface Exchange {
  readonly protocol: "OXP" | "MCP" | "OpenTool" | "HTTP";
  readonly method: string;
  readonly url: string;
  /** Those that this page sets. The browser adds others. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** undefined: it has none. */
  readonly requestBody?: string;
  /** undefined until the response begins. */
  readonly status?: number;
  /** "" over HTTP/2. */
  readonly statusText?: string;
  readonly responseHeaders: Readonly<Record<string, string>>;
  /** So far. */
  readonly responseBody?: string;
  /** From the request to the last byte of the response, so far. */
  readonly ms: number;
  /** Why there is no response, or no end of it: a sentence. */
  readonly failure?: string;
}

export interface Recorder {
  readonly fetch: Fetch;
  /** In the order of the requests. */
  readonly exchanges: readonly Exchange[];
}

export interface RecorderOptions {
  /** Shown as `•••`. */
  readonly secrets?: readonly string[];
  /** Called when a request is sent, and whenever something of its response has arrived. */
  readonly onChange?: ((exchange: Exchange) => void) | undefined;
}

const MASK = "•••";
/** Characters of a body that are shown. */
const MAX_SHOWN = 1_000_000;

/** @returns a `fetch` that records */
export function recorder({ secrets = [], onChange }: RecorderOptions = {}): Recorder {
  const hide = redactor(secrets, { mask: MASK, wholeTexts: true });
  const exchanges: Exchange[] = [];

  async function recorded(url: string, init: RequestInit): Promise<Response> {
    const began = performance.now();
    const requestBody = bodyText(init.body, hide);
    const exchange: { -readonly [Member in keyof Exchange]: Exchange[Member] } = {
      protocol: protocolOf(url),
      method: init.method ?? "GET",
      url,
      requestHeaders: withoutCredential(new Headers(init.headers)),
      ...(requestBody !== undefined && { requestBody }),
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
    const { status, statusText, headers, body } = response;
    Object.assign(exchange, { status, statusText, responseHeaders: Object.fromEntries(headers) });
    changed();
    if (body === null) return response;
    let text = "";
    let left = 0;
    const decoder = new TextDecoder();
    const arrived = (piece: string) => {
      const room = Math.max(0, MAX_SHOWN - text.length);
      text += piece.slice(0, room);
      left += piece.length - Math.min(room, piece.length);
      exchange.responseBody = shortened(hide(text), left);
      changed();
    };
    const reader = body.getReader();
    const copy = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          try {
            const { done, value } = await reader.read();
            arrived(value ? decoder.decode(value, { stream: true }) : decoder.decode());
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            failed("The response broke off.");
            controller.error(error);
          }
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    return new Response(copy, { status, statusText, headers });
  }
  return { fetch: recorded, exchanges };
}

/** Browsers refuse their own `fetch` as a method of another object. */
export const browserFetch: Fetch = (url, init) => fetch(url, init);

function protocolOf(url: string): Exchange["protocol"] {
  const { pathname } = new URL(url);
  if (pathname === "/mcp") return "MCP";
  if (/^\/(tools|tools\/call)$/.test(pathname)) return "OXP";
  return pathname.startsWith("/opentool/") ? "OpenTool" : "HTTP";
}

function withoutCredential(headers: Headers): Record<string, string> {
  const shown = { ...Object.fromEntries(headers) };
  if ("authorization" in shown) shown.authorization = `Bearer ${MASK}`;
  return shown;
}

function bodyText(body: RequestInit["body"], hide: (text: string) => string): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === "string") return shortened(hide(body.slice(0, MAX_SHOWN)), body.length - MAX_SHOWN);
  return "(not text)";
}

function shortened(text: string, left: number): string {
  return left > 0 ? `${text}\n… and ${left} characters more, which are not shown here` : text;
}
