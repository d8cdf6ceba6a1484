/** `npx node test/bench/peers/check.ts`: installs the peers and checks that each answers as `peers.ts` says. */
import { deepEqual, equal } from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { Miniflare } from "miniflare";
import { bundledPeer, peers } from "../contestants.ts";
import { fetchInit, mcpRequest } from "../mcp.ts";
import type { PeerWay } from "./peers.ts";

const serving = (contents: string, tools: number) =>
  new Miniflare({
    cf: false,
    workers: [
      {
        config: {
          name: "peer",
          compatibilityDate: "2026-10-01",
          compatibilityFlags: ["nodejs_compat"],
          manifest: { mainModule: "index.js", modules: { "index.js": { type: "esm", contents } } },
          env: { TOOLS: { type: "text", value: String(tools) } },
        },
      },
    ],
  });

interface Result {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly tools?: readonly { readonly name: string; readonly description: string; readonly inputSchema: object }[];
  readonly nextCursor?: string;
}

async function ask(server: Miniflare, way: PeerWay, method: string, params?: Record<string, unknown>): Promise<Result> {
  const answer = await server.dispatchFetch("http://localhost/mcp", fetchInit(mcpRequest(way, method, params)));
  const text = await answer.text();
  equal(answer.status, 200, text);
  const type = way.answers === "json" ? "application/json" : "text/event-stream";
  equal(answer.headers.get("content-type")?.split(";")[0], type);
  const body = way.answers === "json" ? text : /^data: ?(.*)$/m.exec(text)?.[1];
  const { id, result } = JSON.parse(body ?? "");
  equal(id, 1, text);
  return result;
}

async function called(server: Miniflare, peer: Peer, way: PeerWay): Promise<void> {
  const result = await ask(server, way, "tools/call", { name: peer.toolName, arguments: { a: 1, b: 2 } });
  deepEqual(result.content, [{ type: "text", text: "3" }]);
  deepEqual(result.structuredContent, peer.structured ? { result: 3 } : undefined);
}

async function listed(server: Miniflare, peer: Peer, way: PeerWay, count: number): Promise<void> {
  const { tools = [], nextCursor } = await ask(server, way, "tools/list");
  deepEqual([new Set(tools.map(({ name }) => name)).size, tools.length, nextCursor], [count, count, undefined]);
  equal(tools[0]?.name, peer.toolName);
  for (const { description, inputSchema } of tools) {
    const { type, properties, required } = inputSchema as Record<string, unknown>;
    equal(description, "Adds two numbers.");
    deepEqual([type, properties, required], ["object", { a: { type: "number" }, b: { type: "number" } }, ["a", "b"]]);
  }
}

const waysOf = ({ legacy, modern, legacyAsRequired }: Peer): PeerWay[] =>
  [legacy, modern, legacyAsRequired].filter((way) => way !== undefined);

/** Returns the size of the peer's bundle in KiB after gzip. */
async function check(peer: Peer): Promise<number> {
  deepEqual(peer.eras, ["legacy", ...(peer.modern === undefined ? [] : ["modern"])]);
  const script = bundledPeer(peer);
  for (const count of [1, 1000]) {
    const server = serving(script, count);
    try {
      for (const way of waysOf(peer)) {
        // Twice, to find state that the first request left behind.
        await called(server, peer, way);
        await called(server, peer, way);
        await listed(server, peer, way, count);
      }
    } finally {
      await server.dispose();
    }
  }
  return gzipSync(script, { level: 9 }).length / 1024;
}

if (import.meta.main) {
  for (const peer of peers()) {
    try {
      console.log(`${peer.name}: ${(await check(peer)).toFixed(1)} KiB gzip, ok`);
    } catch (error) {
      console.log(`${peer.name}: ${error}`);
      process.exitCode = 1;
    }
  }
}
