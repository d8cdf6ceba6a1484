/**
 * Deployments of one build that require credentials, with fixture tools and settings. An HTTP server that the tools
 * call counts which of them ran.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { MadeKey } from "../../../../src/cli/keys/make.ts";
import { type Deployed, type Env, runAll } from "../deployed.ts";
import { builtFork, type Fork, testSettings } from "../fork.ts";

export type Made = MadeKey;

export interface Deployment extends Deployed {
  /** The Worker's log lines that are JSON, parsed. */
  entries(): Record<string, unknown>[];
  /** Removes a key's scopes. */
  demote(key: Made): Promise<void>;
  /** Binds a key to these toolkits. */
  bind(key: Made, toolkits: readonly string[]): Promise<void>;
}

export interface Counter {
  readonly url: string;
  readonly host: string;
  /** The tools that ran, in order: each fixture tool reports here before it does anything else. */
  readonly ran: string[];
  /** Does the work, and returns the tools that ran during it. */
  ranBy(work: () => Promise<unknown>): Promise<string[]>;
  /** Headers of the last report. */
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
  const ranBy = async (work: () => Promise<unknown>) => {
    const before = ran.length;
    await work();
    return ran.slice(before);
  };
  return { url: `http://${host}`, host, ran, ranBy, headers: () => last, stop: () => server.close() };
}

/** Builds the fork that all deployments of a test file use. */
export async function buildTools(): Promise<Fork> {
  const settings = testSettings({ closed: true });
  // Discovery refuses a tool whose limiter or variable is missing, so they exist for the build, and not for the run.
  const fork = await builtFork(
    "test/fixtures/guarded",
    `${settings.replace("[vars]", '[vars]\nCOUNTER = ""')}\n[[ratelimits]]\nname = "RATE_7"\nnamespace_id = "7"\nsimple = { limit = 7, period = 60 }\n`,
  );
  fork.write("wrangler.toml", settings);
  return fork;
}

export type Settings = Readonly<Record<string, string | undefined>>;

/** The limiter of failed credentials. Most deployments run without it, so that each of many attacks is checked. */
const FAILURES = "RATE_60";
export const COUNTS_FAILURES: Settings = { [FAILURES]: "counts" };

/** Deploys with these variables and secrets; `undefined` removes one of wrangler.toml's. */
export async function deploy(fork: Fork, settings: Settings = {}, counter?: Counter): Promise<Deployment> {
  const [deployment] = await deployAll(fork, [settings], counter);
  return deployment as Deployment;
}

/** Deploys several isolates in one process. They share log, keys and counters; stopping one stops all. */
export async function deployAll(fork: Fork, settings: readonly Settings[], counter?: Counter): Promise<Deployment[]> {
  const all = { [FAILURES]: undefined, ...(counter && counted(counter)) };
  const changes = settings.map((own) => (env: Env) => changed(env, { ...all, ...own }));
  const entries = parsing();
  return (await runAll(fork, changes)).map((deployed) => ({
    ...deployed,
    entries: () => entries(deployed.lines),
    demote: (key) => deployed.changeKey(key, { scopes: [] }),
    bind: (key, toolkits) => deployed.changeKey(key, { toolkits }),
  }));
}

/** Parses the lines of a log that are JSON, each of them once. */
function parsing() {
  const parsed: Record<string, unknown>[] = [];
  let read = 0;
  return (lines: readonly string[]) => {
    for (const line of lines.slice(read)) if (line.startsWith("{")) parsed.push(JSON.parse(line));
    read = lines.length;
    return [...parsed];
  };
}

/** Settings with which fixture tools report to the counter. */
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
