/** A built Worker with sign-in switched on, as wrangler.toml does that, its keys, and what it finds when it fetches. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "../build.ts";
import { type Deployed, type Env, runAll } from "../deployed.ts";
import { makeFork } from "../fork.ts";
import { type Client, register } from "./person.ts";

export interface Place extends Deployed {
  /** Publishes a document at an address that is not there: what the Worker gets when it fetches it. */
  publish(url: string, document: object): void;
  /** What the Worker gets at that address is a redirect. */
  redirect(url: string, to: string): void;
  /** Addresses that the Worker has fetched, in order. */
  readonly fetched: string[];
  /** What it has logged behind so many lines, up to now. */
  loggedSince(count: number): Promise<string[]>;
}

/** The text of a tool's file. */
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

/** One tool for anyone, two behind scopes, and one whose folder not every key opens. */
const TOOLS = {
  "post/read.ts": tool("Reads the post.", 'scopes: ["post.read"],'),
  "post/send.ts": tool("Sends something.", 'scopes: ["post.send"],'),
  "post/weigh.ts": tool("Weighs a letter."),
  "vault/open.ts": tool("Opens the vault.", 'scopes: ["vault.open"],'),
};

/**
 * @param limited whether requests are counted, as a deployment does
 * @param change  what its owner changes in wrangler.toml
 */
export async function openPlace(
  tools: Record<string, string> = TOOLS,
  limited = false,
  change = (settings: string) => settings,
): Promise<Place> {
  const fork = makeFork(tools, { closed: true });
  const settings = readFileSync(join(fork.root, "wrangler.toml"), "utf8");
  // What its owner takes the # away from.
  fork.write("wrangler.toml", `${change(settings)}\n[alias]\n"#sign-in" = "./src/sign-in/server.ts"\n`);
  build(fork);

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
    async stop() {
      await deployed.stop();
      fork.remove();
    },
  };
}

/** The same, with a client that has registered there. */
export async function openWithClient(): Promise<{ place: Place; url: string; client: Client }> {
  const place = await openPlace();
  return { place, url: place.url, client: await register(place.url) };
}
