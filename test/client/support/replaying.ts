/**
 * An HTTP server that answers exactly as a case says, however wrong: on the level of bytes where that is needed.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import type { Handler } from "./opentool-servers.ts";
import type { Reply } from "./reply.ts";

export interface Replaying {
  readonly url: string;
  /** A second server, on another port. */
  readonly otherUrl: string;
  /** Requests that the other server got. */
  readonly strays: readonly string[];
  /** Paths of requests whose connection the client closed before the end of the answer. */
  readonly closed: readonly string[];
  /** Breaks all connections. */
  cut(): void;
  stop(): Promise<void>;
}

/**
 * @param replies answers under `/replies/0`, `/replies/1` …, by the last part of the path, or `any`
 * @param mounted other handlers, by the first part of the path
 */
export async function serveReplies(
  replies: readonly Readonly<Record<string, Reply>>[],
  mounted: Readonly<Record<string, Handler>> = {},
): Promise<Replaying> {
  const strays: string[] = [];
  const closed: string[] = [];
  const other = createServer((request, response) => {
    strays.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    response.writeHead(200).end("{}");
  });
  const otherUrl = await listen(other);
  const server = createServer(async (request, response) => {
    response.on("close", () => response.writableFinished || closed.push(request.url ?? ""));
    const [, kind = "", index = ""] = (request.url ?? "").split("/");
    const handler = mounted[kind];
    if (handler) return handler((request.url ?? "").slice(kind.length + 1), request, response);
    const known = replies[Number(index)] ?? {};
    const reply = known[request.url?.split("/").at(-1) ?? ""] ?? known.any;
    if (reply === undefined) return response.writeHead(404).end();
    const sent = request.method === "POST" ? await json(request) : undefined;
    const { url, method, headers } = request;
    const echo = JSON.stringify({ result: { url, method, headers, sent } });
    await answer(reply.echo ? { ...reply, body: echo } : reply, response, otherUrl);
  });
  const url = await listen(server);
  return {
    url,
    otherUrl,
    strays,
    closed,
    cut: () => server.closeAllConnections(),
    async stop() {
      for (const one of [server, other]) {
        one.closeAllConnections();
        await new Promise((ended) => one.close(ended));
      }
    },
  };
}

async function answer(reply: Reply, response: ServerResponse, otherUrl: string): Promise<void> {
  if (reply.raw !== undefined) {
    const { socket } = response;
    // Chromium takes headers that end with the connection for whole, but not if it is reset.
    return void socket?.write(reply.raw, () => (reply.ending === "cut" ? socket.resetAndDestroy() : socket.end()));
  }
  if (reply.ending === "cut-before") return void response.socket?.destroy();
  if (reply.ending === "hang-before") return;
  const location = reply.redirects ? { location: `${otherUrl}/opentool/call` } : {};
  response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...location, ...reply.headers });
  if (reply.gzipOf !== undefined) return void response.end(gzipSync(Buffer.alloc(reply.gzipOf, " ")));
  // Bytes, so that a chunk may end within a letter.
  const bytes = Buffer.from(reply.body ?? "");
  const size = reply.chunk ?? Math.max(bytes.length, 1);
  for (let at = 0; at < bytes.length; at += size) {
    response.write(bytes.subarray(at, at + size));
    if (reply.chunk) await new Promise(setImmediate);
  }
  if (reply.ending === "hang") return void response.flushHeaders();
  if (reply.ending === "cut") return void setImmediate(() => response.socket?.destroy());
  if (reply.endless === undefined) return void response.end();
  // Ends when the client closes the connection.
  await pipeline(forever(reply.endless), response).catch(() => {});
}

function* forever(text: string): Generator<string> {
  for (;;) yield text;
}

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((listening) => {
    server.listen(0, "127.0.0.1", () => listening(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
}
