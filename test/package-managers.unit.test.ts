/** What package managers read: the packages that may run a script at their installation, and which runtime comes of it. */
import { readFileSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

const ROOT = resolve(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(ROOT, file), "utf8");

it("pnpm lets the same packages run a script as npm does", () => {
  expect(parse(read("pnpm-workspace.yaml")).allowBuilds).toEqual(JSON.parse(read("package.json")).allowScripts);
});

it("the plugin of the tests takes wrangler's version, with both", () => {
  const { overrides, devDependencies } = JSON.parse(read("package.json"));
  const { wrangler, miniflare } = overrides["@cloudflare/vitest-plugin"];
  expect(wrangler).toBe("$wrangler");
  expect(parse(read("pnpm-workspace.yaml")).overrides).toEqual({
    "@cloudflare/vitest-plugin>wrangler": devDependencies.wrangler,
    "@cloudflare/vitest-plugin>miniflare": miniflare,
  });
});

it("npm test and npm start run the same workerd", () => {
  const [start, test] = ["wrangler", "@cloudflare/vitest-plugin"].map((name) => {
    const of = createRequire(realpathSync(join(ROOT, "node_modules", name, "package.json")));
    return createRequire(of.resolve("miniflare")).resolve("workerd/package.json");
  });
  expect(test).toBe(start);
});
