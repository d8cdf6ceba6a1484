/**
 * `npm run faults hour [MINUTES] [PATTERN]`: one caller at 600 requests a minute does its worst to each capability, all
 * at once, each in a process of its own, in real time. Prints what an hour of it comes to (docs/operating.md, What one caller can cost).
 */

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { attach, COLLECTABLE, heapAfterCollection } from "../../bench/inspector.ts";
import { SECRET } from "../../support/node/attacks/tokens.ts";
import { BINDINGS } from "../../support/node/files.ts";
import { freePort } from "../../support/node/fork.ts";
import { post, postJson } from "../../support/node/http.ts";
import { modernRequest, tokenOf, WORKFLOW } from "../../support/node/long.ts";
import { serveOutbox } from "../../support/node/outbox.ts";
import { execFileSync } from "../../support/node/processes.ts";

const PER_SECOND = 10;
/** Dollars for a million (docs/deploying.md). */
const PRICES = {
  requests: 0.3,
  objectRequests: 0.15,
  rowsWritten: 1,
  rowsRead: 0.001,
  kvReads: 0.5,
  kvWrites: 5,
  r2Writes: 4.5,
  r2Reads: 0.36,
  instances: 0.3,
  steps: 8,
};

const HEAD = 'import * as v from "valibot";\nimport { defineTool } from "#tool";\n';
const NAME = 'v.pipe(v.string(), v.description("Of this call."))';
const tool = (members: string) =>
  `${HEAD}export default defineTool({ version: "1.0.0", description: "Works.", ${members} });`;
const TOOLS = {
  "kit/plain.ts": tool(`input: v.object({ name: ${NAME} }), run: ({ name }) => name`),
  "kit/large.ts": tool(`input: v.object({ name: ${NAME} }), run: ({ name }) => name.repeat(6_000)`),
  "kit/keep.ts": tool(
    `session: true, input: v.object({ name: ${NAME} }), async run({ name }, ctx) { await ctx.session?.set("name", name); return name; }`,
  ),
  "kit/look.ts": tool("annotations: { readOnly: true }, attachments: true, run: (_, ctx) => ctx.attachments.length"),
  "kit/work.ts": tool(
    `long: true, input: v.object({ name: ${NAME} }), async run({ name }, ctx) { await ctx.step("a", () => 1); return name; }`,
  ),
  "kit/tell.ts": `${HEAD}import told from "./told.event.ts";
export default defineTool({ version: "1.0.0", description: "Tells.", input: v.object({ name: ${NAME} }),
  async run({ name }, ctx) { await ctx.emit(told, { name }); return "told"; } });`,
  "kit/told.event.ts": `import * as v from "valibot";\nimport { defineEvent } from "#tool";
export default defineEvent({ name: "kit.told", description: "It was told.", payload: v.object({ name: v.string() }) });`,
};

const WHSEC = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
type Headers = Record<string, string>;

/** What a caller does: called ten times a second. */
type Act = (at: number) => Promise<{ readonly status: number }>;
/** @returns the act, after whatever goes before it */
type Capability = (url: string, headers: Headers) => Promise<Act>;

