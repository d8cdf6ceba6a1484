/** Everything that a run serves: deployments of Trivet, the reference Workers, and peers. */

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { buildSync } from "esbuild";
import { execFileSync } from "../support/node/processes.ts";
import { type Trust, trust } from "./credentials.ts";
import { built, manyTools } from "./forks.ts";
import { fetchInit, LEGACY, MODERN, mcpRequest, type Way } from "./mcp.ts";
import { PEERS, type Peer } from "./peers/peers.ts";
import type { Place, Scenario } from "./scenarios.ts";
import { type Deployment, type Running, serve } from "./server.ts";

export const SIZES: Readonly<Partial<Record<Place, number>>> = { one: 1, ten: 10, hundred: 100, thousand: 1_000 };
const OBJECTS = { VAULT: "Vault", MAILBOX: "Mailbox", HUB: "Hub", CLAIMS: "Claims" };
const OPEN = {
  PUBLIC: "true",
  RATE_PER_MINUTE: "",
  LOG_CALLS: "false",
  SERVER_NAME: "trivet",
  SERVER_VERSION: "1.0.0",
};
const FLAGS = ["enable_request_signal", "global_fetch_strictly_public"];

/** Serves what a scenario needs, and keeps it running for the next scenario that needs the same. */
export class Field {
  readonly folder = mkdtempSync(join(tmpdir(), "trivet-bench-"));
  readonly #running = new Map<string, Promise<Running>>();
  readonly #modules = new Map<string, Promise<string>>();
  readonly trust: Trust;

  private constructor(trust: Trust) {
    this.trust = trust;
  }

  static async open(): Promise<Field> {
    return new Field(await trust());
  }

  trivet(place: Place): Promise<Running> {
    return this.#serve(`trivet-${place}`, () => this.deployment(place));
  }

  async deployment(place: Place): Promise<Omit<Deployment, "name">> {
    const plain = { module: await this.module(place), flags: FLAGS, vars: this.#vars(place), objects: OBJECTS };
    // A deployment's KV and identity provider run elsewhere. In the same process they cost 3 to 5% of a call's time,
    // even if the call never uses them.
    if (place === "kept") return { ...plain, kv: kvOf({}) };
    if (place !== "closed") return plain;
    const outside = `export default { fetch: () => new Response(${JSON.stringify(this.trust.jwks)}) };`;
    return { ...plain, kv: kvOf(this.trust.kept), outside };
  }

  #vars(place: Place): Record<string, string> {
    if (place === "closed") return { ...OPEN, PUBLIC: "false", ...this.trust.vars };
    return place === "logged" ? { ...OPEN, LOG_CALLS: "true" } : OPEN;
  }

  /** The bundle of the deployment at this place. */
  module(place: Place): Promise<string> {
    const known = this.#modules.get(place);
    if (known !== undefined) return known;
    const made =
      place === "kept"
        ? built("test/bench/tools")
        : place === "logged"
          ? this.module("one")
          : built(manyTools(SIZES[place] ?? 1), { closed: place === "closed" });
    this.#modules.set(place, made);
    return made;
  }

