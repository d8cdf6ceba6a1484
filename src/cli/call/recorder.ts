/** Notes what a server answered to a call, as it came, for `--json`. */
import type { Server } from "./protocols/connection.ts";

export interface Recorder {
  readonly fetch: Server["fetch"];
  /** The last answer to a call, parsed; undefined if there was none, or it was no JSON. */
  last(): Promise<unknown>;
}

export function recorder(): Recorder {
  let answered: Promise<unknown> = Promise.resolve(undefined);
  return {
    async fetch(url, init) {
      const response = await fetch(url, init);
      // Of OXP and OpenTool. MCP's answers may be streams, and their results are kept by its client.
      if (init?.method === "POST" && String(url).endsWith("/call")) {
        const copy = response.clone();
        answered = copy.json().catch(() => undefined);
      }
      return response;
    },
    last: () => answered,
  };
}
