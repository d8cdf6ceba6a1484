/** Keeps what a server answered to a call, as it came, for `--json`, and limits the size of all answers. */
import { NotDone, type Server } from "./protocols/connection.ts";

/** Limit for one answer. The clients of OXP and OpenTool have a lower limit, and MCP's has none. */
const MAX_BYTES = 128 * 1024 * 1024;

/** @param fail called for an answer that is too long: the official client of MCP would only wait for another one */
export function recorder(fail: (reason: NotDone) => void, maxBytes = MAX_BYTES) {
  let answered: Uint8Array[] = [];
  return {
    async fetch(...[url, init]: Parameters<Server["fetch"]>) {
      const response = await fetch(url, init);
      if (response.body === null) return response;
      // Kept for OXP and OpenTool only: MCP's answers may be streams, and mcp.ts returns their results.
      const noted: Uint8Array[] | undefined = init?.method === "POST" && String(url).endsWith("/call") ? [] : undefined;
      if (noted) answered = noted;
      let bytes = 0;
      // Not a clone: if one of its two streams is cancelled, the other keeps reading for as long as the server writes.
      const passing = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes += chunk.byteLength;
          if (bytes > maxBytes) {
            const reason = new NotDone("unreachable", `The answer of ${url} is longer than ${maxBytes} bytes.`);
            fail(reason);
            throw reason;
          }
          noted?.push(chunk);
          controller.enqueue(chunk);
        },
      });
      const { status, statusText, headers } = response;
      return new Response(response.body.pipeThrough(passing), { status, statusText, headers });
    },
    /** The last answer to a call, parsed, as far as it was read; undefined if there was none, or it was not JSON. */
    last(): unknown {
      try {
        return JSON.parse(Buffer.concat(answered).toString());
      } catch {
        return undefined;
      }
    },
  };
}
