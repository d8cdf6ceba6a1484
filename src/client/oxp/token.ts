/** The token of a client: a string, or what a function returns, which is called once for all requests that overlap. */
import { headerValue } from "../lib/header.ts";
import { raced } from "../lib/http.ts";

/** A token, or a function that returns or promises one: called at the first request, and once more after a 401. */
export type Token = string | (() => string | Promise<string>);

export interface TokenSource {
  /**
   * @returns undefined if there is no token
   * @throws what the function throws, the signal's reason once it is aborted, and a TypeError for a token that cannot be
   *   sent in a header
   */
  current(signal: AbortSignal | undefined): Promise<string | undefined>;
  /** Tells that the server does not accept a token. @returns whether `current` may return another one */
  refuse(token: string | undefined): boolean;
}

/** @throws {TypeError} for a token that cannot be sent in a header */
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
      // If it is another one, a request that overlaps has already got a new token.
      if (latest?.token === token) latest = undefined;
      return true;
    },
  };
}
