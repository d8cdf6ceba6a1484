/** The built Worker in workerd behind a proxy that does what Cloudflare's edge does when a client disconnects. */
import { connect, createServer } from "node:net";
import { build } from "../../support/node/build.ts";
import { runAll } from "../../support/node/deployed.ts";
import type { Fork, Served } from "../../support/node/fork.ts";

export async function serveAtEdge(fork: Fork): Promise<Served> {
  await build(fork);
  const [deployed] = await runAll(fork, [(env) => env]);
  if (deployed === undefined) throw new Error("nothing was deployed");
  const { hostname, port } = new URL(deployed.url);
  const door = await openDoor(Number(port), hostname);
  return {
    url: door.url,
    async stop() {
      await door.stop();
      await deployed.stop();
    },
  };
}

/**
 * Resets the server's connection when the client closes its own. If a connection is only closed, workerd believes that
 * the client merely stopped sending, and notices at its next write; it notices a reset at once.
 */
export function openDoor(port: number, hostname: string): Promise<Served> {
  const door = createServer((client) => {
    const server = connect(port, hostname);
    client.pipe(server).pipe(client);
    client.on("error", () => {}).on("close", () => server.resetAndDestroy());
    server.on("error", () => {}).on("close", () => client.destroy());
  });
  return new Promise((opened) => {
    door.listen(0, "127.0.0.1", () => {
      const { port: own } = door.address() as { port: number };
      opened({ url: `http://127.0.0.1:${own}`, stop: async () => void door.close() });
    });
  });
}
