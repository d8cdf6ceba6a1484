/**
 * Serves Workers with plain workerd and our own configuration: no proxy, no inspector, pinned to a core if possible.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, platform } from "node:os";
import { join } from "node:path";
import { freePort } from "../support/node/fork.ts";
import { type ChildProcess, execFileSync, spawn } from "../support/node/processes.ts";

/** A Worker to serve: one module and its bindings. */
export interface Deployment {
  readonly name: string;
  readonly module: string;
  readonly flags?: readonly string[];
  readonly vars?: Readonly<Record<string, string>>;
  /** The module of a Worker that implements KV. Without it there is no KV binding. */
  readonly kv?: string;
  /** Durable Objects by binding. */
  readonly objects?: Readonly<Record<string, string>>;
  /** A module to serve instead, which imports the other as "app.js". For measurements that need extra code. */
  readonly around?: string;
  /** V8 options. For measurements, too. */
  readonly v8Flags?: readonly string[];
  /** The module of a Worker that answers this one's `fetch` calls. */
  readonly outside?: string;
}

export interface Running {
  readonly port: number;
  readonly pid: number;
  /** Milliseconds of CPU that the process has used; undefined if the system does not report it. */
  cpuMs(): number | undefined;
  /** MiB of memory that the process has; undefined if the system does not report it. */
  memoryMiB(): number | undefined;
  stop(): Promise<void>;
}

/** The binary that wrangler installs. */
const requireAsWrangler = createRequire(createRequire(import.meta.url).resolve("wrangler"));
const WORKERD: string = requireAsWrangler("workerd").default;
export const WORKERD_VERSION: string = requireAsWrangler("workerd/package.json").version;
const COMPATIBILITY_DATE = "2026-10-01";
/** The server gets the first core, the load another. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** Whether this system can pin processes to a core. */
export const canPin = platform() === "linux" && availableParallelism() > 1 && has("taskset");

function has(command: string): boolean {
  try {
    execFileSync(command, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Returns a command line that runs pinned to a core, if the system can. */
export function pinned(core: number, command: string, given: readonly string[]): [string, string[]] {
  return canPin ? ["taskset", ["-c", String(core), command, ...given]] : [command, [...given]];
}

/** Writes a workerd configuration to this folder. Returns its path. */
export function writeConfig(deployment: Deployment, folder: string, port: number): string {
  const { name, module, flags = [], vars = {}, kv, objects = {}, outside, around, v8Flags = [] } = deployment;
  const home = join(folder, name);
  mkdirSync(join(home, "state"), { recursive: true });
  const worker = (id: string, text: string, body: string, inner?: string) => {
    writeFileSync(join(home, `${id}.js`), text);
    if (inner) writeFileSync(join(home, "app.js"), inner);
    const app = inner ? ', (name = "app.js", esModule = embed "app.js")' : "";
    return `(name = "${id}", worker = (compatibilityDate = "${COMPATIBILITY_DATE}", modules = [(name = "${id}.js", esModule = embed "${id}.js")${app}], ${body}))`;
  };
  const bindings = [
    ...Object.entries(vars).map(([key, value]) => `(name = ${quoted(key)}, text = ${quoted(value)})`),
    ...(kv ? ['(name = "KV", kvNamespace = "kv")'] : []),
    ...Object.entries(objects).map(([key, value]) => `(name = "${key}", durableObjectNamespace = "${value}")`),
  ];
  const namespaces = Object.values(objects).map(
    (value) => `(className = "${value}", uniqueKey = "${value}", enableSql = true)`,
  );
  const body = [
    `compatibilityFlags = [${flags.map(quoted).join(", ")}]`,
    `bindings = [${bindings.join(", ")}]`,
    `durableObjectNamespaces = [${namespaces.join(", ")}]`,
    'durableObjectStorage = (localDisk = "state")',
    ...(outside ? ['globalOutbound = "outside"'] : []),
  ];
  const services = [
    around ? worker("main", around, body.join(", "), module) : worker("main", module, body.join(", ")),
    `(name = "state", disk = (path = ${quoted(join(home, "state"))}, writable = true))`,
    ...(kv ? [worker("kv", kv, "bindings = []")] : []),
    ...(outside ? [worker("outside", outside, "bindings = []")] : []),
  ];
  const file = join(home, "config.capnp");
  writeFileSync(
    file,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  v8Flags = [${v8Flags.map(quoted).join(", ")}],
  services = [
    ${services.join(",\n    ")}
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
`,
  );
  return file;
}

/** Serves until stopped. The Worker's logs are discarded. */
export async function serve(deployment: Deployment, folder: string, options: readonly string[] = []): Promise<Running> {
  const port = await freePort();
  const config = writeConfig(deployment, folder, port);
  const child = launch(config, options);
  try {
    await answers(port, child);
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`${deployment.name} does not serve`, { cause: error });
  }
  const pid = child.pid as number;
  return {
    port,
    pid,
    cpuMs: () => cpuOf(pid),
    memoryMiB: () => memoryOf(pid),
    stop: () =>
      new Promise((stopped) => {
        child.once("exit", () => stopped());
        child.kill("SIGKILL");
      }),
  };
}

/** Starts workerd. Its launcher script is replaced by the binary, so the returned process is workerd itself. */
export function launch(config: string, options: readonly string[] = []): ChildProcess {
  const [command, given] = pinned(SERVER_CORE, WORKERD, ["serve", config, ...options]);
  return spawn(command, given, { stdio: ["ignore", "ignore", "inherit"] });
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 400; tries++) {
    if (child.exitCode !== null) throw new Error(`workerd ended with ${child.exitCode}`);
    try {
      await (await fetch(`http://127.0.0.1:${port}/health`)).arrayBuffer();
      return;
    } catch {
      await new Promise((resume) => setTimeout(resume, 25));
    }
  }
  throw new Error("no answer within ten seconds");
}

/** Ticks of proc(5) are hundredths of a second on every Linux. */
const TICK_MS = 10;

export function cpuOf(pid: number): number | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The second field is a name in parentheses, which may contain spaces.
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields && (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

export function memoryOf(pid: number): number | undefined {
  const [, kib] = /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${pid}/status`) ?? "") ?? [];
  return kib === undefined ? undefined : Number(kib) / 1_024;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Quotes a string for the configuration, which uses C's syntax. */
function quoted(text: string): string {
  return JSON.stringify(text);
}
