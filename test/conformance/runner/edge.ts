/** The built Worker in workerd with nothing before it but a door that does what the edge does when a client goes away. */
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { unstable_readConfig } from "wrangler";
import { build, type Fork, type Served } from "../../support/node/fork.ts";

export async function serveAtEdge(fork: Fork): Promise<Served> {
  build(fork);
  const miniflare = new Miniflare(optionsOf(fork));
  const { hostname, port } = await miniflare.ready;
  const door = await openDoor(Number(port), hostname);
  return {
    url: door.url,
    async stop() {
      await door.stop();
      await miniflare.dispose();
    },
  };
}

/** The script with the deployment's settings and bindings. */
function optionsOf(fork: Fork): MiniflareOptions {
  const config = unstable_readConfig({ config: join(fork.root, "wrangler.toml") });
  const contents = readFileSync(join(fork.root, "dist/index.js"), "utf8");
  const env: Record<string, object> = {};
  const exports: Record<string, object> = {};
  for (const [name, value] of Object.entries(config.vars)) env[name] = { type: "text", value };
  for (const { binding } of config.kv_namespaces) env[binding] = { type: "kv", id: binding };
  for (const { name, class_name } of config.durable_objects.bindings) {
    env[name] = { type: "durable-object", worker: "main", exportName: class_name };
    exports[class_name] = { type: "durable-object", storage: "sqlite" };
  }
  const worker = {
    name: "main",
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: config.compatibility_flags,
    manifest: { mainModule: "index.js", modules: { "index.js": { type: "esm", contents } } },
    env,
    exports,
  };
  // Without `cf: false` miniflare asks Cloudflare where it is.
  return { cf: false, workers: [{ config: worker }] } as unknown as MiniflareOptions;
}

/**
 * Resets the server's connection when the client closes its own. workerd takes one that was closed for one that only
 * sends no more, and notices when it next writes to it; a reset it notices at once.
 */
function openDoor(port: number, hostname: string): Promise<Served> {
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
