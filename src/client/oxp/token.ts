/** Keeps a client's token: a string, or what a function returns. Requests that overlap share one call of it. */
import { headerValue } from "../lib/header.ts";
import { raced } from "../lib/http.ts";

/** A token, or a function that returns or promises one: called at the first request, and once more after a 401. */
export type Token = string | (() => string | Promise<string>);

/** A call that has waited in vain for a token has others ask anew, if it was asked for longer ago, in milliseconds. */
const SLOW_MS = 10_000;

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
  let latest: Asked | undefined;
  const ask = (): Asked => {
    const asked: Asked = {
      at: Date.now(),
      settled: (async () => headerValue("token", await given()))().then(
        (token) => {
          asked.token = token;
          return { token };
        },
        (error: unknown) => {
          forget(asked);
          return { error };
        },
      ),
    };
    return asked;
  };
  const forget = (asked: Asked) => {
    if (latest === asked) latest = undefined;
  };
  return {
    async current(signal) {
      for (;;) {
        const isOwn = latest === undefined;
        latest ??= ask();
        const asked = latest;
        const settled = await (signal ? raced(asked.settled, signal) : asked.settled).catch((error: unknown) => {
          const isSlow = Date.now() - asked.at > SLOW_MS;
          if (!isOwn && (isSlow || !signal?.aborted)) forget(asked);
          if (isOwn || signal?.aborted) throw error;
        });
        // In a Worker, a promise of a request that was broken off never resolves. So ask again.
        if (settled === undefined) continue;
        if ("error" in settled) throw settled.error;
        return settled.token;
      }
    },
    refuse(token) {
      // If `latest` has another token, a request that overlaps has already asked for a new one.
      if (latest?.token === token) latest = undefined;
      return true;
    },
  };
}

/** One call of the function. */
interface Asked {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Rejects only if a runtime drops it. */
  readonly settled: Promise<{ readonly token: string } | { readonly error: unknown }>;
  token?: string;
}
