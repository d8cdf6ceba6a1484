/** Connections that break, hang or never end, and callers that do not wait. */
import type { Reply } from "../../support/reply.ts";
import type { Case } from "../cases.ts";
import { NO_ACCESS } from "./outcomes.ts";

const METHODS = ["version", "call", "load", "streamCall"] as const;
const HALF = '{"jsonrpc":"2.0","result":{"sum":';
const HANG_MS = 500;
const GZIP = { headers: { "content-encoding": "gzip" } };

const everywhere = (name: string, reply: Reply, reason: string, more: Partial<Case> = {}): Case[] =>
  METHODS.map((method) => {
    const seen = method === "streamCall" ? { events: [] } : {};
    const outcome = reason === "" ? { ...seen, threw: "the reason" } : { ...seen, ...NO_ACCESS(reason) };
    return { name: `${method}: ${name}`, method, reply, outcome, ...more };
  });

export const CONNECTIONS: readonly Case[] = [
  ...everywhere("cut before the response", { ending: "cut-before" }, "unreachable"),
  ...everywhere("cut within the headers", { raw: "HTTP/1.1 200 OK\r\nContent-Ty", ending: "cut" }, "unreachable"),
  ...everywhere("no HTTP", { raw: "220 mail.example ESMTP\r\n" }, "unreachable"),
  ...everywhere("cut within the body", { body: HALF, ending: "cut" }, "cut"),
  ...everywhere("cut before the announced length", { raw: head("content-length: 500") + HALF }, "cut"),
  ...everywhere("a body that is not what its encoding says", { body: HALF, ...GZIP }, "cut"),
  ...everywhere("no answer", { ending: "hang-before" }, "timeout", { timeoutMs: HANG_MS }),
  ...everywhere("no more after half a body", { body: HALF, ending: "hang" }, "timeout", { timeoutMs: HANG_MS }),
  ...everywhere("an endless body", { body: HALF, endless: "0".repeat(50_000) }, "too-large"),
  ...everywhere("a small body that unpacks to a large one", { gzipOf: 20_000_000, ...GZIP }, "too-large"),
  ...everywhere("a redirect", { status: 307, redirects: true }, "redirected"),
  ...everywhere("a redirect to GET", { status: 303, redirects: true }, "redirected"),
  ...everywhere("aborted before", {}, "", { aborts: "before" }),
  ...everywhere("aborted while there is no answer", { ending: "hang-before" }, "", { aborts: "during" }),
  ...everywhere("aborted within the body", { body: HALF, ending: "hang" }, "", { aborts: "during" }),
];

function head(header: string): string {
  return `HTTP/1.1 200 OK\r\nconnection: close\r\n${header}\r\n\r\n`;
}
