/** Deployments of one build that nobody opened, with fixture tools and settings of their own. A server outside counts which tools ran. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { MadeKey } from "../../../../src/cli/keys/make.ts";
import { build } from "../build.ts";
import { type Deployed, type Env, runAll } from "../deployed.ts";
import { type Fork, makeFork } from "../fork.ts";

export type Made = MadeKey;

export interface Deployment extends Deployed {
  /** What the Worker logged, of those lines that are JSON. */
  entries(): Record<string, unknown>[];
  /** Takes its scopes from a key. */
  demote(key: Made): Promise<void>;
  /** Binds a key to these toolkits. */
  bind(key: Made, toolkits: readonly string[]): Promise<void>;
}

export interface Counter {
  readonly url: string;
  readonly host: string;
  /** What ran, in order: each fixture tool says so before it does anything else. */
  readonly ran: string[];
  /** Headers of the last that said so. */
  headers(): IncomingMessage["headers"];
  stop(): void;
}

export async function startCounter(): Promise<Counter> {
  const ran: string[] = [];
  let last: IncomingMessage["headers"] = {};
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://counter");
    ran.push(pathname.slice(1));
    last = request.headers;
    const to = searchParams.get("to");
    response.writeHead(to === null ? 200 : 302, to === null ? {} : { location: to }).end("counted");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `http://${host}`, host, ran, headers: () => last, stop: () => server.close() };
}

/** One build for all deployments of a file. */
export function buildTools(): Fork {
  const fork = makeFork("test/fixtures/guarded", { closed: true });
  const settings = readFileSync(join(fork.root, "wrangler.toml"), "utf8");
  // Discovery refuses a tool whose limiter is missing: it is there when the fork is built, and gone when it runs.
  fork.write(
    "wrangler.toml",
    `${settings}\n[[ratelimits]]\nname = "RATE_7"\nnamespace_id = "7"\nsimple = { limit = 7, period = 60 }\n`,
  );
  build(fork);
  fork.write("wrangler.toml", settings);
  return fork;
}

type Settings = Readonly<Record<string, string | undefined>>;

/** The limiter of failed credentials: taken away from most deployments, so that each of many attacks is looked at. */
const FAILURES = "RATE_60";
export const COUNTS_FAILURES: Settings = { [FAILURES]: "counts" };

/** @param settings variables and secrets; `undefined` takes one of wrangler.toml's away */
export async function deploy(fork: Fork, settings: Settings = {}, counter?: Counter): Promise<Deployment> {
  const [deployment] = await deployAll(fork, [settings], counter);
  return deployment as Deployment;
}

/** Several at once, each an isolate of one process: they share its log, their keys and their counters. All stop with one. */
export async function deployAll(fork: Fork, settings: readonly Settings[], counter?: Counter): Promise<Deployment[]> {
  const all = { [FAILURES]: undefined, ...(counter && counted(counter)) };
  const changes = settings.map((own) => (env: Env) => changed(env, { ...all, ...own }));
  return (await runAll(fork, changes)).map((deployed) => ({
    ...deployed,
    entries: () => deployed.lines.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : [])),
    demote: (key) => deployed.changeKey(key, { scopes: [] }),
    bind: (key, toolkits) => deployed.changeKey(key, { toolkits }),
  }));
}

/** What fixture tools need to say that they ran. */
function counted({ url, host }: Counter): Settings {
  return { COUNTER: url, ALLOWED_HOSTS: host };
}

function changed(before: Env, settings: Settings): Env {
  const env = { ...before };
  for (const [variable, value] of Object.entries(settings)) {
    if (value === undefined) delete env[variable];
    else if (variable !== FAILURES) env[variable] = { type: "text", value };
  }
  return env;
}
