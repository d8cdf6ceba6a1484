/** The token of a client: a text, or what a function promises, which is asked once by all requests that overlap. */
import { raced } from "../lib/http.ts";

/** A token, or a function that returns or promises one: asked at the first request, and after a 401 once more. */
export type Token = string | (() => string | Promise<string>);

export interface TokenSource {
  /**
   * @returns undefined if there is no token
   * @throws what the function throws, the signal's reason once it is aborted, and a TypeError for a token that no header
   *   can have
   */
  current(signal: AbortSignal | undefined): Promise<string | undefined>;
  /** @returns whether another token may come in place of this one, which the server does not accept */
  refuse(token: string | undefined): boolean;
}

/** @throws {TypeError} for a token that no header can have */
export function tokenSource(given: Token | undefined): TokenSource {
  if (typeof given !== "function") {
    const token = given === undefined ? undefined : headerValue("token", given);
    return { current: async () => token, refuse: () => false };
  }
  let latest: { readonly promise: Promise<string>; token?: string } | undefined;
  const ask = () => {
    const asked: typeof latest = { promise: (async () => headerValue("token", await given()))() };
    asked.promise.then(
      (token) => {
        asked.token = token;
      },
      () => forget(asked),
    );
    return asked;
  };
  const forget = (asked: typeof latest) => {
    if (latest === asked) latest = undefined;
  };
  return {
    current(signal) {
      latest ??= ask();
      return signal ? raced(latest.promise, signal) : latest.promise;
    },
    refuse(token) {
      // Otherwise, another request has asked meanwhile.
      if (latest?.token === token) latest = undefined;
      return true;
    },
  };
}

/**
 * Visible ASCII. A line break at the end comes from a file or a variable, and platforms repeat the value in their errors.
 *
 * @param name for the error
 * @throws {TypeError} for any other value
 */
export function headerValue(name: string, value: string): string {
  if (typeof value === "string" && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new TypeError(
    `${name} is not text, is empty, or has a blank, a line break or a letter that no header may have`,
  );
}
