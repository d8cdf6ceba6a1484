/** Tests the size in the README, and what is evaluated at start: of the framework, because a fork's tools are its own. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Metafile } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { manyTools } from "./bench/forks.ts";
import { FIGURES, withRoom } from "./figures.ts";
import { oneTool } from "./size.ts";
import { bundle } from "./support/node/bundle.ts";
import { makeFork, testSettings } from "./support/node/fork.ts";
import { PAGE } from "./support/node/page.ts";
import { mayStart } from "./support/node/processes.ts";
import { isUpstream } from "./support/node/upstream.ts";
import { isSlow } from "./support/tier.ts";

// In the slow tier, a build by wrangler: that is what is uploaded.
mayStart(isSlow ? 1 : 0);

describe("a fork with one tool", () => {
  let built: Awaited<ReturnType<typeof oneTool>>;
  beforeAll(async () => {
    built = await oneTool();
  });

  it("is hardly larger than last measured", () => {
    const { size, code } = built;
    console.log(`upload: ${size} KiB gzip`);
    expect(size).toBeGreaterThan(10);
    expect(size).toBeLessThan(withRoom(FIGURES.oneToolKiB));
    // Messages of parts that are bundled only if wrangler.toml turns them on: tokens and sign-in.
    expect(code).not.toMatch(/ERR_JWT_EXPIRED|authorization_code/);
  });

  it(`evaluates about ${FIGURES.modulesAtStart} modules at start, and no tool`, () => {
    const { metafile } = built;
    const entry = Object.keys(metafile.inputs).find((path) => path.endsWith("src/index.ts")) ?? "";
    const modules = evaluatedAtStart(metafile, entry);
    console.log(`${modules.length} modules are evaluated at start`);
    expect(modules.filter((path) => /(^|\/)tools\//.test(path))).toEqual([]);
    expect(modules.length).toBeGreaterThan(50);
    expect(modules.length).toBeLessThan(withRoom(FIGURES.modulesAtStart));
  });
});

/** Modules evaluated before the first request: the entry's static imports and theirs, without `import()`. */
function evaluatedAtStart({ inputs }: Metafile, entry: string): string[] {
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path) || inputs[path] === undefined) return;
    seen.add(path);
    for (const { path: imported, kind, external } of inputs[path].imports) {
      if (!external && kind !== "dynamic-import") visit(imported);
    }
  };
  visit(entry);
  return [...seen];
}

it("the page at / adds little to the Worker: its files are uploaded beside it", async () => {
  const fork = makeFork(manyTools(1));
  const sizes: number[] = [];
  for (const toml of ["", PAGE]) {
    fork.write("wrangler.toml", testSettings() + toml);
    await bundle(fork.root, join(fork.root, "dist"));
    sizes.push(fork.read("dist/index.js").length);
  }
  fork.remove();
  const [plain = 0, served = 0] = sizes;
  const added = served - plain;
  console.log(`the page at /: ${added} bytes of the Worker`);
  expect(added).toBeGreaterThan(100);
  expect(added).toBeLessThan(withRoom(FIGURES.pageBytes));
});

it.skipIf(!isUpstream)("the README gives its size", () => {
  const readme = readFileSync(resolve(import.meta.dirname, "../README.md"), "utf8");
  expect(readme).toContain(`about ${Math.round(FIGURES.oneToolKiB)} KiB after gzip`);
});
