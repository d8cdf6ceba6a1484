/** Serves the current code on the stored state, or on none. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync, gzipSync } from "node:zlib";
import { Miniflare, type MiniflareOptions } from "miniflare";
import { SECRET } from "../support/node/attacks/tokens.ts";
import { build } from "../support/node/build.ts";
import { BINDINGS } from "../support/node/files.ts";
import { makeFork } from "../support/node/fork.ts";
import { WORKFLOW } from "../support/node/long.ts";
import { OUTBOX } from "../support/node/outbox.ts";
import { miniflareOptions, workerConfig } from "../support/node/worker.ts";

/** Where the deployment is: tokens and session ids are bound to it. */
export const ORIGIN = "https://tools.example";
/** Where its deliveries go. */
export const RECEIVER = "https://receiver.example/events";
export const STATE = join(import.meta.dirname, "state.gz");
export const HANDLES = join(import.meta.dirname, "handles.json");

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
}

export interface Stored {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Bodies that reached the receiver, with their headers. */
  readonly received: { readonly headers: Headers; readonly body: string }[];
  stop(): Promise<void>;
}

/** A clock that begins at another time, before any alarm of the state runs. */
const clock = (ahead: number) => `
import app from "./index.js";
export * from "./index.js";
const real = Date.now;
Date.now = () => real() + ${ahead};
export default app;
`;

/**
 * @param folder  where everything is stored
 * @param ahead   milliseconds by which its clock is ahead of this machine's
 * @param receive how the receiver answers
 */
export async function serveStored(folder: string, ahead: number, receive: (body: string) => Response): Promise<Stored> {
  const fork = makeFork("test/fixtures/golden", { closed: true });
  const [body = "", alias = ""] = fork.read("wrangler.toml").split("\n[alias]\n");
  const signIn = '"#sign-in" = "./src/sign-in/server.ts"\n';
  fork.write("wrangler.toml", `${body}${WORKFLOW}${OUTBOX}${BINDINGS}\n[alias]\n${alias}${signIn}`);
  await build(fork);
  const config = workerConfig(join(fork.root, "dist/index.js"), fork.root);
  fork.remove();
  const vars = {
    SIGNING_KEY: Buffer.alloc(32, 9).toString("base64url"),
    JWT_SECRET: SECRET,
    RATE_PER_MINUTE: "",
    LONG_WAIT_SECONDS: "1",
  };
  const text = (value: string) => ({ type: "text", value });
  const env = {
    ...(config.env as object),
    ...Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, text(value)])),
  };
  const { modules } = config.manifest as { modules: object };
  const manifest = {
    mainModule: "clock.js",
    modules: { ...modules, "clock.js": { type: "esm", contents: clock(ahead) } },
  };
  const received: { headers: Headers; body: string }[] = [];
  const handler = async (request: Request) => {
    const sent = await request.text();
    const { challenge } = JSON.parse(sent) as { challenge?: string };
    if (challenge !== undefined) return Response.json({ challenge });
    received.push({ headers: request.headers, body: sent });
    return receive(sent);
  };
  const miniflare = new Miniflare({
    ...miniflareOptions(),
    resourcePersistencePath: folder,
    workers: [{ config: { ...config, env, manifest }, dev: { outboundService: { type: "fetcher", handler } } }],
  } as unknown as MiniflareOptions);
  await miniflare.ready;
  return {
    fetch: (path, init) =>
      miniflare.dispatchFetch(new URL(path, ORIGIN), init as never) as unknown as Promise<Response>,
    received,
    stop: () => miniflare.dispose(),
  };
}

/** Writes what is stored in a folder to one file: the files of SQLite and of blobs, by path, in base64. */
export function pack(folder: string): void {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const texts = files.sort().map((file) => [file.slice(folder.length + 1), readFileSync(file, "base64")]);
  writeFileSync(STATE, gzipSync(JSON.stringify(Object.fromEntries(texts)), { level: 9 }));
}

/** The other way round, in a new folder. Values on KV do not expire there, because its clock is this machine's. */
export function unpack(): string {
  const folder = mkdtempSync(join(tmpdir(), "trivet-stored-"));
  const texts = JSON.parse(gunzipSync(readFileSync(STATE)).toString()) as Record<string, string>;
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
