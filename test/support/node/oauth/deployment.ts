/** The built Worker as a deployment that nobody opened, with the issuer of these tests or without one. */
import * as attacks from "../attacks/deployment.ts";
import * as wire from "../attacks/wire.ts";
import { build } from "../build.ts";
import type { Deployed } from "../deployed.ts";
import { type Fork, makeFork } from "../fork.ts";

export type Deployment = Deployed;

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
export function deploy(fork: Fork, vars: Record<string, string> = {}): Promise<Deployment> {
  return attacks.deploy(fork, { RATE_PER_MINUTE: "", ...attacks.COUNTS_FAILURES, ...vars });
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** As it goes over the wire: `fetch` takes no Host, and no Origin for long. */
export async function send(
  url: string,
  method: string,
  { host, ...headers }: Record<string, string> = {},
  body?: unknown,
): Promise<Answer> {
  const { origin, pathname, search } = new URL(url);
  const path = pathname + search;
  const answer = await wire.send(origin, {
    method,
    path,
    headers: Object.entries(headers),
    body,
    ...(host !== undefined && { host }),
  });
  return { status: answer.status, headers: new Headers(answer.headers), text: answer.text };
}
