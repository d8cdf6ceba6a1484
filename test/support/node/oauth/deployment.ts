/** The built Worker as a deployment that requires credentials, with or without the issuer of these tests. */
import * as attacks from "../attacks/deployment.ts";
import * as wire from "../attacks/wire.ts";
import type { Deployed } from "../deployed.ts";
import { builtFork, type Fork, testSettings } from "../fork.ts";

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

/** Two toolkits; two of the tools require scopes. */
const TOOLS = {
  "notes/read.ts": tool("", '"read"'),
  "notes/write.ts": tool('scopes: ["notes:write"],', '"written"'),
  "notes/erase.ts": tool('scopes: ["notes:write", "notes:erase"],', '"erased"'),
  "clock/time.ts": tool("", '"noon"'),
};

/** Returns a fork whose Worker is built. */
export function buildTools(): Promise<Fork> {
  return builtFork(TOOLS, testSettings({ closed: true }));
}

/** Deploys with these settings besides wrangler.toml's. Requests are unlimited by default, instead of 10 a minute. */
export function deploy(fork: Fork, vars: Record<string, string> = {}): Promise<Deployment> {
  return attacks.deploy(fork, { RATE_PER_MINUTE: "", ...attacks.COUNTS_FAILURES, ...vars });
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a request with any headers: `fetch` allows no Host, and may not allow Origin. */
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
