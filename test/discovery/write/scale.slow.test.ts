/**
 * 1,000 tools: discovered, bundled by wrangler with a deployment's settings, and served in workerd. Listing and calling
 * them works as with few tools, and only the toolkits of called tools are evaluated. `npm run bench` measures how fast
 * such a Worker starts.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { fetchInit, LEGACY, type McpRequest, MODERN, mcpRequest } from "../../bench/mcp.ts";
import { testSettings } from "../../support/node/fork.ts";
import { postJson } from "../../support/node/http.ts";
import { type ChildProcess, execFileSync, spawn } from "../../support/node/processes.ts";
import { type Project, project, ROOT } from "../../support/node/project.ts";
import { miniflareOptions, workerConfig } from "../../support/node/worker.ts";

/** A compressed answer would have no Content-Length. */
const IN_ONE_PIECE = { "accept-encoding": "identity" };

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** A carefully described tool. Its result is how many tools this isolate has evaluated. */
function toolFile(kit: number, item: number): string {
  return `import * as v from "valibot";
import { defineTool } from "#tool";

const counter = globalThis as { evaluated?: number };
counter.evaluated = (counter.evaluated ?? 0) + 1;

export default defineTool({
  version: "1.0.0",
  description: "Finds what kit ${kit} knows of item ${item}. Use it before any change to an item, and again after one.",
  annotations: { readOnly: true, openWorld: false },
  input: v.object({
    query: v.pipe(v.string(), v.minLength(1), v.maxLength(200), v.description("What to look for, in plain words.")),
    limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.description("How many at most.")), 10),
    sort: v.optional(v.pipe(v.picklist(["newest", "oldest", "name"]), v.description("In which order."))),
    filters: v.optional(
      v.pipe(
        v.array(v.object({ field: v.string(), equals: v.union([v.string(), v.number()]) })),
        v.description("What each found item must have."),
      ),
    ),
  }),
  output: v.object({ found: v.string(), limit: v.number(), evaluated: v.number() }),
  run: ({ query, limit }) => ({ found: \`\${query} in ${kit}/${item}\`, limit, evaluated: counter.evaluated ?? 0 }),
});
`;
}

function makeProject(toolkits: number): Project {
  const files: Record<string, string> = {};
  for (let kit = 0; kit < toolkits; kit++) {
    for (let item = 0; item < 10; item++) files[`kit-${kit}/item-${item}.ts`] = toolFile(kit, item);
  }
  return project(files);
}

/** Returns the path of a file with miniflare's options. */
async function build(made: Project): Promise<string> {
  const discovered = await made.discover();
  expect(discovered.stderr).toBe("");
  // A deployment's settings, except for the paths of script and catalog. Discovery has already run.
  const settings = testSettings()
    .replace(/^main = .*$/m, `main = ${JSON.stringify(join(ROOT, "src/index.ts"))}`)
    .replace(/^\[build\]\n(?:\w.*\n)*/m, "");
  const config = join(made.folder, "wrangler.toml");
  writeFileSync(config, `${settings}\n[alias]\n"#catalog" = ${JSON.stringify(made.out)}\n`);
  const outdir = join(made.folder, "dist");
  const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  execFileSync(process.execPath, [wrangler, "deploy", "--dry-run", "--outdir", outdir, "--config", config], {
    cwd: made.folder,
    stdio: "pipe",
  });
  const script = join(outdir, "index.js");
  const options = join(made.folder, "miniflare.json");
  writeFileSync(options, JSON.stringify(miniflareOptions(workerConfig(script, made.folder))));
  return options;
}

/** Serves with the options in this file. */
async function serve(options: string): Promise<Server> {
  const child = spawn(process.execPath, [join(ROOT, "test/support/node/serve.ts"), options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    const url = await firstLine(child);
    const health = await fetch(`${url}/health`);
    await health.arrayBuffer();
    expect(health.status).toBe(200);
    return { url, stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let errors = "";
    child.stderr?.on("data", (text) => (errors += text));
    child.stdout?.once("data", (text) => resolve(String(text).trim()));
    child.once("exit", () => reject(new Error(`the server did not start: ${errors}`)));
  });
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill();
  });
}

const post = async (url: string, body: unknown) => (await postJson(url, body)).body;

async function readJson(response: Response) {
  return JSON.parse(await response.text());
}

