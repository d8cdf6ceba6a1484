/** Sends a request to an OXP server with credentials and limits, and removes secrets from the texts of its response. */
import { headerValue } from "../lib/header.ts";
import { NoResponse, openRequest, type RequestLimits } from "../lib/http.ts";
import { inexactNumberIn, parseJson } from "../lib/json.ts";
import { redactor } from "../lib/redact.ts";
import { type Attempted, OxpNoResponse } from "./errors.ts";
import { type Token, tokenSource } from "./token.ts";

export interface Credentials {
  readonly apiKey?: string | undefined;
  readonly token?: Token | undefined;
}

/** A response, read to its end. */
export interface Answer {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  /** The body as it was sent. */
  readonly whole: string;
  /** The body, parsed; undefined if it is not JSON. */
  readonly body: unknown;
  /** @returns a number in the body that lost digits when it was parsed, as it was sent; undefined if there is none */
  inexact(): string | undefined;
  /** @returns a string of the response, without secrets, for a message; undefined for an empty one or another type */
  text(value: unknown): string | undefined;
}

export interface Outgoing {
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What no message may contain, besides the credentials. */
  readonly secrets?: readonly string[];
  readonly limits: RequestLimits;
  readonly attempted: Attempted;
}

export type Send = (url: string, outgoing: Outgoing) => Promise<Answer>;

/**
 * @returns a function that sends requests with the credentials. It throws an OxpNoResponse, the reason of the signal,
 *   what the token function throws, and a TypeError for a token that cannot be sent in a header
 * @throws {TypeError} for a credential that cannot be sent in a header
 */
export function sender({ apiKey, token }: Credentials): Send {
  const key = apiKey === undefined ? {} : { "oxp-api-key": headerValue("apiKey", apiKey) };
  const tokens = tokenSource(token);

  async function send(url: string, outgoing: Outgoing, used: string | undefined): Promise<Answer> {
    const { method, headers, body, secrets = [], limits, attempted } = outgoing;
    const clean = redactor([...secrets, apiKey, used].filter((secret) => secret !== undefined));
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
        whole: text,
        body: parseJson(text),
        inexact: () => inexactNumberIn(text),
        text: (value) => (typeof value === "string" && value !== "" ? clean(value) : undefined),
      };
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      const { reason, message, cause } = error;
      // The address of a redirect may repeat a secret.
      throw new OxpNoResponse(reason, clean(message), attempted, cause === undefined ? {} : { cause });
    }
  }

  return async (url, outgoing) => {
    const { signal } = outgoing.limits;
    const used = await tokens.current(signal);
    const answer = await send(url, outgoing, used);
    if (answer.status !== 401 || !tokens.refuse(used)) return answer;
    return send(url, outgoing, await tokens.current(signal));
  };
}
