/** Measures ten thousand events on their way from the call that emits them to a receiver that answers at once. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { SECRET, shared } from "../support/node/attacks/tokens.ts";
import { build } from "../support/node/build.ts";
import { makeFork, testSettings } from "../support/node/fork.ts";
import { OUTBOX } from "../support/node/outbox.ts";
import { MODERN, mcpRequest } from "./mcp.ts";
import { OBJECTS, serveTasks, VARS } from "./task-server.ts";
import { Connection, encode } from "./wire.ts";

export interface OutboxRow {
  readonly principals: number;
  readonly events: number;
  /** Seconds from the first call to the answer of the last, and to the last delivery. */
  readonly emitted: number;
  readonly delivered: number;
  /** Milliseconds of the server's CPU for an event, with its call. */
  readonly cpuMs: number;
  /** MiB of the process, and of JavaScript's heap after a collection. */
  readonly before: number;
  readonly peak: number;
  readonly heapBefore: number;
  readonly heapAfter: number;
  /** For an event, as a run of its own counts them. */
  readonly written: number;
  readonly read: number;
  readonly alarms: number;
}

const EVENTS = 10_000;
const CONNECTIONS = 32;

export async function outbox(): Promise<readonly OutboxRow[]> {
  const [plain, counted] = await Promise.all([outboxModule(false), outboxModule(true)]);
  const rows: OutboxRow[] = [];
  for (const principals of [1, 10]) {
    const { counts } = await run(counted, principals);
    const { measured } = await run(plain, principals);
    const each = (count: number) => count / EVENTS;
    const { written, read, alarms } = counts;
    rows.push({ ...measured, written: each(written), read: each(read), alarms: each(alarms) });
  }
  return rows;
}

/** The module of a fork with a tool that emits. @param isCounted whether it counts what its outboxes do with storage */
async function outboxModule(isCounted: boolean): Promise<string> {
  const fork = makeFork("test/faults/outbox/tools", { closed: true });
  try {
    let settings = testSettings({ closed: true }) + OUTBOX;
    if (isCounted) {
      const counted = readFileSync(resolve(import.meta.dirname, "../features/outbox/counted/index.ts"), "utf8");
      fork.write("src/counted/index.ts", counted.replaceAll(/(\.\.\/)+src\//g, "../"));
      settings = settings.replace('main = "src/index.ts"', 'main = "src/counted/index.ts"');
    }
    fork.write("wrangler.toml", settings);
    await build(fork);
    return readFileSync(join(fork.root, "dist/index.js"), "utf8");
  } finally {
    fork.remove();
  }
}

async function run(module: string, principals: number) {
  const receiver = await startFast();
  const vars = { ...VARS, PUBLIC: "false", TOKENS: "true", JWT_SECRET: SECRET, ALLOWED_HOSTS: receiver.host };
  const objects = { ...OBJECTS, OUTBOX: "Outbox" };
  const server = await serveTasks(module, { objects, vars, hasWorkflow: false });
  const tokens = Array.from({ length: principals }, (_, at) => shared({ sub: `bench-${at}`, scope: "news" }));
  // A credential is taken over plain http only on this machine.
  const host = `127.0.0.1:${server.port}`;
  const headers = (at: number) => ({ host, authorization: `Bearer ${tokens[at % principals]}` });
  const connections = Array.from({ length: CONNECTIONS }, () => new Connection(server.port));
  const first = connections[0] as Connection;
  const tell = (n: number) => {
    const request = { tool_id: "News.Tell", input: { n, list: "all" } };
    return encode({ method: "POST", path: "/tools/call", headers: headers(n), body: { request } });
  };
  const memory = () => server.memoryMiB() ?? Number.NaN;
  const counts = async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}/counts`);
    return (response.ok ? await response.json() : {}) as { written: number; read: number; alarms: number };
  };
  try {
    for (let at = 0; at < principals; at++) {
      const delivery = {
        url: `http://${receiver.host}/${at}`,
        secret: `whsec_${Buffer.alloc(32, at).toString("base64")}`,
      };
      const params = { name: "news.told", arguments: {}, cursor: null, delivery };
      const { body } = await first.send(encode(mcpRequest(MODERN, "events/subscribe", params, headers(at))));
      if (!body.includes('"refreshBefore"')) throw new Error(`not subscribed: ${body}`);
      await first.send(tell(at));
    }
    await receiver.has(principals);
    await counts();
    const [before, heapBefore, cpuBefore] = [memory(), await server.heapMiB(), server.cpuMs() ?? Number.NaN];
    let peak = before;
    const sampling = setInterval(() => {
      peak = Math.max(peak, memory());
    }, 100);
    const started = performance.now();
    const seconds = () => (performance.now() - started) / 1_000;
    let next = 0;
    await Promise.all(
      connections.map(async (connection) => {
        for (let n = next++; n < EVENTS; n = next++) {
          const { status, body } = await connection.send(tell(n));
          if (status !== 200) throw new Error(`${status} ${body}`);
        }
      }),
    );
    const emitted = seconds();
    await receiver.has(principals + EVENTS);
    const delivered = seconds();
    const cpuMs = ((server.cpuMs() ?? Number.NaN) - cpuBefore) / EVENTS;
    clearInterval(sampling);
    const counted = await counts();
    const heapAfter = await server.heapMiB();
    const measured = { principals, events: EVENTS, emitted, delivered, cpuMs, before, peak, heapBefore, heapAfter };
    return { measured, counts: counted };
  } finally {
    for (const connection of connections) connection.close();
    await server.stop();
    receiver.stop();
  }
}

/** A receiver that acknowledges at once. */
async function startFast() {
  const ids = new Set<string>();
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      const { type, challenge } = JSON.parse(text);
      if (type === "verification") return void response.end(JSON.stringify({ challenge }));
      ids.add(String(request.headers["webhook-id"]));
      response.end();
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves when so many events have arrived. */
    async has(count: number) {
      while (ids.size < count) await new Promise((resume) => setTimeout(resume, 5));
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