  /** Starts a bare Worker with the listings of a deployment. */
  async bare(place: Place): Promise<Running> {
    const size = SIZES[place] === undefined ? "one" : place;
    const { port } = await this.trivet(size);
    return this.#serve(`bare-${size}`, async () => ({
      module: bundled("workers/bare.ts"),
      vars: await listings(port),
    }));
  }

  async against(
    kind: Scenario["against"][number],
    { place, name }: Scenario,
    peers: readonly Peer[],
  ): Promise<Rival[]> {
    if (kind === "bare") return [{ name: "bare", running: await this.bare(place) }];
    if (kind === "hono+valibot") {
      const running = await this.#serve(kind, () => ({ module: bundled("workers/hono-valibot.ts") }));
      return [{ name: kind, running }];
    }
    const era = kind === "legacy peers" ? "legacy" : "modern";
    const size = name.includes("listing") ? (SIZES[place] ?? 1) : 1;
    const rivals: Rival[] = [];
    for (const peer of peers.filter(({ eras }) => eras.includes(era))) {
      const running = await this.#serve(`${peer.name}-${size}`, () => ({
        module: bundledPeer(peer),
        vars: { TOOLS: String(size) },
      }));
      rivals.push({ name: peer.name, running, peer });
      const required = era === "legacy" ? peer.legacyAsRequired : undefined;
      if (required) rivals.push({ name: `${peer.name}, both accepted`, running, peer: { ...peer, legacy: required } });
    }
    return rivals;
  }

  /** Stops everything: the next scenario starts new processes. */
  async stopAll(): Promise<void> {
    for (const running of this.#running.values()) await (await running).stop();
    this.#running.clear();
  }

  async end(): Promise<void> {
    await this.stopAll();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #serve(name: string, make: () => Omit<Deployment, "name"> | Promise<Omit<Deployment, "name">>): Promise<Running> {
    const known = this.#running.get(name);
    if (known) return known;
    const running = Promise.resolve(make()).then((deployment) => serve({ name, ...deployment }, this.folder));
    this.#running.set(name, running);
    return running;
  }
}

export interface Rival {
  readonly name: string;
  readonly running: Running;
  readonly peer?: Peer;
}

/** The listings of a deployment that bare repeats, as they appear within a message. */
async function listings(port: number): Promise<Record<string, string>> {
  const url = `http://127.0.0.1:${port}`;
  const text = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).text();
  // The document contains the host of the request; the load's requests name this one in their Host header.
  const opentool = (await text("/opentool/load")).replaceAll(url, "http://bench.example");
  const result = async (way: Way) => {
    const answer = await text("/mcp", fetchInit(mcpRequest({ ...way, accept: "application/json" }, "tools/list")));
    return answer.slice(answer.indexOf('"result":') + '"result":'.length, -1);
  };
  return {
    OXP: await text("/tools"),
    OPENTOOL: opentool,
    LEGACY: await result(LEGACY),
    MODERN: await result(MODERN),
  };
}

function kvOf(kept: Readonly<Record<string, string>>): string {
  return bundled("workers/kv.ts", { KEPT: JSON.stringify(kept) });
}

const bundles = new Map<string, string>();

/** Bundles and minifies a module as wrangler does. Cached by file and definitions. */
export function bundled(file: string, define: Record<string, string> = {}, absent: readonly string[] = []): string {
  const key = JSON.stringify([file, define, absent]);
  const made = bundles.get(key) ?? bundle(file, define, absent);
  bundles.set(key, made);
  return made;
}

function bundle(file: string, define: Record<string, string>, absent: readonly string[]): string {
  const { outputFiles } = buildSync({
    entryPoints: [resolve(import.meta.dirname, file)],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2024",
    conditions: ["workerd", "worker", "browser"],
    external: ["cloudflare:*", "node:*", ...absent],
    define: { "process.env.NODE_ENV": '"production"', ...define },
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

export function bundledPeer({ main, absent }: Peer): string {
  return bundled(join(PEERS_HOME, main), {}, absent);
}

/** Size of a module in KiB after gzip. */
export function gzipKib(module: string): number {
  return gzipSync(module).length / 1_024;
}

/** Where the peers' packages are installed: in node_modules, but apart from the project's own. */
const PEERS_HOME = resolve(import.meta.dirname, "../../node_modules/.bench-peers");

/** Installs the peers' packages, which the project itself does not need. */
export function peers(): readonly Peer[] {
  // Their Workers are copied there too, or they would resolve some packages to the project's own.
  cpSync(resolve(import.meta.dirname, "peers"), PEERS_HOME, { recursive: true });
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: PEERS_HOME,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return PEERS;
}
