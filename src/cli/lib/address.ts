/** Finds where the server is: under `npm start`, at a given URL, or where it was deployed. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Config, hasPath, routesIn } from "./config.ts";
import { Mistake } from "./mistake.ts";

/** Where wrangler notes what `npm run deploy` deployed (src/deploy.env). */
const DEPLOYMENTS = ".wrangler/deployments.jsonl";

/** Where `npm start` notes its address while it runs (src/cli/start/console.ts). */
const SERVING = "src/generated/dev/serving.json";

export interface Asked {
  /** As {@link readUrl} returns it. */
  readonly url: string | undefined;
  readonly remote: boolean;
  readonly env: string | undefined;
}

/**
 * @param config path of wrangler.toml
 * @returns the URL that the protocols' paths are below, without a slash at its end
 * @throws {Mistake} if nothing says where the deployment is
 */
export function addressOf({ url, remote, env }: Asked, settings: Config, config: string): string {
  if (url !== undefined) return url;
  if (!remote) return servedFrom(dirname(config)) ?? `http://127.0.0.1:${settings.dev.port ?? 8787}`;
  const address = domain(settings) ?? lastDeployed(dirname(config), settings.name, env);
  if (address === undefined) {
    throw new Mistake(
      "Nothing here says where the deployment is: run `npm run deploy`, or write --url https://… as it printed it.",
    );
  }
  return address;
}

/**
 * @param folder of wrangler.toml
 * @returns where `npm start` of this project serves; undefined if it does not run
 */
export function servedFrom(folder: string): string | undefined {
  return servingFrom(folder, "url");
}

/** @returns where the internet reaches `npm start -- --tunnel` of this project; undefined if it does not */
export function tunnelFrom(folder: string): string | undefined {
  return servingFrom(folder, "tunnel");
}

function servingFrom(folder: string, member: "url" | "tunnel"): string | undefined {
  try {
    const { pid, [member]: url } = JSON.parse(readFileSync(join(folder, SERVING), "utf8"));
    // Throws if there is no such process: a server that was killed leaves its file.
    process.kill(pid, 0);
    return readUrl(String(url).replace("//localhost", "//127.0.0.1"));
  } catch {
    return undefined;
  }
}

/** Names, IPv4 and IPv6 addresses, perhaps with a port. The URL parser accepts more, such as quotes. */
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/;

/** Reads --url, with or without the path of MCP. @throws {Mistake} if it is not a URL */
export function readUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Mistake(`--url: "${text}" is not an address: write one such as https://tools.example.com.`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new Mistake(`--url: "${text}" has more than a host and a path: write one such as https://tools.example.com.`);
  }
  // In a path, the URL parser encodes all other characters that mean something between a shell's quotes.
  if (/[$!]/.test(url.pathname) || !HOST.test(url.host)) {
    throw new Mistake(`--url: "${text}" has characters that a shell reads: write an address without them.`);
  }
  return url.origin + url.pathname.replace(/\/+$/, "").replace(/\/mcp$/, "");
}

/** The first custom domain or route of wrangler.toml without a wildcard in its host. */
function domain(settings: Config): string | undefined {
  const hosts = routesIn(settings)
    .filter((one) => !hasPath(one))
    .map((one) => one.replace(/[/*]+$/, ""));
  const host = hosts.find((one) => HOST.test(one));
  return host && `https://${host}`;
}

/** What the last `npm run deploy` on this machine printed, for this Worker and environment. */
function lastDeployed(folder: string, name: string | undefined, env: string | undefined): string | undefined {
  const file = join(folder, DEPLOYMENTS);
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8").trimEnd().split("\n").reverse();
  for (const line of lines) {
    const entry = readDeployment(line);
    const isIt =
      entry.type === "deploy" && entry.worker_name === name && (entry.wrangler_environment ?? "") === (env ?? "");
    const target = isIt ? entry.targets?.find((one) => one.startsWith("https://")) : undefined;
    if (target) return readUrl(target);
  }
  return undefined;
}

interface Deployment {
  readonly type?: string;
  readonly worker_name?: string;
  readonly wrangler_environment?: string;
  readonly targets?: readonly string[];
}

/** @returns `{}` for a line that was cut off, because the machine stopped while wrangler wrote it */
function readDeployment(line: string): Deployment {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}
