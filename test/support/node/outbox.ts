/** Serves a fork with an outbox, built, whose ports can be called from outside. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Callbacks, Outbox } from "../../../src/core/ports/outbox.ts";
import { outboxLines } from "../../../src/discovery/settings/available.ts";
import { type Fork, makeFork, type ServedBuilt, serveBuilt, serveDist, withVars } from "./fork.ts";

/** Lines to add to wrangler.toml. */
export const OUTBOX = `\n${outboxLines("wrangler.toml")}\n`;

/** A minute of the schedule, in milliseconds: all attempts take some seconds together. */
export const MINUTE_MS = 5;

type Port = Outbox & Callbacks;
type Probe = { readonly [Method in keyof Port]: Port[Method] };

export interface ServedOutbox extends ServedBuilt {
  readonly fork: Fork;
  /** The port, as the Worker has it. */
  readonly outbox: Probe;
  /** Rows of a principal's outbox. */
  outboxRows(partition: string, query: string): ReturnType<ServedBuilt["rows"]>;
  /** Serves the same build once more, with other variables, and other options of miniflare. */
  also(vars: Readonly<Record<string, string>>, options?: object): Promise<Omit<ServedOutbox, "also">>;
}

interface Options {
  readonly tools?: string | Record<string, string>;
  readonly vars?: Readonly<Record<string, string>>;
  /** Hosts that messages may be sent to. */
  readonly hosts?: readonly string[];
  /** What the owner adds at the end of wrangler.toml. */
  readonly more?: string;
  readonly closed?: boolean;
  /** Path of a module in test/ that is served in place of src/index.ts. */
  readonly main?: string;
}

/** A caller with a credential of its own. */
export const principal = (name: string) => ({ id: `key:${name}`, scopes: [], reach: [] });

export async function serveOutbox({
  tools = "test/features/outbox/tools",
  vars = {},
  hosts = [],
  more = "",
  closed = false,
  main = "test/features/outbox/probe/index.ts",
}: Options = {}): Promise<ServedOutbox> {
  const fork = makeFork(tools, { closed });
  const probe = readFileSync(resolve(import.meta.dirname, "../../..", main), "utf8");
  fork.write("src/probe/index.ts", probe.replaceAll(/(\.\.\/)+src\//g, "../"));
  const plain = readFileSync(join(fork.root, "wrangler.toml"), "utf8")
    .replace('main = "src/index.ts"', 'main = "src/probe/index.ts"')
    .replace(/^ALLOWED_HOSTS = .*$/m, `ALLOWED_HOSTS = "${hosts.join(" ")}"`);
  const settings = (own: Options["vars"]) => {
    const given = { OUTBOX_MINUTE_MS: String(MINUTE_MS), ...(!closed && { LOCAL: "true" }), ...vars, ...own };
    return withVars(plain, given) + OUTBOX + more;
  };
  fork.write("wrangler.toml", settings({}));
  const first = withPort(await serveBuilt(fork), fork);
  return {
    ...first,
    also: async (own, options) => withPort(await serveDist(fork, settings(own), options), fork),
    async stop() {
      await first.stop();
      fork.remove();
    },
  };
}

/** Makes the port of a served Worker callable. */
function withPort(served: ServedBuilt, fork: Fork): Omit<ServedOutbox, "also"> {
  const outbox = new Proxy({} as Probe, {
    get:
      (_, method: string) =>
      async (...given: unknown[]) => {
        const response = await fetch(`${served.url}/probe/${method}`, { method: "POST", body: JSON.stringify(given) });
        const { result, error } = (await response.json()) as { result?: unknown; error?: string };
        if (error !== undefined) throw new Error(error);
        return result;
      },
  });
  return {
    ...served,
    fork,
    outbox,
    outboxRows: (partition, query) => served.rows("Outbox", partition, query),
  };
}
