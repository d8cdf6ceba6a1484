/** Serves the current code on a stored state, or on none. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { SECRET, shared } from "../support/node/attacks/tokens.ts";
import { build } from "../support/node/build.ts";
import { BINDINGS } from "../support/node/files.ts";
import { makeFork, testSettings } from "../support/node/fork.ts";
import { WORKFLOW } from "../support/node/long.ts";
import { OUTBOX } from "../support/node/outbox.ts";
import { miniflareOptions, type WorkerConfig, workerConfig } from "../support/node/worker.ts";

/** Where the deployment is: tokens and session ids are bound to it. */
export const ORIGIN = "https://tools.example";
/** Where its deliveries go. */
export const RECEIVER = "https://receiver.example/events";
/** Where the files of a host are. */
export const HOST_FILE = "https://host.example/file.csv";
/** The credential of a caller without a key, at a time. */
export const tokenAt = (ms: number) => shared({ sub: "ada", exp: Math.floor(ms / 1_000) + 900 });
/** The stored states, the oldest first. */
export const STATES = [1, 2] as const;
/** Or that of a deployment without the workflow, whose tasks ran in objects: no later code makes one. */
type State = number | "objects";
const pathOf = (name: string, state: State, end: string) =>
  join(import.meta.dirname, `${name}${state === 1 ? "" : `-${state}`}.${end}`);
/** The file with what is stored. */
const stateFile = (state: State) => pathOf("state", state, "gz");
/** The file with what clients hold. */
export const handlesFile = (state: State) => pathOf("handles", state, "json");

/** What clients hold. */
export interface Handles {
  /** When the state was made, in milliseconds. */
  readonly made: number;
  readonly key: string;
  readonly client: string;
  readonly refreshToken: string;
  readonly session: string;
  readonly endedTask: string;
  readonly openTask: string;
  readonly fileId: string;
  readonly uploadUrl: string;
  readonly requestState: string;
  readonly cursor: string;
  readonly webhookSecret: string;
  /** What the first state does not have. */
  readonly more?: MoreHandles;
}

export interface MoreHandles {
  /** Of the session of a caller with a token. */
  readonly tokenSession: string;
  /** Of a caller of one toolkit. */
  readonly toolkitSession: string;
  readonly endedSession: string;
  readonly toolSession: string;
  /** Id of an event of a stream, after which others follow. */
  readonly lastEvent: string;
  readonly downloadUrl: string;
  /** Upload pages, by who asked for the file. */
  readonly slotPage: string;
  readonly askedPage: string;
  readonly askedPageState: string;
  readonly reportTask: string;
  readonly reportPage: string;
  /** A page of another server, and the state of the call that sends its user there. */
  readonly payPage: string;
  readonly payState: string;
  readonly stepsTask: string;
  /** What its step returned. */
  readonly stepsToken: string;
  readonly waitingTask: string;
  readonly subscription: string;
  /** Of a message that has arrived. */
  readonly delivered: string;
  readonly webhook: string;
  readonly callDelivery: string;
  /** Of the open deployment: see {@link Stored.open}. */
  readonly openSession: string;
  readonly openEndedSession: string;
  readonly anonymousSession: string;
  readonly anonymousState: string;
}

interface Serving {
  /** The time of its clock when it starts, in milliseconds. By default, this machine's. */
  readonly startsAt?: number;
  /** How the receiver answers. */
  readonly receive: (body: string) => Response;
  /** How the host of files answers. */
  readonly sendFile: () => Response;
  /** Whether to serve the open deployment as well ({@link Stored.open}). */
  readonly hasOpen: boolean;
  readonly vars?: Readonly<Record<string, string>>;
}

/** What can be made to fail: a result that goes to its claim or from there to KV, and an event that goes to the outbox. */
export type Failing = "settle" | "put" | "emit" | "nothing";

export type Fetch = (path: string, init?: RequestInit) => Promise<Response>;

export interface Stored {
  readonly fetch: Fetch;
  /** The same code where everyone may call, sessions are in objects, and the Worker has made its own signing key. */
  readonly open: Fetch;
  /** From now on, this fails. */
  fail(what: Failing): Promise<void>;
  /** How often the receiver was asked whether it wants events. */
  readonly challenged: () => number;
  /** Bodies that reached the receiver, with their headers. */
  readonly received: { readonly headers: Headers; readonly body: string }[];
  stop(): Promise<void>;
}

/** Keeps sessions in objects. */
const SESSIONS = `
[[durable_objects.bindings]]
name = "SESSIONS"
class_name = "Sessions"
`;

/**
 * Wraps the Worker so that its clock starts at another time, before any alarm of the state runs. Alarms are set by this
 * clock, too: by this machine's, they might be due long ago, and would run again and again. A header makes parts fail.
 */
const wrapper = (ahead: number) => `
import app, * as all from "./index.js";
export * from "./index.js";
const real = Date.now;
Date.now = () => real() + ${ahead};
let shifted;
const onClock = (Class) => class extends Class {
  constructor(ctx, env) {
    const storage = Object.getPrototypeOf(ctx.storage);
    if (storage !== shifted) {
      const { setAlarm, getAlarm } = shifted = storage;
      storage.setAlarm = function (at) {
        return setAlarm.call(this, at - ${ahead});
      };
      storage.getAlarm = async function () {
        const at = await getAlarm.call(this);
        return at === null ? null : at + ${ahead};
      };
    }
    super(ctx, env);
  }
};
export const [Mailbox, Hub, FileRecords, Sessions] = [all.Mailbox, all.Hub, all.FileRecords, all.Sessions].map(onClock);
let failing;
const check = (what) => {
  if (failing === what) throw new Error("It fails, because a test wants it to");
};
export class Claims extends onClock(all.Claims) {
  async settle(...given) {
    check("settle");
    return super.settle(...given);
  }
  async put(...given) {
    check("put");
    return super.put(...given);
  }
}
export class Outbox extends onClock(all.Outbox) {
  async emit(...given) {
    check("emit");
    return super.emit(...given);
  }
}
export default {
  fetch(request, env, ctx) {
    failing = request.headers.get("x-test-failing") ?? failing;
    return app.fetch(request, env, ctx);
  },
};
`;

