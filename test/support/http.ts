/** Requests to the Worker as a test writes them, and answers as it reads them. */
import { exports } from "cloudflare:workers";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, parsed; undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
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
    // Pages and event streams are no JSON: tests of those read `text`.
    return undefined;
  }
}

/** POSTs JSON; a string is sent as it stands, for bodies that JSON.stringify would not print. */
export function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  return send(path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}
