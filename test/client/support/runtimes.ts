/**
 * Runs a module in the runtimes where clients are used: the Node of this project and that of the machine, workerd, and
 * Chromium if there is one. The module is bundled for browsers, so an import of Node's fails in all of them.
 *
 * @example
 * // cases.ts exports `run(input: Input): Promise<Output>`, both as JSON can carry them
 * it.each(RUNTIMES)("does so in $name", async (runtime) => {
 *   expect(await runtime.run(resolve(import.meta.dirname, "cases.ts"), { url }, url)).toEqual(expected);
 * });
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { findChromium, launch } from "../../support/node/chromium.ts";
import { execFileSync, spawn } from "../../support/node/processes.ts";
import { systemNode } from "../../support/node/system-node.ts";
import { miniflareOptions } from "../../support/node/worker.ts";

export interface Runtime {
  /** Such as `Node v20.20.2`. */
  readonly name: string;
  /**
   * Calls the function `run` that a module exports.
   *
   * @param module path of the module
   * @param input  passed to `run`, as JSON
   * @param origin in a browser, that of the page: the server's, because no other page may call this machine
   * @returns what `run` resolves to, as JSON
   */
  run(module: string, input: unknown, origin: string): Promise<unknown>;
}

function inNode(node: string): Runtime {
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  return {
    name: `Node ${version}`,
    async run(module, input) {
      const folder = mkdtempSync(join(tmpdir(), "trivet-client-"));
      try {
        const script = join(folder, "run.mjs");
        const own = `console.log(JSON.stringify(await run(${JSON.stringify(input)})));`;
        writeFileSync(script, await bundled(module, own));
        const child = spawn(node, [script], { stdio: ["ignore", "pipe", "pipe"] });
        const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
        if (errors !== "") throw new Error(errors);
        return JSON.parse(printed);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  };
}

const WORKERD: Runtime = {
  name: "workerd",
  async run(module, input) {
    const own = `export default { async fetch() { return Response.json(await run(${JSON.stringify(input)})); } };`;
    const contents = await bundled(module, own);
    const worker = new Miniflare(
      miniflareOptions({
        name: "client",
        compatibilityDate: "2026-10-01",
        manifest: { mainModule: "index.js", modules: { "index.js": { type: "esm", contents } } },
        env: {},
        exports: {},
      }),
    );
    try {
      const response = await worker.dispatchFetch("http://client/");
      if (response.status !== 200) throw new Error(await response.text());
      return await response.json();
    } finally {
      await worker.dispose();
    }
  },
};

function inChromium(executablePath: string): Runtime {
  return {
    name: "Chromium",
    async run(module, input, origin) {
      const browser = await launch(executablePath);
      try {
        const page = await browser.newPage();
        const url = `${origin}/page-of-a-test`;
        await page.route(url, (route) => route.fulfill({ contentType: "text/html", body: "<title>" }));
        await page.goto(url);
        const own = `globalThis.outcome = run(${JSON.stringify(input)});`;
        await page.addScriptTag({ content: await bundled(module, own, "iife") });
        return await page.evaluate("outcome");
      } finally {
        await browser.close();
      }
    },
  };
}

async function bundled(module: string, own: string, format: "esm" | "iife" = "esm"): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `import { run } from ${JSON.stringify(module)};\n${own}`, resolveDir: "/", loader: "ts" },
    bundle: true,
    format,
    target: "es2022",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

const chromium = findChromium("a part of the clients' tests");

export const RUNTIMES: readonly Runtime[] = [
  ...[...new Set([process.execPath, systemNode()])].map(inNode),
  WORKERD,
  ...(chromium ? [inChromium(chromium)] : []),
];
