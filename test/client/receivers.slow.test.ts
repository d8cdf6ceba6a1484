/** The receivers of docs/webhooks.md, as they are written: type-checked, served, and sent webhooks. */

import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { blocksOf, ROOT } from "../docs/blocks.ts";
import { freePort } from "../support/node/fork.ts";
import { type ChildProcess, spawn } from "../support/node/processes.ts";
import { installed } from "../support/node/sdks.ts";
import { systemNode } from "../support/node/system-node.ts";
import { typeErrors } from "../support/node/type-errors.ts";
import { miniflareOptions } from "../support/node/worker.ts";
import { gateway, ID, SECRET, standard } from "./cases.ts";

const [onWorkers = "", onNode = "", onFastify = ""] = blocksOf("docs/webhooks.md").flatMap(({ language, text }) =>
  language === "ts" ? [text] : [],
);
const frameworks = installed("test/client/frameworks", "Fastify", "a part of test/client/receivers.slow.test.ts");
/** Inside the project, so that the types of Node are found. */
const TESTS = join(ROOT, ".wrangler/tests");
let folder: string;
beforeAll(() => {
  mkdirSync(TESTS, { recursive: true });
  folder = mkdtempSync(join(TESTS, "receivers-"));
  copyFileSync(join(ROOT, "src/client/webhooks.ts"), join(folder, "webhooks.ts"));
  writeFileSync(join(folder, "workers.ts"), onWorkers);
  writeFileSync(join(folder, "node.ts"), onNode);
  writeFileSync(join(folder, "fastify.ts"), onFastify);
  if (frameworks) symlinkSync(join(frameworks, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const bundle = (name: string, platform: "node" | "browser") =>
  build({
    entryPoints: [join(folder, `${name}.ts`)],
    bundle: true,
    format: "esm",
    platform,
    packages: "external",
    write: false,
  }).then(({ outputFiles: [file] }) => file?.text ?? "");

const now = () => Math.floor(Date.now() / 1_000);
const NEWS = JSON.stringify({ type: "task.finished", data: { status: "completed" } });
const CHALLENGE = JSON.stringify({ type: "verification", challenge: "c-1" });

async function post(url: string | URL, body: string, headers: Record<string, string>) {
  // As senders do: frameworks choose a parser by it.
  const type = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers: { ...type, ...headers }, body });
  return { status: response.status, text: await response.text() };
}

/** What a sender sees of a receiver. */
async function expectToReceive(url: string | URL): Promise<void> {
  const signed = standard(SECRET, NEWS, now());
  expect(await post(url, NEWS, signed)).toEqual({ status: 204, text: "" });
  expect(await post(url, NEWS, await gateway([SECRET], NEWS, now()))).toEqual({ status: 204, text: "" });
  const challenged = await post(url, CHALLENGE, standard(SECRET, CHALLENGE, now()));
  expect([challenged.status, JSON.parse(challenged.text)]).toEqual([200, { challenge: "c-1" }]);
  expect(await post(url, NEWS.replace("completed", "failed"), signed)).toMatchObject({ status: 401 });
  expect(await post(url, NEWS, standard(SECRET, NEWS, now() - 400))).toMatchObject({ status: 401 });
  expect(await post(url, CHALLENGE, {})).toMatchObject({ status: 401 });
}

describe("the receiver for Workers", () => {
  it("has no mistake in its types", () => {
    expect(typeErrors(join(folder, "workers.ts"), "es2022", "@cloudflare/workers-types")).toBe("");
  });

  it("receives each event once", async () => {
    const script = await bundle("workers", "browser");
    const config = {
      name: "receiver",
      compatibilityDate: "2026-10-01",
      manifest: { mainModule: "index.js", modules: { "index.js": { type: "esm", contents: script } } },
      env: { WEBHOOK_SECRET: { type: "text", value: SECRET }, SEEN: { type: "kv", id: "SEEN" } },
      exports: {},
    };
    const worker = new Miniflare(miniflareOptions(config));
    try {
      await expectToReceive(await worker.ready);
      const { SEEN } = (await worker.getBindings()) as { SEEN: { list(): Promise<{ keys: { name: string }[] }> } };
      expect((await SEEN.list()).keys.map(({ name }) => name)).toEqual([ID]);
    } finally {
      await worker.dispose();
    }
  });
});

describe("the receiver for Node", () => {
  it("has no mistake in its types", () => {
    expect(typeErrors(join(folder, "node.ts"), "es2022", "node")).toBe("");
  });

  it("receives events", async () => {
    writeFileSync(join(folder, "node.mjs"), await bundle("node", "node"));
    await served(systemNode(), "node.mjs", expectToPrint);
  });
});

describe.runIf(frameworks)("the receiver for Fastify", () => {
  it("has no mistake in its types", () => {
    expect(typeErrors(join(folder, "fastify.ts"), "es2022", "node", "--skipLibCheck")).toBe("");
  });

  it("receives events", async () => {
    writeFileSync(join(folder, "fastify.mjs"), await bundle("fastify", "node"));
    await served(process.execPath, "fastify.mjs", async (url, printed) => {
      await expectToPrint(url, printed);
      const large = JSON.stringify("x".repeat(262_144));
      expect(await post(url, large, standard(SECRET, large, now()))).toMatchObject({ status: 413 });
    });
  });

  it("would refuse every message if Fastify had parsed it, and say why", async () => {
    const parsed = onFastify.replace(/^ {2}hooks\.addContentTypeParser\([\s\S]*?^ {2}\);\n/m, "");
    expect(parsed).not.toBe(onFastify);
    writeFileSync(join(folder, "fastify.ts"), parsed.replace("request.log.error(error)", "console.log(String(error))"));
    writeFileSync(join(folder, "parsed.mjs"), await bundle("fastify", "node"));
    const serving = served(process.execPath, "parsed.mjs", async (url, printed) => {
      expect(await post(url, NEWS, standard(SECRET, NEWS, now()))).toMatchObject({ status: 500 });
      await until(() => printed().includes("\n"));
      expect(printed()).toContain("Fastify: parseAs");
    });
    await serving.finally(() => writeFileSync(join(folder, "fastify.ts"), onFastify));
  });
});

async function expectToPrint(url: string, printed: () => string): Promise<void> {
  await expectToReceive(url);
  await until(() => printed().split("\n").length > 2);
  expect(printed().match(/^news evt_\w+/gm)).toEqual([`news ${ID}`, `news ${ID}`]);
}

/** Runs a receiver for as long as the work takes. */
async function served(
  node: string,
  file: string,
  work: (url: string, printed: () => string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const env = { WEBHOOK_SECRET: SECRET, PORT: String(port) };
  const server = spawn(node, [join(folder, file)], { env, stdio: ["ignore", "pipe", "ignore"] });
  try {
    await listening(server, `http://127.0.0.1:${port}/`);
    let printed = "";
    server.stdout.on("data", (text) => {
      printed += text;
    });
    await work(`http://127.0.0.1:${port}/hook`, () => printed);
  } finally {
    server.kill();
  }
}

async function listening(server: ChildProcess, url: string): Promise<void> {
  const gone = once(server, "exit").then(() => Promise.reject(new Error("the receiver has ended")));
  const there = until(() =>
    fetch(url).then(
      ({ ok }) => !ok,
      () => false,
    ),
  );
  await Promise.race([gone, there]);
  gone.catch(() => {});
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((again) => setTimeout(again, 20));
}
