/** A built Worker with sign-in enabled as wrangler.toml describes, with keys and simulated outgoing fetches. */

import { type Deployed, type Env, runAll } from "../deployed.ts";
import { builtFork, type Fork, testSettings } from "../fork.ts";
import { type Client, register } from "./person.ts";

export interface Place extends Deployed {
  /** Publishes a document at a URL: the Worker gets it if it fetches the URL. */
  publish(url: string, document: object): void;
  /** Makes the URL redirect when the Worker fetches it. */
  redirect(url: string, to: string): void;
  /** URLs that the Worker has fetched, in order. */
  readonly fetched: string[];
  /** The log lines after the first so many. */
  loggedSince(count: number): Promise<string[]>;
  /** Runs the same build once more, with these options only, and a storage and a log of its own. */
  again(options: Options): Promise<Place>;
}

interface Options {
  /** Whether requests are limited, as in a deployment. */
  readonly limited?: boolean;
  /** What the owner changes in wrangler.toml after the build. */
  readonly change?: (settings: string) => string;
}

/** Source of a tool file. */
export const tool = (description: string, more = "") => `import * as v from "valibot";
import { defineTool } from "#tool";
export default defineTool({
  version: "1.0.0",
  description: "${description}",
  input: v.object({}),
  output: v.string(),
  ${more}
  run: (_input, ctx) => ctx.principal.id,
});
`;

/** A tool for everyone, two behind scopes, and one in a toolkit that not every key may use. */
const TOOLS = {
  "post/read.ts": tool("Reads the post.", 'scopes: ["post.read"],'),
  "post/send.ts": tool("Sends something.", 'scopes: ["post.send"],'),
  "post/weigh.ts": tool("Weighs a letter."),
  "vault/open.ts": tool("Opens the vault.", 'scopes: ["vault.open"],'),
};

/**
 * Builds and runs the Worker.
 * @param tools files by their path in `tools/`
 */
export async function openPlace(tools: Record<string, string> = TOOLS, options: Options = {}): Promise<Place> {
  const settings = testSettings({ closed: true, signIn: true });
  const fork = await builtFork(tools, settings);
  const run = async ({ change = (text) => text, ...options }: Options): Promise<Place> => {
    fork.write("wrangler.toml", change(settings));
    const place = await runPlace(fork, options);
    return { ...place, again: run };
  };
  const place = await run(options);
  return {
    ...place,
    async stop() {
      await place.stop();
      fork.remove();
    },
  };
}

async function runPlace(fork: Fork, { limited = false }: Options): Promise<Omit<Place, "again">> {
  const published = new Map<string, () => Response>();
  const fetched: string[] = [];
  const unlimited = (env: Env) => Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("RATE_")));
  const [deployed] = await runAll(fork, [limited ? (env) => env : unlimited], ({ url }) => {
    fetched.push(url);
    return published.get(url)?.() ?? new Response("not found", { status: 404 });
  });
  if (deployed === undefined) throw new Error("nothing was deployed");

  return {
    ...deployed,
    makeKey: (terms) => deployed.makeKey({ scopes: ["*"], ...terms }),
    publish: (url, document) => published.set(url, () => Response.json(document)),
    redirect: (url, to) => published.set(url, () => new Response(null, { status: 302, headers: { location: to } })),
    fetched,
    async loggedSince(count) {
      await deployed.logged();
      return deployed.lines.slice(count).filter((line) => !/^[0-9a-f]{16}$/.test(line));
    },
  };
}

/** Like {@link openPlace}, with a client that has registered. */
export async function openWithClient(): Promise<{ place: Place; url: string; client: Client }> {
  const place = await openPlace();
  return { place, url: place.url, client: await register(place.url) };
}
