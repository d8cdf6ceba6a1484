/** Compares uploads with those to a bare Worker that stores the same bytes in R2. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { build } from "../support/node/build.ts";
import { BINDINGS } from "../support/node/files.ts";
import { makeFork, testSettings } from "../support/node/fork.ts";
import { OBJECTS, serveTasks, type TaskServer, VARS } from "./task-server.ts";

export interface UploadRow {
  readonly megabytes: number;
  readonly files: number;
  readonly abreast: number;
  /** Megabytes a second, of each round. */
  readonly trivet: readonly number[];
  readonly bare: readonly number[];
  /** Milliseconds of CPU for a file, of each round. */
  readonly trivetCpuMs: readonly number[];
  readonly bareCpuMs: readonly number[];
}

const MB = 1_000_000;
const ROUNDS = 5;
/** Files of each round. */
const SIZES = [
  { megabytes: 1, files: 40, abreast: 4 },
  { megabytes: 95, files: 2, abreast: 1 },
] as const;
const BARE = `export default {
  async fetch(request, env) {
    if (request.method !== "PUT") return new Response("ok");
    await env.FILES.put(new URL(request.url).pathname, request.body);
    return new Response("stored");
  },
};`;
const TOOL = `import { defineTool } from "#tool";
export default defineTool({ version: "1.0.0", description: "Counts files.", attachments: true,
  run: (_, ctx) => ctx.attachments.length });`;

/** A server, and what gives the URL for the next upload. */
interface Rival {
  readonly server: TaskServer;
  next(size: number): Promise<string>;
}

export async function uploads(): Promise<readonly UploadRow[]> {
  const rivals = [await trivet(), await bare()] as const;
  const agent = new Agent({ keepAlive: true });
  const bytes = randomBytes(95 * MB);
  try {
    const rows: UploadRow[] = [];
    for (const { megabytes, files, abreast } of SIZES) {
      const found: { rate: number; cpuMs: number }[][] = [[], []];
      // One round to warm up.
      for (let round = 0; round <= ROUNDS; round++) {
        for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
          const rival = rivals[index as 0 | 1];
          const body = bytes.subarray(0, megabytes * MB);
          const urls = await Promise.all(Array.from({ length: files }, () => rival.next(body.length)));
          const before = rival.server.cpuMs() ?? Number.NaN;
          const started = performance.now();
          await Promise.all(
            Array.from({ length: abreast }, async () => {
              for (let url = urls.pop(); url !== undefined; url = urls.pop()) await put(url, body, agent);
            }),
          );
          const seconds = (performance.now() - started) / 1_000;
          const cpuMs = ((rival.server.cpuMs() ?? Number.NaN) - before) / files;
          if (round > 0) found[index]?.push({ rate: (megabytes * files) / seconds, cpuMs });
        }
      }
      const of = (index: 0 | 1, what: "rate" | "cpuMs") => (found[index] ?? []).map((one) => one[what]);
      rows.push({
        ...{ megabytes, files, abreast, trivet: of(0, "rate"), bare: of(1, "rate") },
        ...{ trivetCpuMs: of(0, "cpuMs"), bareCpuMs: of(1, "cpuMs") },
      });
    }
    return rows;
  } finally {
    agent.destroy();
    for (const { server } of rivals) await server.stop();
  }
}

async function trivet(): Promise<Rival> {
  const fork = makeFork({ "kit/count.ts": TOOL });
  fork.write("wrangler.toml", testSettings() + BINDINGS);
  await build(fork);
  const module = readFileSync(join(fork.root, "dist/index.js"), "utf8");
  fork.remove();
  const server = await serveTasks(module, {
    ...{ bucket: "FILES", hasWorkflow: false, objects: { ...OBJECTS, FILE_RECORDS: "FileRecords" } },
    vars: { ...VARS, FILES_PER_PRINCIPAL: "10000" },
  });
  return {
    server,
    async next(size) {
      const response = await fetch(`http://127.0.0.1:${server.port}/api/v1/files/presign-upload`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ filename: "a.bin", content_type: "a/b", size }),
      });
      const { upload_url: url } = (await response.json()) as { readonly upload_url: string };
      return url;
    },
  };
}

async function bare(): Promise<Rival> {
  const server = await serveTasks(BARE, { bucket: "FILES", hasWorkflow: false, objects: {} });
  let files = 0;
  return { server, next: async () => `http://127.0.0.1:${server.port}/${++files}` };
}

function put(url: string, body: Buffer, agent: Agent): Promise<void> {
  return new Promise((done, fail) => {
    const headers = { "content-type": "a/b", "content-length": body.length };
    const sending = request(url, { method: "PUT", headers, agent }, (response) => {
      response.resume().on("end", () => {
        const { statusCode = 0 } = response;
        if (statusCode === 200 || statusCode === 201) done();
        else fail(new Error(`an upload was answered with ${statusCode}`));
      });
    });
    sending.on("error", fail);
    sending.end(body);
  });
}
