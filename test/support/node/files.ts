/** Serves a fork with files, built, over real HTTP: what a client and a host send. */

import { request } from "node:http";
import { Readable } from "node:stream";
import { fileLines } from "../../../src/discovery/settings/available.ts";
import { post, postJson } from "./http.ts";
import { type Long, serveLong, WORKFLOW } from "./long.ts";
import { execFileSync } from "./processes.ts";

/** Lines to add to a wrangler.toml that has nothing of files. */
export const BINDINGS = `\n${fileLines("wrangler.toml", { r2_buckets: [], durable_objects: { bindings: [] }, migrations: [] })}\n`;

const HEAD = 'import * as v from "valibot";\nimport { defineTool } from "#tool";\n';
const MEMBERS = 'version: "1.0.0", description: "Takes files.", attachments: true';
const TOOLS = {
  // What an upload takes without Trivet: the R2 of workerd is part of the same process.
  "worker.ts": `import { defineWorker } from "#tool";
export default defineWorker({
  routes(app) {
    app.put("/bare", async (c) => {
      await c.env.FILES.put("bare", c.req.raw.body);
      let read = 0;
      for await (const piece of (await c.env.FILES.get("bare")).body) read += piece.byteLength;
      await c.env.FILES.delete("bare");
      return c.text("stored");
    });
  },
});`,
  // Reads each file as it comes, and keeps nothing of it.
  "kit/take.ts": `${HEAD}export default defineTool({ ${MEMBERS},
    async run(_, ctx) {
      return Promise.all(ctx.attachments.map(async (file) => {
        let read = 0;
        for await (const piece of await file.stream()) read += piece.byteLength;
        return { ...file, read, ...(file.size < 100 && { text: await file.text() }) };
      }));
    },
  });`,
  "kit/ask.ts": `${HEAD}export default defineTool({ ${MEMBERS},
    async run(_, ctx) {
      const answer = await ctx.upload("report", { message: "Choose a report." });
      return answer.action;
    },
  });`,
  "kit/work.ts": `${HEAD}export default defineTool({ ${MEMBERS}, long: true,
    input: v.object({ name: v.pipe(v.string(), v.description("Of this call.")) }),
    prepare: (_, ctx) => Promise.all(ctx.attachments.map((file) => file.text())),
    async run(_, ctx) {
      return { prepared: ctx.prepared, texts: await Promise.all(ctx.attachments.map((file) => file.text())), urls: ctx.attachments.map(({ url }) => url) };
    },
  });`,
};

/** @param vars for wrangler.toml */
export function serveFiles(vars: Readonly<Record<string, string>> = {}, more = WORKFLOW + BINDINGS): Promise<Long> {
  // These replace the lines of their names.
  const change = (settings: string) =>
    settings.replace(/^(\w+) = .*\n/gm, (line, name) => (name in vars && !line.includes(vars[name] ?? "") ? "" : line));
  return serveLong({ tools: TOOLS, vars: { LONG_WAIT_SECONDS: "30", ...vars }, more, change });
}

export async function presign(url: string, wanted: object) {
  return postJson(`${url}/api/v1/files/presign-upload`, { filename: "a.bin", content_type: "a/b", ...wanted });
}

/** Calls a tool over MCP, with these arguments. */
export async function callMcp(url: string, name: string, args: object) {
  const params = { name, arguments: args };
  const response = await post(`${url}/mcp`, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  return (await response.json()) as any;
}

/** Uploads a body of that many bytes, each piece as it is taken. */
export function upload(
  url: string,
  pieces: Iterable<Uint8Array>,
  size: number,
): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const headers = { "content-type": "a/b", "content-length": size };
    const sending = request(url, { method: "PUT", headers }, async (response) => {
      let body = "";
      for await (const piece of response.setEncoding("utf8")) body += piece;
      done({ status: response.statusCode ?? 0, body });
    });
    sending.on("error", fail);
    Readable.from(pieces).pipe(sending);
  });
}

/** Resident memory of all processes of workerd below this one, in bytes. */
export function memoryOfWorkerd(): number {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss=,comm="], { encoding: "utf8" }).trim().split("\n");
  const all = lines
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, rss, name]) => ({ pid, parent, rss, name }));
  const isOurs = ({ parent }: { parent?: string | undefined }): boolean => {
    if (Number(parent) === process.pid) return true;
    const above = all.find(({ pid }) => pid === parent);
    return above !== undefined && isOurs(above);
  };
  const ours = all.filter((one) => one.name?.includes("workerd") && isOurs(one));
  if (ours.length === 0) throw new Error("no process of workerd was found");
  return ours.reduce((sum, { rss }) => sum + Number(rss) * 1_024, 0);
}
