/** Sends OpenTool calls. Checks every answer against the protocol's shape before it returns it. */
import * as v from "valibot";
import { type Answer, post } from "./http.ts";

/** OpenTool 1.0, "Call Tool": `result` is an object even in an error, and an error's code is an integer. */
export const RpcResponse = v.union([
  v.strictObject({
    jsonrpc: v.literal("2.0"),
    result: v.record(v.string(), v.unknown()),
    error: v.null(),
    id: v.unknown(),
  }),
  v.strictObject({
    jsonrpc: v.literal("2.0"),
    result: v.strictObject({}),
    error: v.strictObject({
      code: v.pipe(v.number(), v.integer()),
      message: v.pipe(v.string(), v.minLength(1)),
      data: v.optional(v.record(v.string(), v.unknown())),
    }),
    id: v.unknown(),
  }),
]);

/** POSTs any body to a path that answers calls. */
export async function postRpc(
  body: unknown,
  path = "/opentool/call",
  headers?: Record<string, string>,
): Promise<Answer> {
  const answer = await post(path, body, headers);
  v.parse(RpcResponse, answer.body);
  return answer;
}

/** Calls a function. */
export function rpc(
  method: string,
  params?: unknown,
  { id = "id-1", headers, path }: { id?: unknown; headers?: Record<string, string>; path?: string } = {},
): Promise<Answer> {
  return postRpc({ jsonrpc: "2.0", method, ...(params !== undefined && { params }), id }, path, headers);
}

export interface Event {
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  readonly data: any;
}

/** How the published Dart client finds events, copied exactly. */
const DART_EVENT = /event:(\w+)\ndata:(.*?)\n\n/g;

/**
 * Parses an event stream as the published Dart client does. Throws for anything that the client would silently skip.
 */
export function eventsOf(text: string): Event[] {
  const skipped = text.replaceAll(DART_EVENT, "");
  if (skipped !== "") throw new Error(`the Dart client does not see ${JSON.stringify(skipped)}`);
  return Array.from(text.matchAll(DART_EVENT), ([, event = "", data = ""]) => ({ event, data: JSON.parse(data) }));
}
