/** The page at / under `npm start`, in a fork that was just cloned: it is there, and so is a change of it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Fork, makeFork, type Started, start, testSettings, until } from "../../support/node/fork.ts";
import { PAGE } from "../../support/node/page.ts";
import { mayStart } from "../../support/node/processes.ts";

// The server, as a person starts it.
mayStart(1);

let fork: Fork;
let served: Started;
beforeAll(async () => {
  fork = makeFork({}, { copied: true });
  const settings = testSettings().replace('watch_dir = "tools"', 'watch_dir = ["tools", "src/features/page/browser"]');
  fork.write("wrangler.toml", settings + PAGE);
  served = await start(fork);
});
afterAll(async () => {
  await served?.stop();
  fork?.remove();
});

const page = async () => (await fetch(served.url, { headers: { accept: "text/html" } })).text();

it("is served, and the banner says where", async () => {
  expect(await page()).toMatch(/^<!doctype html>.*<title>trivet<\/title>/is);
  expect(served.printed()).toContain(`\n  Page      ${served.url}/\n`);
});

it("shows a change after it is loaded again; a mistake leaves the page as it was", async () => {
  const style = "src/features/page/browser/style/main.css";
  const text = readFileSync(join(fork.root, style), "utf8");
  fork.write(style, `${text}\n.changed { color: red; }\n`);
  await until(async () => (await page()).includes(".changed{color:red}"));
  fork.write("src/features/page/browser/main.ts", "let x = ;\n");
  await until(async () => served.printed().includes("src/features/page/browser/main.ts:1"));
  expect(await page()).toContain(".changed{color:red}");
});
