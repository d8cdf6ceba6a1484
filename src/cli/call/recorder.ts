/** Keeps the whole response to a call, for `--json`. */
import type { Server } from "./protocols/connection.ts";

export interface Recorder {
  readonly fetch: Server["fetch"];
  /** The last response to a call, parsed; undefined if there was none, or it was not JSON. */
  last(): Promise<unknown>;
}

export function recorder(): Recorder {
  let answered: Promise<unknown> = Promise.resolve(undefined);
  return {
    async fetch(url, init) {
      const response = await fetch(url, init);
      // Only OXP and OpenTool. MCP's responses may be streams, and its client returns the whole result.
      if (init?.method === "POST" && String(url).endsWith("/call")) {
        const copy = response.clone();
        answered = copy.json().catch(() => undefined);
      }
      return response;
    },
    last: () => answered,
  };
}
