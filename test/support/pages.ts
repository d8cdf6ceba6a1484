/** Does what the browser does on an upload page: sends the file to the page's own address. */
import { type Answer, HOST, send } from "./http.ts";

/** What a person has chosen. */
export interface Chosen {
  readonly name?: string;
  readonly type?: string;
  readonly headers?: Record<string, string>;
}

export function uploadOn(url: string, body: BodyInit, { name, type, headers }: Chosen = {}): Promise<Answer> {
  const own = { "content-type": type ?? "text/csv", "x-file-name": encodeURIComponent(name ?? "q3.csv"), ...headers };
  return send(url.slice(HOST.length), { method: "PUT", headers: own, body });
}

export const open = (url: string): Promise<Answer> => send(url.slice(HOST.length));
