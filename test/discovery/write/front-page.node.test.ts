/** Discovery writes the page at / for forks that turn it on, in one file that a strict policy allows; others get none. */

import { createHash } from "node:crypto";
import { existsSync, globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { main } from "../../../src/discovery/run-discovery.ts";
import { docsUrl } from "../../../src/discovery/write/front-page.ts";
import { makeFork, testSettings } from "../../support/node/fork.ts";
import { PAGE } from "../../support/node/page.ts";
import { type Project, project } from "../../support/node/project.ts";

const ROOT = join(import.meta.dirname, "../../..");
/** What a visitor loads, compressed. */
const MOST_BYTES = 60_000;

/** Without tools, which would take most of the time. */
const withSettings = (toml: string) => project({ "../wrangler.toml": testSettings() + toml });
const pathOf = ({ folder }: Project, name: string) => join(folder, "generated/front-page", name);
const pageOf = (made: Project) => readFileSync(pathOf(made, "index.html"), "utf8");

describe.concurrent("a wrangler.toml", () => {
  it("with the page: writes it once, beside the catalogue, and leaves it alone as long as nothing changes", async () => {
    const made = withSettings(PAGE);
    expect(await made.discover()).toMatchObject({ code: 0, stderr: "" });
    expect(globSync("**/*", { cwd: join(made.folder, "generated/front-page") }).sort()).toEqual([
      "_headers",
      "index.html",
    ]);
    const before = ["index.html", "_headers"].map((name) => statSync(pathOf(made, name)).ino);
    expect(await made.discover()).toMatchObject({ code: 0, stderr: "" });
    expect(["index.html", "_headers"].map((name) => statSync(pathOf(made, name)).ino)).toEqual(before);
  });

  it("without it: writes none, and removes what is there from before", async () => {
    const made = withSettings("");
    expect(await made.discover()).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(pathOf(made, ""))).toBe(false);
    made.write({ "../wrangler.toml": testSettings() + PAGE });
    await made.discover();
    expect(existsSync(pathOf(made, ""))).toBe(true);
    made.write({ "../wrangler.toml": testSettings() });
    await made.discover();
    expect(existsSync(pathOf(made, ""))).toBe(false);
  });

  it("with assets of the fork's own: neither writes nor complains", async () => {
    const made = withSettings('[assets]\ndirectory = "public"\n');
    expect(await made.discover()).toMatchObject({ code: 0, stderr: "" });
    expect(existsSync(pathOf(made, ""))).toBe(false);
  });

  it("with the page: removes whatever else is in its folder, which would be served", async () => {
    const made = withSettings(PAGE);
    made.write({
      "../generated/front-page/secret.txt": "key",
      "../generated/front-page/old/index.html": "old",
      "../generated/front-page/.env": "KEY=1",
    });
    expect(await made.discover()).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(join(made.folder, "generated/front-page")).sort()).toEqual(["_headers", "index.html"]);
  });

  it("with the page in an environment alone: writes it", async () => {
    const made = withSettings(PAGE.replace("[assets]", "[env.staging.assets]"));
    expect((await made.discover()).code).toBe(0);
    expect(existsSync(pathOf(made, "index.html"))).toBe(true);
  });

  it.each([
    ["another binding", PAGE.replace("ASSETS", "FILES"), "[assets]"],
    ["no binding", PAGE.replace(/^binding.*\n/m, ""), "[assets]"],
    ["assets before the Worker", PAGE.replace(/^run_worker_first.*\n/m, ""), "[assets]"],
    [
      "an environment with neither",
      '[env.staging.assets]\ndirectory = "./src/generated/front-page/"\n',
      "[env.staging.assets]",
    ],
  ])("with the page and %s: says which lines it needs", async (_, toml, heading) => {
    const { code, stderr } = await withSettings(toml).discover();
    const line = (testSettings() + toml).split("\n").findIndex((text) => text.startsWith("directory")) + 1;
    expect([code, stderr]).toEqual([
      1,
      `1 problem(s) in settings:
wrangler.toml:${line}
  problem: ${heading} has the page at /, and not what the Worker needs to serve it
  fix:     write, or remove the block to turn the page off (docs/connect.md):
           ${heading}
           directory = "src/generated/front-page"
           binding = "ASSETS"
           run_worker_first = true
`,
    ]);
  });
});

describe("the page", () => {
  it("is small: what a visitor loads has a budget", async () => {
    const made = withSettings(PAGE);
    await made.discover();
    const page = Buffer.from(pageOf(made));
    const sizes = { plain: page.length, gzip: gzipSync(page).length, brotli: brotliCompressSync(page).length };
    console.log(`the page at /: ${JSON.stringify(sizes)} bytes`);
    expect(sizes.plain).toBeGreaterThan(500);
    expect(sizes.gzip).toBeLessThanOrEqual(MOST_BYTES);
    expect(sizes.brotli).toBeLessThanOrEqual(MOST_BYTES);
  });
});

