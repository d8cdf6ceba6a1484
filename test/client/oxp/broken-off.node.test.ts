/** A client in a Worker, which many requests share, when the request that asked for its token is broken off. */
import { once } from "node:events";
import { connect } from "node:net";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { build } from "esbuild";
import { Miniflare, Response } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import { addressOf, ownAddress } from "../../support/node/worker.ts";

const WORKER = `
import { OxpClient } from "./src/client/oxp.ts";
const token = async () => (await fetch("http://login.example/")).text();
const client = new OxpClient({ url: "https://tools.example", token, retry: false });
export default {
  async fetch() {
    return client.call("A.B", {}).then(({ value }) => Response.json(value), (error) => new Response(String(error)));
  },
};`;

let asked = 0;
let worker: Miniflare;
let url: URL;
beforeAll(async () => {
  const resolveDir = resolve(import.meta.dirname, "../../..");
  const { outputFiles } = await build({
    stdin: { contents: WORKER, resolveDir, loader: "ts" },
    ...{ bundle: true, format: "esm", target: "es2022", write: false },
  });
  const contents = outputFiles[0]?.text ?? "";
  const handler = async (request: { readonly url: string }) => {
    if (!request.url.startsWith("http://login.")) return Response.json({ result: { success: true, value: "done" } });
    if (asked++ === 0) await pause(1_000);
    return new Response("fresh");
  };
  const config = {
    ...{ name: "main", compatibilityDate: "2026-10-01", compatibilityFlags: ["enable_request_signal"] },
    manifest: { mainModule: "index.js", modules: { "index.js": { type: "esm", contents } } },
    env: {},
  };
  const dev = { ...ownAddress(), outboundService: { type: "fetcher", handler } };
  worker = new Miniflare({ cf: false, workers: [{ config, dev }] } as never);
  url = new URL(await addressOf(worker));
});
afterAll(() => worker?.dispose());

it("a client asks again for its token in the next request, and keeps it", async () => {
  const socket = connect(Number(url.port), url.hostname);
  await once(socket, "connect");
  socket.write(`GET / HTTP/1.1\r\nHost: ${url.host}\r\n\r\n`);
  await expect.poll(() => asked).toBe(1);
  socket.resetAndDestroy();
  await pause(50);
  expect(await (await fetch(url)).text()).toBe('"done"');
  expect(await (await fetch(url)).text()).toBe('"done"');
  expect(asked).toBe(2);
});
