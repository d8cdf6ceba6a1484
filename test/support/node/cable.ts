/**
 * A network connection that fails as real ones do: the server is not notified. Some are closed by a proxy on the way, as
 * soon as they are idle.
 */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface Cable {
  /** Where the client connects. */
  readonly url: string;
  /** Discards everything that the server sends on the currently open connections. */
  mute(): void;
  /** Breaks the open connections on the client's side only: the server believes that they are still open. */
  cut(): void;
  stop(): void;
}

/** @param idleMs closes connections, on both sides, on which no byte has passed for this many milliseconds */
export async function layCable(to: string, idleMs = 0): Promise<Cable> {
  const { hostname, port } = new URL(to);
  const pairs = new Set<{ client: Socket; server: Socket; isMute: boolean }>();
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    const pair = { client, server, isMute: false };
    pairs.add(pair);
    client.on("data", (chunk) => server.write(chunk));
    server.on("data", (chunk) => {
      if (!pair.isMute) client.write(chunk);
    });
    server.on("end", () => {
      if (!pair.isMute) client.end();
    });
    for (const socket of [client, server]) socket.on("error", () => {});
    client.setTimeout(idleMs, () => {
      for (const socket of [client, server]) socket.destroy();
    });
  });
  await new Promise<void>((listening) => proxy.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    mute() {
      for (const pair of pairs) pair.isMute = true;
    },
    cut() {
      for (const pair of pairs) {
        pair.isMute = true;
        pair.client.destroy();
      }
    },
    stop() {
      proxy.close();
      for (const { client, server } of pairs) for (const socket of [client, server]) socket.destroy();
    },
  };
}
