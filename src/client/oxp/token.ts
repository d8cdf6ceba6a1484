/** Keeps a client's token: a string, or what a function returns. Requests that overlap share one call of it. */
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
  /** Call it when the server refuses a token. @returns whether `current` may return another one */
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
      // If `latest` has another token, a request that overlaps has already asked for a new one.
      if (latest?.token === token) latest = undefined;
      return true;
    },
  };
}
