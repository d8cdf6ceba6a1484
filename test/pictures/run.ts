/**
 * `npm run pictures`: takes the pictures and the film of the page at `/` that README shows, and those of a view in a
 * host, from a real server with the tools in `tools/`. test/pictures/scenario.ts says what is done in front of the
 * camera. Needs Chromium: the one in the variable CHROMIUM, or one on the path.
 *
 *   npm run pictures -- film        only those whose path has this word
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { findChromium, launch } from "../support/node/chromium.ts";
import { makeFork, start } from "../support/node/fork.ts";
import { startInspector } from "../support/node/inspector.ts";
import { take } from "./camera.ts";
import { SHOTS } from "./scenario.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const word = process.argv[2] ?? "";
const wanted = SHOTS.filter(({ path }) => path.includes(word));
if (wanted.length === 0) {
  console.error(`No picture has "${word}" in its path. There are: ${SHOTS.map(({ path }) => path).join(", ")}`);
  process.exit(1);
}
const executablePath = findChromium("npm run pictures");
if (!executablePath) process.exit(1);

// In a copy: the pictures show no data and no secret of this folder.
const fork = makeFork("tools");
fork.write("wrangler.toml", readFileSync(resolve(ROOT, "wrangler.toml"), "utf8"));
// The port that README names.
const server = await start(fork, "start", [], 8787);
const inspector = await startInspector();
const browser = await launch(executablePath);
try {
  for (const shot of wanted) {
    const picture = await take(browser, shot.host === "inspector" ? inspector.url : server.url, shot);
    const path = resolve(ROOT, shot.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, picture);
    const kib = (bytes: number) => `${Math.ceil(bytes / 1024)} KiB`;
    console.log(`${shot.path}: ${kib(picture.length)}`);
    if (picture.length > shot.mostBytes) {
      console.error(
        `  That is too large. It may have ${kib(shot.mostBytes)}: shorten its steps in test/pictures/scenario.ts`,
      );
      process.exitCode = 1;
    }
  }
} finally {
  await browser.close();
  await inspector.stop();
  await server.stop();
  fork.remove();
}
