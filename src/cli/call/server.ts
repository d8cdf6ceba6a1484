/** Which server to call, and over which protocol. */
import { dirname } from "node:path";
import { addressOf, readUrl, servedFrom } from "../lib/address.ts";
import { configOf, readConfig } from "../lib/config.ts";
import type { Io } from "../lib/io.ts";
import { Mistake } from "../lib/mistake.ts";

export const PROTOCOLS = ["oxp", "mcp", "opentool"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** The options as they are written on the command line. */
type Written = { readonly [Name in "url" | "protocol" | "config" | "env"]?: string | undefined };

export interface Target {
  /** The URL that the protocols' paths are below, without a slash at its end. */
  readonly base: string;
  /** Undefined: route.ts chooses one. */
  readonly protocol: Protocol | undefined;
  /** Whether the server is this project's: that of `npm start`, or the deployment. */
  readonly isOwn: boolean;
}

/** Ends of addresses that say which protocol is meant. */
const ENDS: readonly (readonly [RegExp, Protocol])[] = [
  [/\/mcp\/*$/, "mcp"],
  [/\/opentool(\/call|\/load|\/version|\/streamCall)?\/*$/, "opentool"],
  [/\/tools(\/call)?\/*$/, "oxp"],
];

/** @throws {Mistake} */
export async function targetOf(options: Written & { readonly remote?: boolean | undefined }, io: Io): Promise<Target> {
  const { url, remote = false, env } = options;
  const wanted = protocolOf(options.protocol);
  if (url !== undefined) {
    if (remote) throw new Mistake("--url says where the server is, so leave out --remote.");
    const [end, meant] = ENDS.find(([end]) => end.test(url)) ?? [];
    if (wanted !== undefined && meant !== undefined && wanted !== meant) {
      throw new Mistake(`--url ends as ${meant} does, and --protocol is ${wanted}: leave out one of them.`);
    }
    return { base: readUrl(end ? url.replace(end, "") : url), protocol: wanted ?? meant, isOwn: false };
  }
  const config = configOf(options.config, io);
  // Found without wrangler's reader of settings, which takes a second to load.
  const running = remote ? undefined : servedFrom(dirname(config));
  if (running !== undefined) return { base: running, protocol: wanted, isOwn: true };
  const settings = await readConfig(config, env);
  return { base: addressOf({ url, remote, env }, settings, config), protocol: wanted, isOwn: true };
}

function protocolOf(name: string | undefined): Protocol | undefined {
  const found = PROTOCOLS.find((protocol) => protocol === name?.toLowerCase());
  if (name !== undefined && found === undefined) {
    throw new Mistake(`--protocol: there is no protocol "${name}": write ${PROTOCOLS.join(", ")}.`);
  }
  return found;
}
