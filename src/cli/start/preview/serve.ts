/**
 * Serves the preview page, on which authors see their views while they write them (docs/views.md): beside `npm start`,
 * on a port of its own, to this machine only. The page is the host; it calls the server of `npm start` itself.
 */
import { once } from "node:events";
import { existsSync, readFileSync, watchFile, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { BROWSERS } from "../../../discovery/lib/inline.ts";
import { policyOf } from "./policy.ts";

const PAGE = join(import.meta.dirname, "page");
const SANDBOX = join(import.meta.dirname, "sandbox.html");
/** How many more ports are tried if the one after the server's is taken. */
const PORTS = 20;
/** How often the file of a new build is looked at. */
const WATCH_MS = 100;
const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export interface Project {
  /** Where `npm start` serves: `http://127.0.0.1:8787`. */
  readonly server: string;
  readonly tools: string;
  /** A file that changes with each build. */
  readonly build: string;
  /** JSON: the URIs of the views in that build. There is no such file if there are none. */
  readonly uris: string;
  /** What discovery says about a mistake that was saved since that build. Without one, there is no such file. */
  readonly problems: string;
  /** Prints a text that may contain parts of a request. */
  complain(text: string): void;
}

/**
 * The server does not keep the process alive.
 *
 * @returns the address of the page. Rejects if no port is free
 */
export async function servePreview(project: Project): Promise<string> {
  const readers = new Set<ServerResponse>();
  const event = () => `data: ${stateOf(project)}\n\n`;
  for (const file of [project.build, project.problems]) {
    watchFile(file, { interval: WATCH_MS, persistent: false }, () => {
      for (const reader of readers) reader.write(event());
    });
  }
  const tellOfBuilds = (response: ServerResponse) => {
    response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" }).write(event());
    readers.add(response.on("close", () => readers.delete(response)));
  };
  const server = createServer((request, response) => {
    answer(request, response, project, tellOfBuilds).catch((error) => {
      // For example a mistake in the page, which its developer sees here.
      project.complain(`The preview page: ${error.stack}`);
      response.writeHead(500).end();
    });
  });
  server.unref().on("connection", (socket) => socket.unref());
  return `http://127.0.0.1:${await listen(server, Number(new URL(project.server).port) + 1)}`;
}

/** What the page is told after each build, and after each that failed, as JSON. */
function stateOf({ uris, problems }: Project): string {
  return `{"uris":${readIfThere(uris) ?? "[]"},"problems":${JSON.stringify(readIfThere(problems) ?? null)}}`;
}

/** @returns undefined if there is no such file: discovery may remove it at any moment */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** Listens on the first port that is free, and returns it. */
async function listen(server: Server, first: number): Promise<number> {
  for (let port = first; ; port++) {
    try {
      await once(server.listen(port, "127.0.0.1"), "listening");
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || port >= first + PORTS) throw error;
    }
  }
}

/** @param name of a file of the page */
async function bundle(name: string): Promise<string> {
  const format = { bundle: true, format: "esm", target: BROWSERS, charset: "utf8" } as const;
  const { outputFiles } = await build({ entryPoints: [join(PAGE, name)], write: false, logLevel: "silent", ...format });
  return outputFiles[0]?.text ?? "";
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { server, tools }: Project,
  tellOfBuilds: (response: ServerResponse) => void,
): Promise<unknown> {
  const port = request.socket.localPort;
  // Two names of this machine, and so two origins: the frame of a view cannot reach into the page.
  const [page, sandbox] = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { method, headers } = request;
  const url = URL.parse(request.url ?? "/", `http://${page}`);
  const send = (type: string, body: string, policy = "default-src 'none'") =>
    response
      .writeHead(200, { ...HEADERS, "content-type": `${type}; charset=utf-8`, "content-security-policy": policy })
      .end(body);
  const refuse = (status: number, more = {}) => response.writeHead(status, more).end();
  if (url === null) return refuse(400);
  const { pathname, searchParams } = url;

  if (headers.host === sandbox && method === "GET" && pathname === "/sandbox") {
    const policy = policyOf(searchParams.get("csp") ?? "null");
    if (policy === undefined) return refuse(400);
    const html = readFileSync(SANDBOX, "utf8").replace("PAGE", `http://${page}`);
    return send("text/html", html, `${policy}; frame-ancestors http://${page}`);
  }
  if (headers.host === sandbox && pathname === "/") return refuse(302, { location: `http://${page}/` });
  // Anyone can point a name of theirs to this machine: a page under that name would have this origin.
  if (headers.host !== page) return refuse(403);
  const [, sample] = /^\/samples\/([a-z0-9-]+\/[a-z0-9-]+)$/.exec(pathname) ?? [];
  if (sample !== undefined) {
    const file = join(tools, `${sample}.view.sample.json`);
    if (method === "GET") return send("application/json", existsSync(file) ? readFileSync(file, "utf8") : "null");
    if (method !== "PUT" || headers.origin !== `http://${page}`) return refuse(403);
    writeFileSync(file, await text(request));
    return refuse(204);
  }
  if (method !== "GET") return refuse(405);
  if (pathname === "/builds") return tellOfBuilds(response);
  if (pathname === "/page.js") return send("text/javascript", await bundle("page.ts"));
  if (pathname === "/page.css") return send("text/css", await bundle("page.css"));
  if (pathname !== "/") return refuse(404);
  const html = readFileSync(join(PAGE, "index.html"), "utf8").replace("SERVER", server);
  const policy = `connect-src 'self' ${server}; frame-src http://${sandbox}; frame-ancestors 'none'; form-action 'none'`;
  return send("text/html", html, `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; ${policy}`);
}