describe("sources", () => {
  const fork = makeFork({}, { copied: true });
  fork.write("wrangler.toml", testSettings() + PAGE);
  // The fork's, which reads the fork's src/features/page/browser. Vitest would transform what it imports, which takes a second.
  let own: typeof main;
  beforeAll(() => {
    ({ main: own } = createRequire(import.meta.url)(join(fork.root, "src/discovery/run-discovery.ts")));
  });
  afterAll(() => fork.remove());
  async function discover() {
    let stderr = "";
    const error = (text: string) => {
      stderr += `${text}\n`;
    };
    const status = await own([], { console: { log() {}, warn: error, error }, env: {} });
    return { status, stderr };
  }

  it("with the ends of their elements in texts are inside these elements as a whole, and their hashes are right", async () => {
    const nasty = "</script><!--<script></style>$&";
    fork.write("src/features/page/browser/main.ts", `document.title = ${JSON.stringify(nasty)};\n`);
    fork.write("src/features/page/browser/style/main.css", `main::before { content: ${JSON.stringify(nasty)}; }\n`);
    expect(await discover()).toMatchObject({ status: 0, stderr: "" });
    const folder = join(fork.root, "src/generated/front-page");
    const page = readFileSync(join(folder, "index.html"), "utf8");
    expect(page.match(/<\/(script|style)>/gi)).toEqual(["</style>", "</script>"]);
    const [, script = ""] = /<script type="module">(.*?)<\/script>/s.exec(page) ?? [];
    const [, style = ""] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
    expect(script).not.toContain("<!--");
    expect(style).toContain("<!--");
    expect(runInNewContext(`const document = {}; ${script} document.title`)).toBe(nasty);
    const headers = readFileSync(join(folder, "_headers"), "utf8");
    for (const text of [script, style]) {
      expect(text).toContain("$&");
      expect(headers).toContain(`'sha256-${createHash("sha256").update(text).digest("base64")}'`);
    }
  });

  it.each(["style", "script"])(
    "without <!-- %s --> are named with what to write, and nothing is deployed",
    async (name) => {
      const html = readFileSync(join(ROOT, "src/features/page/browser/index.html"), "utf8");
      fork.write("src/features/page/browser/main.ts", "export {};\n");
      fork.write("src/features/page/browser/index.html", html.replace(`<!-- ${name} -->`, ""));
      expect(await discover()).toMatchObject({
        status: 1,
        stderr: `1 problem(s) in the page at /:
src/features/page/browser/index.html
  problem: it has no place for the ${name} of the page
  fix:     write <!-- ${name} --> ${name === "style" ? "at the end of its head" : "at the end of its body"}
`,
      });
      fork.write("src/features/page/browser/index.html", html);
    },
  );

  it("without index.html are named, and nothing is deployed", async () => {
    const html = readFileSync(join(ROOT, "src/features/page/browser/index.html"), "utf8");
    fork.delete("src/features/page/browser/index.html");
    expect(await discover()).toMatchObject({
      status: 1,
      stderr: `1 problem(s) in the page at /:
src/features/page/browser/index.html
  problem: it cannot be read (ENOENT)
  fix:     correct it, or turn the page off (docs/connect.md)
`,
    });
    fork.write("src/features/page/browser/index.html", html);
  });

  it("with a mistake are named with the line, and nothing is deployed", async () => {
    fork.write("src/features/page/browser/main.ts", "export {};\nlet x = ;\n");
    expect(await discover()).toMatchObject({
      status: 1,
      stderr: `1 problem(s) in the page at /:
src/features/page/browser/main.ts:2
  problem: Unexpected ";"
  fix:     correct it, or turn the page off (docs/connect.md)
`,
    });
  });
});

it.each([
  [undefined, undefined],
  ["owner/name", "https://github.com/owner/name/blob/HEAD/docs/"],
  ["github:owner/name", "https://github.com/owner/name/blob/HEAD/docs/"],
  ["git+https://github.com/owner/name.git", "https://github.com/owner/name/blob/HEAD/docs/"],
  ["https://git.example.com:8443/group/sub/name", "https://git.example.com:8443/group/sub/name/blob/HEAD/docs/"],
  ["git@github.com:owner/name.git", undefined],
  ["javascript:alert(1)//https://example.com/a", undefined],
  [{ url: 1 }, undefined],
])("the documentation of the repository %j is at %s", (repository, url) => {
  expect(docsUrl(repository)).toBe(url);
});
