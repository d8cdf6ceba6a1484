/** Sends OXP calls. Checks every answer against its schema before it returns it. */
import * as v from "valibot";
import { type Answer, post } from "./http.ts";
import { shapeOf } from "./oxp-shapes.ts";

/** POSTs any body to a path that answers calls. */
export async function postCall(body: unknown, path = "/tools/call", headers?: Record<string, string>): Promise<Answer> {
  const answer = await post(path, body, headers);
  v.parse(shapeOf(answer.status), answer.body);
  return answer;
}

/** Calls a tool. `more` has further members of the request, such as `call_id` or `context`. */
export function call(tool_id: string, input?: unknown, more: object = {}, path?: string): Promise<Answer> {
  return postCall({ request: { tool_id, ...(input !== undefined && { input }), ...more } }, path);
}

/** Returns the value of a call, which must succeed. */
export async function completed(tool_id: string, input?: unknown, more?: object): Promise<unknown> {
  const { body, text } = await call(tool_id, input, more);
  if (body?.result?.success !== true) throw new Error(`the call did not complete: ${text}`);
  return body.result.value;
}
