import type { ToolContext } from "#tool";

interface Counting {
  readonly env: Readonly<Record<string, unknown>>;
  readonly fetch: ToolContext["fetch"];
}

/** Says that a tool ran, to a server outside the Worker: what a test believes. */
export async function ran(what: string, { env, fetch }: Counting) {
  await (await fetch(`${env.COUNTER}/${what}`)).arrayBuffer();
}
