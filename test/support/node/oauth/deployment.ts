/** The built Worker as a deployment that nobody opened, with the issuer of these tests or without one. */
import { request } from "node:http";
import { join } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { countIfRefused } from "../attacks/count.ts";
import { build } from "../build.ts";
import { type Fork, makeFork } from "../fork.ts";
import { miniflareOptions, workerConfig } from "../worker.ts";

export interface Deployment {
  readonly url: string;
  stop(): Promise<void>;
}

const tool = (about: string, answer: string) => `import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  description: "A fixture.",
  input: v.object({}),
  ${about}
  run: () => ${answer},
});
`;

/** Two toolkits; two of the tools demand scopes. */
const TOOLS = {
  "notes/read.ts": tool("", '"read"'),
  "notes/write.ts": tool('scopes: ["notes:write"],', '"written"'),
  "notes/erase.ts": tool('scopes: ["notes:write", "notes:erase"],', '"erased"'),
  "clock/time.ts": tool("", '"noon"'),
};

/** A fork whose Worker is built. */
export function builtFork(): Fork {
  const fork = makeFork(TOOLS, { closed: true });
  build(fork);
  return fork;
}

/** @param vars settings beside those of wrangler.toml; no limit of requests unless they name one, 10 being there */
export async function deploy(fork: Fork, vars: Record<string, string> = {}): Promise<Deployment> {
  const config = workerConfig(join(fork.root, "dist/index.js"), fork.root);
  const env = { ...(config.env as Record<string, object>) };
  for (const [name, value] of Object.entries({ RATE_PER_MINUTE: "", ...vars })) env[name] = { type: "text", value };
  env.RATE_10 = { type: "rate-limit", namespace: "1010", simple: { limit: 10, period: 60 } };
  const miniflare = new Miniflare(miniflareOptions({ ...config, env }) as MiniflareOptions);
  const { origin } = await miniflare.ready;
  return { url: origin, stop: () => miniflare.dispose() };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** As it goes over the wire: `fetch` takes no Host, and no Origin for long. */
export function send(
  url: string,
  method: string,
  headers: Record<string, string> = {},
  body?: unknown,
): Promise<Answer> {
  return new Promise((answered, failed) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const type = text === undefined ? {} : { "content-type": "application/json" };
    const length = text === undefined ? {} : { "content-length": String(Buffer.byteLength(text)) };
    const sent = request(url, { method, headers: { ...type, ...length, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", failed);
      response.on("end", () => {
        const list: [string, string][] = [];
        for (const [name, values] of Object.entries(response.headersDistinct)) {
          for (const value of values ?? []) list.push([name, value]);
        }
        countIfRefused(response.statusCode ?? 0);
        answered({
          status: response.statusCode ?? 0,
          headers: new Headers(list),
          text: Buffer.concat(chunks).toString(),
        });
      });
    });
    sent.on("error", failed);
    sent.end(text);
  });
}
