/** One request to an OXP server: its credentials, its limits, and the texts of its response without secrets. */
import { NoResponse, openRequest, type RequestLimits } from "../lib/http.ts";
import { type Attempted, OxpNoResponse } from "./errors.ts";

export interface Credentials {
  readonly apiKey?: string | undefined;
  readonly token?: Token | undefined;
}

/** A token, or a function that returns or promises one: asked at the first request, and after a 401 once more. */
export type Token = string | (() => string | Promise<string>);

/** A response, read to its end. */
export interface Answer {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** The body, parsed; undefined if it is not JSON. */
  readonly body: unknown;
  /** @returns a text of the response for a message: without secrets; undefined if it is no text, or an empty one */
  text(value: unknown): string | undefined;
}

export interface Outgoing {
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What must not be in a message, besides the credentials. */
  readonly secrets?: readonly string[];
  readonly limits: RequestLimits;
  readonly attempted: Attempted;
}

export type Send = (url: string, outgoing: Outgoing) => Promise<Answer>;

/**
 * @returns a function that sends requests with the credentials. It throws an OxpNoResponse, the reason of the signal,
 *   what the function for tokens throws, and a TypeError for a token that no header can have
 * @throws {TypeError} for a credential that no header can have
 */
export function sender({ apiKey, token }: Credentials): Send {
  const key = apiKey === undefined ? {} : { "oxp-api-key": headerValue("apiKey", apiKey) };
  if (typeof token === "string") headerValue("token", token);
  let known = typeof token === "string" ? token : undefined;

  async function send(url: string, outgoing: Outgoing): Promise<Answer> {
    const { method, headers, body, secrets = [], limits, attempted } = outgoing;
    if (typeof token === "function") known ??= headerValue("token", await orAborted(token(), limits.signal));
    const used = known;
    const clean = withoutSecrets([apiKey, used, ...secrets]);
    const init = {
      method,
      headers: { accept: "application/json", ...headers, ...key, ...(used && { authorization: `Bearer ${used}` }) },
      ...(body !== undefined && { body }),
    };
    try {
      const response = await openRequest(url, init, limits);
      const text = await response.text();
      return {
        url,
        status: response.status,
        headers: response.headers,
        body: parsed(text),
        text: (value) => (typeof value === "string" && value !== "" ? clean(value) : undefined),
      };
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      const { reason, message, cause } = error;
      // A redirect may repeat what was sent.
      throw new OxpNoResponse(reason, clean(message), attempted, cause === undefined ? {} : { cause });
    }
  }

  return async (url, outgoing) => {
    const answer = await send(url, outgoing);
    if (answer.status !== 401 || typeof token !== "function") return answer;
    known = undefined;
    return send(url, outgoing);
  };
}

/** Visible ASCII. A line break at the end comes from a file or a variable, and platforms repeat the value in errors. */
function headerValue(name: string, value: string): string {
  if (typeof value === "string" && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new TypeError(
    `${name} is not text, is empty, or has a blank, a line break or a letter that no header may have`,
  );
}

/** Shorter ones occur in ordinary words. */
const MIN_SECRET = 4;

function withoutSecrets(all: readonly (string | undefined)[]): (text: string) => string {
  const secrets = all.filter((secret) => secret !== undefined && secret.length >= MIN_SECRET) as string[];
  // The longest first: one may be a part of another.
  secrets.sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((clean, secret) => clean.replaceAll(secret, "[redacted]"), text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function orAborted(value: string | Promise<string>, signal: AbortSignal | undefined): string | Promise<string> {
  if (typeof value === "string" || signal === undefined) return value;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    value.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