/** The configurations of two Workers with the current code. */
export type Built = Readonly<Record<"main" | "open", WorkerConfig>>;

export async function buildStored(): Promise<Built> {
  const settings = testSettings({ closed: true, signIn: true }) + WORKFLOW + OUTBOX + BINDINGS + SESSIONS;
  const fork = makeFork("test/fixtures/golden", { settings });
  cpSync(join(import.meta.dirname, "tools"), join(fork.root, "tools"), { recursive: true });
  await build(fork);
  const configOf = (name: string) => workerConfig(join(fork.root, "dist/index.js"), fork.root, name);
  const main = configOf("main");
  // Only the open deployment keeps its sessions in objects.
  const { SESSIONS: _, ...env } = main.env as Record<string, object>;
  const built = { main: { ...main, env }, open: configOf("open") };
  fork.remove();
  return built;
}

/**
 * @param built  the configuration of each Worker
 * @param folder where everything is stored
 */
export async function serveStored(
  built: Built,
  folder: string,
  { startsAt, receive, sendFile, hasOpen, vars: more = {} }: Serving,
): Promise<Stored> {
  const text = (value: string) => ({ type: "text", value });
  const given = { JWT_SECRET: SECRET, RATE_PER_MINUTE: "", LONG_WAIT_SECONDS: "1", ...more };
  const vars = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, text(value)]));
  const own: Readonly<Record<string, object>> = {
    main: { SIGNING_KEY: text(Buffer.alloc(32, 9).toString("base64url")) },
    open: {
      PUBLIC: text("true"),
      LONG: { type: "workflow", name: "open-long", worker: "open", exportName: "LongRun" },
    },
  };
  const received: { headers: Headers; body: string }[] = [];
  let challenges = 0;
  const handler = async (request: Request) => {
    if (request.url.startsWith(HOST_FILE)) return sendFile();
    const sent = await request.text();
    const { challenge } = JSON.parse(sent) as { challenge?: string };
    if (challenge !== undefined) {
      challenges++;
      return Response.json({ challenge });
    }
    received.push({ headers: request.headers, body: sent });
    return receive(sent);
  };
  const modules = { "wrapper.js": { type: "esm", contents: wrapper((startsAt ?? Date.now()) - Date.now()) } };
  const workers = [built.main, ...(hasOpen ? [built.open] : [])].map((config) => {
    const { name, env, manifest } = config;
    const made = {
      ...config,
      env: { ...(env as object), ...vars, ...own[name] },
      manifest: { mainModule: "wrapper.js", modules: { ...(manifest as { modules: object }).modules, ...modules } },
    };
    return { config: made, dev: { outboundService: { type: "fetcher", handler } } };
  });
  const options = { ...miniflareOptions(), resourcePersistencePath: folder, workers };
  const miniflare = new Miniflare(options as unknown as MiniflareOptions);
  await miniflare.ready;
  const fetch: Fetch = (path, init) =>
    miniflare.dispatchFetch(new URL(path, ORIGIN), init as never) as unknown as Promise<Response>;
  return {
    fetch,
    async open(path, init) {
      const worker = await miniflare.getWorker("open");
      return worker.fetch(new URL(path, ORIGIN), init as never) as unknown as Promise<Response>;
    },
    async fail(what) {
      await fetch("/health", { headers: { "x-test-failing": what } });
    },
    received,
    challenged: () => challenges,
    stop: () => miniflare.dispose(),
  };
}

/** Writes what is stored in a folder to one file: the files of SQLite and of blobs, by path, in base64. */
export function pack(folder: string, state: State): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const texts = files.sort().map((file) => [file.slice(folder.length + 1), readFileSync(file, "base64")]);
  writeFileSync(stateFile(state), gzipSync(JSON.stringify(Object.fromEntries(texts)), { level: 9 }));
}

/** Writes what is stored to a new folder. Its values on KV do not expire: KV has this machine's clock. */
export function unpack(state: State): string {
  const folder = mkdtempSync(join(tmpdir(), "trivet-stored-"));
  const texts = JSON.parse(gunzipSync(readFileSync(stateFile(state))).toString()) as Record<string, string>;
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), Buffer.from(text, "base64"));
  }
  for (const path of Object.keys(texts).filter((path) => /^kv\/.*\.sqlite$/.test(path))) {
    const database = new DatabaseSync(join(folder, path));
    // The files of the objects that keep the namespaces, and one beside them that lists these objects.
    const hasEntries = database.prepare("SELECT 1 FROM sqlite_master WHERE name = '_mf_entries'").get() !== undefined;
    if (hasEntries) database.exec("UPDATE _mf_entries SET expiration = NULL");
    database.close();
  }
  return folder;
}

export const removeFolder = (folder: string) => rmSync(folder, { recursive: true, force: true });
