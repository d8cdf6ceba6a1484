/** Finds the browser of tests: the one in the variable CHROMIUM, or one on the path. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const SWITCHES =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync " +
  // Pages that a test makes up have no address, and would need a permission to call a server on this machine.
  "--disable-features=LocalNetworkAccessChecks";

/** @param test is named in the message that it is skipped. @returns the path of the browser; undefined if there is none */
export function findChromium(test: string): string | undefined {
  const found = process.env.CHROMIUM || onPath();
  if (!found) console.error(`No Chromium: ${test} is skipped (name one in CHROMIUM)`);
  return found;
}

function onPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const names = ["chromium", "chromium-browser", "google-chrome"];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: SWITCHES.split(" ") });
}
