/** Tests the size in the README: that of the framework, because a fork's tools belong to its owner. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { FIGURES, withRoom } from "./figures.ts";
import { core } from "./size.ts";
import { PAGE } from "./support/node/page.ts";
import { mayStart } from "./support/node/processes.ts";

// Builds by wrangler, whose size is what is measured.
mayStart(3);

it("a fork with one tool is hardly larger than last measured", () => {
  const { size, code } = core();
  console.log(`upload: ${size} KiB gzip`);
  expect(size).toBeGreaterThan(10);
  expect(size).toBeLessThan(withRoom(FIGURES.oneToolKiB));
  // Messages of parts that are bundled only if wrangler.toml turns them on: tokens and sign-in.
  expect(code).not.toMatch(/ERR_JWT_EXPIRED|authorization_code/);
});

it("the page at / adds little to the Worker: its files are uploaded beside it", () => {
  const [plain = 0, served = 0] = ["", PAGE].map((toml) => core(toml).code.length);
  const added = served - plain;
  console.log(`the page at /: ${added} bytes of the Worker`);
  expect(added).toBeGreaterThan(100);
  expect(added).toBeLessThan(withRoom(FIGURES.pageBytes));
});

it("the README gives its size", () => {
  const readme = readFileSync(resolve(import.meta.dirname, "../README.md"), "utf8");
  expect(readme).toContain(`about ${Math.round(FIGURES.oneToolKiB)} KiB after gzip`);
});