describe("1,000 tools", () => {
  let many: string;

  beforeAll(async () => {
    many = await build(makeProject(100));
  });

  it("are listed over all three protocols, called, and evaluated only with their toolkit", async () => {
    const { url, stop } = await serve(many);
    try {
      const names = Array.from({ length: 1000 }, (_, n) => `Kit${Math.floor(n / 10)}_Item${n % 10}`).sort();
      const oxp = await readJson(await fetch(`${url}/tools`));
      expect(oxp.tools.map(nameOf).sort()).toEqual(names);
      const opentool = await readJson(await fetch(`${url}/opentool/load`));
      expect(opentool.functions.map(nameOf).sort()).toEqual(names);
      const listed: { name: string }[] = [];
      let cursor: string | undefined;
      do {
        const params = cursor === undefined ? {} : { cursor };
        const { result } = await post(`${url}/mcp`, { jsonrpc: "2.0", id: 1, method: "tools/list", params });
        listed.push(...result.tools);
        cursor = result.nextCursor;
      } while (cursor !== undefined);
      expect(listed.map(nameOf).sort()).toEqual(names);

      const { tools } = oxp;
      const input = { query: "it", limit: 3 };
      const called = [tools[0], tools[500], tools[999]].map(nameOf);
      const [first = "", middle = "", last = ""] = called;
      const found = (name: string, evaluated: number) => {
        const [, kit, item] = /^Kit(\d+)_Item(\d)$/.exec(name) ?? [];
        return { found: `it in ${kit}/${item}`, limit: 3, evaluated };
      };
      const byOxp = await post(`${url}/tools/call`, { request: { tool_id: first.replace("_", "."), input } });
      expect(byOxp.result.value).toEqual(found(first, 10));
      const params = { name: middle, arguments: input };
      const byMcp = await post(`${url}/mcp`, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
      expect(JSON.parse(byMcp.result.content[0].text)).toEqual(found(middle, 20));
      const byOpenTool = await post(`${url}/opentool/call`, { jsonrpc: "2.0", id: "1", method: last, params: input });
      expect(byOpenTool.result).toEqual(found(last, 30));
    } finally {
      await stop();
    }
  });

  it("are listed to concurrent callers, in one piece with a Content-Length", async () => {
    const { url, stop } = await serve(many);
    try {
      for (const path of ["/tools", "/opentool/load"]) {
        // A caller that disconnects does not affect the others.
        const left = new AbortController();
        const leaving = fetch(url + path, { headers: IN_ONE_PIECE, signal: left.signal }).then(({ body }) =>
          body?.getReader().read(),
        );
        const answers = await Promise.all(
          Array.from({ length: 16 }, () => fetch(url + path, { headers: IN_ONE_PIECE })),
        );
        await leaving;
        left.abort();
        const bodies = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())));
        const [first = Buffer.of()] = bodies;
        expect(first.length).toBeGreaterThan(500_000);
        expect(JSON.parse(first.toString())).toBeTypeOf("object");
        expect(bodies.every((body) => body.equals(first))).toBe(true);
        for (const answer of answers) expect(answer.headers.get("content-length")).toBe(String(first.length));
        const head = await fetch(url + path, { method: "HEAD" });
        expect([head.status, await head.text()]).toEqual([200, ""]);
      }
    } finally {
      await stop();
    }
  });

  it("are listed over MCP, each answer under its own id, in one piece with a Content-Length", async () => {
    const { url, stop } = await serve(many);
    const ask = ({ body, ...sent }: McpRequest, id: number | string) =>
      fetch(`${url}/mcp`, fetchInit({ ...sent, body: { ...body, id } }));
    try {
      for (const era of [LEGACY, MODERN]) {
        const listing = mcpRequest(era, "tools/list", {}, IN_ONE_PIECE);
        const ids = [...Array(14).keys(), '"\u00e9\\', "\ud83d\udd29"];
        const answers = await Promise.all(ids.map((id) => ask(listing, id)));
        const bodies = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())));
        const said = bodies.map((body) => JSON.parse(body.toString()));
        expect(bodies.every(({ length }) => length > 300_000)).toBe(true);
        // "Responses MUST include the same ID as the request they correspond to" (basic/index, Responses).
        expect(said.map(({ id }) => id)).toEqual(ids);
        expect(said[0].result.tools).toHaveLength(1_000);
        for (const { jsonrpc, result } of said)
          expect({ jsonrpc, result }).toEqual({ jsonrpc: "2.0", result: said[0].result });
        expect(answers.map((answer) => answer.headers.get("content-type"))).toEqual(ids.map(() => "application/json"));
        expect(answers.map((answer) => answer.headers.get("content-length"))).toEqual(
          bodies.map(({ length }) => String(length)),
        );
      }
      const batch = await post(
        `${url}/mcp`,
        [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "tools/list" })),
      );
      expect(
        batch.map((one: { id: number; result: { tools: unknown[] } }) => [one.id, one.result.tools.length]),
      ).toEqual([
        [1, 1_000],
        [2, 1_000],
      ]);
    } finally {
      await stop();
    }
  });
});

function nameOf({ name }: { name: string }): string {
  return name;
}
