/** A fork of this project in a temporary folder, with its own tools: started, or built and served, over real HTTP. */

import { once } from "node:events";
import {
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { get } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { createTestHarness, experimental_readRawConfig } from "wrangler";
import { build } from "./build.ts";
import { isQuick } from "./bundle.ts";
import { type ChildProcess, spawn } from "./processes.ts";
import { addressOf, miniflareOptions, ownAddress, workerConfig } from "./worker.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const OWN_FILES = ["package.json", "tsconfig.json"];
/** Replaces this project's wrangler.toml, which belongs to its owner: no setting there may change a test's result. */
const SETTINGS = join(ROOT, "test/support/wrangler.toml");

export interface Fork {
  readonly root: string;
  /** Writes a file in the fork, such as `tools/hello/greet.ts`. */
  write(path: string, text: string): void;
  /** Deletes a file in the fork. */
  delete(path: string): void;
  read(path: string): string;
  remove(): void;
}

/**
 * Creates a fork.
 * @param tools    a folder to copy to `tools/`, or files by their path in it
 * @param closed   whether it requires credentials, as a deployment does by default
 * @param settings text of its wrangler.toml, instead of {@link testSettings}
 * @param parent   folder to create it in
 * @param copied   whether a process is started in it, or its `src` changed. Otherwise, in the fast tier, the folders of
 *                 `src` are links to this project's: copying them takes longer than building the fork
 */
export function makeFork(
  tools: string | Record<string, string>,
  { closed = false, settings = testSettings({ closed }), copied = false, parent = tmpdir() } = {},
): Fork {
  const root = mkdtempSync(join(parent, "trivet-fork-"));
  for (const file of OWN_FILES) cpSync(join(ROOT, file), join(root, file));
  addSources(root, { copied: copied || !isQuick });
  symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "wrangler.toml"), settings);
  /** Returns the path of a file that may be changed: one behind a link is this project's, not the fork's. */
  const changeable = (path: string) => {
    const folders = path.split("/").map((_, at, names) => join(root, ...names.slice(0, at)));
    if (!folders.some((folder) => lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()))
      return join(root, path);
    throw new Error(
      `${path} is this project's, to which the fork has a link: make it with makeFork(…, { copied: true })`,
    );
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(changeable(path)), { recursive: true });
    writeFileSync(changeable(path), text);
  };
  mkdirSync(join(root, "tools"));
  if (typeof tools === "string") cpSync(resolve(ROOT, tools), join(root, "tools"), { recursive: true });
  else for (const [path, text] of Object.entries(tools)) write(`tools/${path}`, text);
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  return {
    root,
    write,
    delete: (path) => rmSync(changeable(path)),
    read,
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** Adds `src`, without what discovery generates. */
function addSources(root: string, { copied }: { copied: boolean }): void {
  mkdirSync(join(root, "src"));
  for (const entry of readdirSync(join(ROOT, "src"), { withFileTypes: true })) {
    const [from, to] = [join(ROOT, "src", entry.name), join(root, "src", entry.name)];
    if (entry.isFile()) copyFileSync(from, to);
    else if (entry.name === "generated") continue;
    else if (copied) cpSync(from, to, { recursive: true });
    else symlinkSync(from, to);
  }
}

/**
 * The text of a wrangler.toml for tests. By default anyone may call without a rate limit: few tests are about access.
 *
 * @param closed whether it requires credentials and limits requests. It then accepts tokens
 * @param signIn whether it has the Worker's own sign-in
 */
export function testSettings({ closed = false, signIn = false } = {}): string {
  const parts = `${closed ? 'TOKENS = "true"\n' : ""}${signIn ? 'SIGN_IN = "true"\n' : ""}`;
  const text = readFileSync(SETTINGS, "utf8").replace("[vars]\n", `[vars]\n${parts}`);
  if (closed) return text;
  return text
    .replace(/^PUBLIC = .*$/m, 'PUBLIC = "true"\nPUBLIC_UPLOADS = "true"')
    .replace(/^RATE_PER_MINUTE = .*\n/m, "");
}

/** Sets variables in the text of a wrangler.toml: of those that it has, these are the only lines. */
export function withVars(toml: string, vars: Readonly<Record<string, string>>): string {
  const lines = Object.entries(vars).map(([name, value]) => `${name} = "${value}"`);
  const others = toml.replaceAll(/^([A-Z_]+) = .*\n/gm, (line, name) => (Object.hasOwn(vars, name) ? "" : line));
  return others.replace("[vars]", () => ["[vars]", ...lines].join("\n"));
}

/** Moves the settings of a project from its wrangler.toml to a wrangler.jsonc, which begins with a comment. */
export function moveToJson(root: string): void {
  const toml = join(root, "wrangler.toml");
  const { rawConfig } = experimental_readRawConfig({ config: toml });
  writeFileSync(join(root, "wrangler.jsonc"), `// Ours.\n${JSON.stringify(rawConfig, undefined, 2)}\n`);
  rmSync(toml);
}

/** Creates a fork with this text of a wrangler.toml ({@link makeFork}), and builds it. */
export async function builtFork(
  tools: string | Record<string, string>,
  settings: string,
  { copied = false } = {},
): Promise<Fork> {
  const fork = makeFork(tools, { settings, copied });
  await build(fork);
  return fork;
}

export interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

export interface ServedBuilt extends Served {
  /** Every line that the Worker has logged so far. */
  logs(): string[];
  /** Rows of the storage of a Durable Object, which it starts if it does not run. */
  rows(className: string, object: string, query: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Restarts with what is in `dist/` now, as a deployment does. Keeps what is stored. */
  restart(): Promise<void>;
  /** Its bindings, by name. */
  bindings(): Promise<Readonly<Record<string, unknown>>>;
}

/** Serves what `wrangler deploy` would upload, minified, on workerd without a bundler or a watcher. */
export async function serveBuilt(fork: Fork): Promise<ServedBuilt> {
  await build(fork);
  return serveDist(fork, readFileSync(join(fork.root, "wrangler.toml"), "utf8"));
}

/**
 * Serves what is in `dist/`.
 *
 * @param toml    text of a wrangler.toml
 * @param options of miniflare, where it serves
 */
export async function serveDist(fork: Fork, toml: string, options: object = {}): Promise<ServedBuilt> {
  const settings = toml
    .replace(/^main = .*$/m, 'main = "dist/index.js"\nno_bundle = true')
    .replace(/^\[build\][^[]*/m, "");
  fork.write(SERVED, settings);
  const tables = [...settings.matchAll(/^\[+([\w.]+)\]+/gm)].map(([, table = ""]) => table);
  return tables.every((table) => BY_MINIFLARE.test(table)) ? serveByMiniflare(fork, options) : serveByWrangler(fork);
}

const SERVED = "wrangler.served.toml";
/**
 * Tables of wrangler.toml that workerConfig (worker.ts) reads, or that a built Worker does not need. With these alone,
 * miniflare serves, which starts in half the time that wrangler's harness takes.
 */
const BY_MINIFLARE =
  /^(vars|kv_namespaces|durable_objects\.bindings|migrations|ratelimits|r2_buckets|workflows|assets|rules|dev|observability.*)$/;

async function serveByMiniflare(fork: Fork, own: object): Promise<ServedBuilt> {
  const lines: string[] = [];
  const handleStructuredLogs = ({ message }: { message: string }) => lines.push(message);
  const options = (port: number) => {
    const config = workerConfig(join(fork.root, "dist/index.js"), join(fork.root, SERVED));
    const workers = [{ config, dev: ownAddress(port) }];
    const served = { ...miniflareOptions(), workers, handleStructuredLogs, unsafeInspectDurableObjects: true };
    return { ...served, ...own } as unknown as MiniflareOptions;
  };
  const miniflare = new Miniflare(options(0));
  const url = await addressOf(miniflare);
  return {
    url,
    stop: () => miniflare.dispose(),
    logs: () => lines,
    async rows(className, name, query) {
      const storage = await miniflare.unsafeGetDurableObjectStorage("main", className, { name });
      return storage.exec(query);
    },
    restart: () => miniflare.setOptions(options(Number(new URL(url).port))),
    bindings: () => miniflare.getBindings(),
  };
}

async function serveByWrangler(fork: Fork): Promise<ServedBuilt> {
  const options = { root: fork.root, workers: [{ configPath: `./${SERVED}` }] };
  const harness = createTestHarness(options);
  const { url } = await harness.listen();
  return {
    url: url.origin,
    stop: () => harness.close(),
    logs: () => harness.getLogs().map(({ message }) => message),
    async rows(className, name, query) {
      const storage = await harness.getWorker().getDurableObjectStorage(className, { name });
      return storage.exec(query);
    },
    restart: () => harness.update(options),
    bindings: () => harness.getWorker().getEnv(),
  };
}

export interface Started extends Served {
  /** Everything it has printed so far. */
  printed(): string;
}

/**
 * Runs `npm start`, or another script that serves, as a person would, with more options for wrangler.
 *
 * @param port by default one that is free
 */
export async function start(
  fork: Pick<Fork, "root">,
  script = "start",
  options: readonly string[] = [],
  port?: number,
): Promise<Started> {
  for (let tries = 1; ; tries++) {
    const { child, url, printed } = await run(fork, script, options, port);
    try {
      await until(async () => child.exitCode !== null || (await isServed(url)));
      if (child.exitCode !== null) throw new Error("it has ended");
      return { url, stop: () => end(child), printed };
    } catch {
      await end(child);
      // Another test may have taken the port, which was free a moment ago.
      if (tries < 3 && printed().includes("Address already in use")) continue;
      throw new Error(`npm run ${script} did not serve:\n${printed()}`);
    }
  }
}

/** Runs a script that should exit. If it serves instead, it is stopped. */
export async function runToEnd(fork: Fork, script = "start") {
  const { child, url, printed } = await run(fork, script);
  let served = false;
  await until(async () => {
    served ||= await isServed(url).catch(() => false);
    return served || child.exitCode !== null;
  });
  const code = child.exitCode;
  await end(child);
  return { code, served, printed: printed() };
}

async function isServed(url: string): Promise<boolean> {
  if (url.startsWith("http:")) return (await fetch(`${url}/health`)).ok;
  // wrangler's own certificate, which nobody knows.
  const asked = get(`${url}/health`, { rejectUnauthorized: false });
  const [{ statusCode }] = await once(asked, "response");
  return statusCode === 200;
}

async function run(fork: Pick<Fork, "root">, script: string, options: readonly string[] = [], wanted?: number) {
  const port = wanted ?? (await freePort());
  const own = ["--port", String(port), "--persist-to", join(fork.root, "state"), ...options];
  const child = spawn("npm", ["run", script, "--", ...own], {
    cwd: fork.root,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const protocol = options.includes("--tunnel") ? "https" : "http";
  return { child, url: `${protocol}://127.0.0.1:${port}`, printed: () => text };
}

/** Polls until the condition is true. The limit only stops a test that hangs: a busy machine may take long. */
export async function until(isSo: () => Promise<boolean>, limitMs = 120_000): Promise<void> {
  const started = performance.now();
  for (;;) {
    if (await isSo().catch(() => false)) return;
    if (performance.now() - started > limitMs) throw new Error(`not so within ${limitMs} ms`);
    await new Promise((resume) => setTimeout(resume, 50));
  }
}

/** Ends a detached process with its whole group: npm, wrangler and workerd. */
export function end(child: ChildProcess): Promise<void> {
  return new Promise((ended) => {
    child.once("exit", () => ended());
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) ended();
    else process.kill(-child.pid, "SIGTERM");
  });
}

/** A port of this machine that nothing listens on. */
export function freePort(): Promise<number> {
  return new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => found(port));
    });
  });
}
