/** Sends requests to the Worker, and parses its answers. */
import { exports } from "cloudflare:workers";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed JSON body; undefined if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  readonly body: any;
}

export const HOST = "http://trivet.test";

export async function send(path: string, init?: RequestInit): Promise<Answer> {
  const response = await exports.default.fetch(`${HOST}${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : readBody(text) };
}

function readBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Pages and event streams are not JSON: their tests read `text`.
    return undefined;
  }
}

/** POSTs JSON. A string is sent unchanged, for bodies that JSON.stringify would not produce. */
export function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return send(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}