/** @param pattern of the names of the capabilities */
export async function runHour(minutes: number, pattern: RegExp): Promise<void> {
  const receiver = await startReceiver();
  process.env.MINIFLARE_WORKERD_V8_FLAGS = COLLECTABLE.v8Flags.join(" ");
  const first = await serveOutbox({
    tools: TOOLS,
    main: "test/faults/worst/index.ts",
    hosts: [receiver.host],
    closed: true,
    more: WORKFLOW + BINDINGS,
    vars: { JWT_SECRET: SECRET, OUTBOX_MINUTE_MS: "60000" },
  });
  const oxp = (url: string, headers: Headers, tool_id: string, name: string, more: object = {}) =>
    postJson(`${url}/tools/call`, { request: { tool_id, input: { name }, ...more } }, headers);
  const callTool = (url: string, headers: Headers, name: string, given: object) => {
    const made = modernRequest("tools/call", { name, arguments: given });
    return post(`${url}/mcp`, made.body, { ...made.headers, ...headers });
  };
  const subscribe = async (url: string, headers: Headers, path: string) => {
    for (let at = 0; at < 99; at++) {
      const delivery = { url: receiver.url(`${path}?${at}`), secret: WHSEC };
      const made = modernRequest("events/subscribe", { name: "kit.told", arguments: {}, delivery });
      await post(`${url}/mcp`, made.body, { ...made.headers, ...headers });
      await sleep(110);
    }
  };
  const text = "x".repeat(40);
  const CAPABILITIES: Readonly<Record<string, Capability>> = {
    calls: async (url, headers) => (at) => oxp(url, headers, "Kit.Plain", `${at}`),
    "calls with a key, results of 240 KB": async (url, headers) => (at) =>
      oxp(url, headers, "Kit.Large", text, { call_id: `${at}` }),
    "calls in new sessions that keep a value": async (url, headers) => (at) =>
      callTool(url, headers, "Kit_Keep", { name: `${at}` }),
    "long tools": async (url, headers) => (at) => callTool(url, headers, "Kit_Work", { name: text.slice(0, 30) + at }),
    "uploads, deleted": async (url, headers) => async () => {
      const wanted = { filename: "a.bin", content_type: "a/b", size: 1_000 };
      const { status, body } = await postJson(`${url}/api/v1/files/presign-upload`, wanted, headers);
      if (status !== 200) return { status };
      const sent = await fetch(body.upload_url, { method: "PUT", body: "x".repeat(1_000), headers: body.headers });
      await sent.body?.cancel();
      return fetch(`${url}/api/v1/files/${body.file_id}`, { method: "DELETE", headers });
    },
    "uploads with a wrong hash": async (url, headers) => {
      const wanted = { filename: "a.bin", content_type: "a/b", size: 3, sha256: "0".repeat(64) };
      let left: { readonly upload_url: string; readonly headers: Record<string, string> } | undefined;
      return async () => {
        if (left === undefined) {
          const { status, body } = await postJson(`${url}/api/v1/files/presign-upload`, wanted, headers);
          if (status === 200) left = body;
          return { status };
        }
        const sent = await fetch(left.upload_url, { method: "PUT", body: "abc", headers: left.headers });
        await sent.body?.cancel();
        if (sent.status === 410) left = undefined;
        return sent;
      };
    },
    "files of a host, deleted": async (url, headers) => async (at) => {
      const [batch, place] = [Math.floor(at / 21), at % 21];
      const file = (n: number, of: number) => ({
        file_id: `f${of}-${n}`,
        download_url: receiver.url(`/live/f${of}-${n}`),
      });
      const files = (of: number) => Array.from({ length: 20 }, (_, n) => file(n, of));
      if (place === 0) return callTool(url, headers, "Kit_Look", { host_files: files(batch) });
      const { file_id, download_url } = file(place - 1, batch - 2);
      const { host, pathname } = new URL(download_url);
      const hash = createHash("sha256")
        .update(JSON.stringify([file_id, host, pathname]))
        .digest("hex");
      return fetch(`${url}/api/v1/files/host-${hash.slice(0, 32)}`, { method: "DELETE", headers });
    },
    "events to 99 receivers": async (url, headers) => {
      await subscribe(url, headers, "/live");
      return (at) => oxp(url, headers, "Kit.Tell", `${at}`);
    },
    "events to 99 dead receivers": async (url, headers) => {
      await subscribe(url, headers, "/dead");
      return (at) => oxp(url, headers, "Kit.Tell", `${at}`);
    },
    "events to 99 receivers that refuse them": async (url, headers) => {
      await subscribe(url, headers, "/refusing");
      return (at) => oxp(url, headers, "Kit.Tell", `${at}`);
    },
    "callbacks, results of 240 KB": async (url, headers) => (at) =>
      oxp(url, headers, "Kit.Large", text, {
        call_id: `c${at}`,
        context: { callback: { url: receiver.url("/dead") } },
      }),
    "a stranger: calls with a key": async (url) => (at) => oxp(url, {}, "Kit.Large", text, { call_id: `${at}` }),
  };
  const chosen = Object.entries(CAPABILITIES).filter(([name]) => pattern.test(name));
  await Promise.all(
    chosen.map(async ([name, prepare], index) => {
      // One after the other, so that each process is known.
      await sleep(index * 4_000);
      const known = processes();
      const vars = name.startsWith("a stranger") ? { PUBLIC: "true" } : {};
      const inspectorPort = await freePort();
      const { url, stop } = await first.also(vars, { inspectorPort });
      const [pid = 0] = [...processes()].filter((one) => !known.has(one));
      const act = await prepare(url, tokenOf(name));
      await sleep(60_000);
      const start = await counted(url);
      const statuses: Record<string, number> = {};
      const memory: string[] = [];
      const noteMemory = async () => {
        const socket = await attach(inspectorPort);
        const heap = await heapAfterCollection(Number(new URL(url).port), socket);
        socket.close();
        memory.push(`${Math.round(heap)} of ${megabytes(pid)}`);
      };
      const begun = Date.now();
      const running = new Set<Promise<unknown>>();
      for (let at = 0; Date.now() - begun < minutes * 60_000; at++) {
        const note = (answer: number | string) => {
          statuses[answer] = (statuses[answer] ?? 0) + 1;
        };
        const one = act(at).then(
          ({ status }) => note(status),
          () => note("no answer"),
        );
        running.add(one);
        one.finally(() => running.delete(one));
        if (at % (60 * PER_SECOND) === 0) await noteMemory();
        await sleep(Math.max(0, begun + ((at + 1) * 1_000) / PER_SECOND - Date.now()));
      }
      await Promise.race([Promise.all(running), sleep(30_000)]);
      await noteMemory();
      const end = await counted(url);
      const requests = Object.values(statuses).reduce((sum, one) => sum + one, 0);
      const perHour = Object.entries(PRICES).map(([what, price]) => {
        const count = what === "requests" ? requests : (end[what] ?? 0) - (start[what] ?? 0);
        return { what, price, count: (count * 60) / minutes };
      });
      const dollars = perHour.reduce((sum, { price, count }) => sum + (count * price) / 1e6, 0);
      const shown = perHour.map(({ what, count }) => `${what} ${Math.round(count)}`);
      console.log(`${name}: $${dollars.toFixed(2)} an hour`);
      console.log(`  ${shown.join(", ")}, MB kept at the end ${Math.round((end.bytes ?? 0) / 1e6)}`);
      console.log(
        `  answers ${JSON.stringify(statuses)}, MB of heap after a collection, of the local process: ${memory.join(", ")}`,
      );
      await stop();
    }),
  );
  await first.stop();
  receiver.stop();
}

/** Echoes challenges, and takes what comes below `/live`. Everything else fails. */
async function startReceiver() {
  const server = createServer((request, response) => {
    let body = "";
    request.on("error", () => {});
    request.on("data", (piece) => {
      body += body.length < 1_000 ? piece : "";
    });
    request.on("end", () => {
      const [, challenge] = /"challenge":"([^"]+)"/.exec(body) ?? [];
      const isTaken = challenge !== undefined || request.url?.startsWith("/live");
      const refusal = request.url?.startsWith("/refusing") ? 413 : 503;
      response.writeHead(isTaken ? 200 : refusal).end(JSON.stringify({ challenge }));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: (path: string) => `http://${host}${path}`, stop: () => server.close() };
}

async function counted(url: string): Promise<Record<string, number>> {
  return (await (await fetch(`${url}/counts`)).json()) as Record<string, number>;
}

function processes(): Set<number> {
  const found = execFileSync("ps", ["-C", "workerd", "-o", "pid="], { encoding: "utf8" });
  return new Set(found.split(/\s+/).filter(Boolean).map(Number));
}

function megabytes(pid: number): number {
  try {
    return Math.round(Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1_024);
  } catch {
    return 0;
  }
}
