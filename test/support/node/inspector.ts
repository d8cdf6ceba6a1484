/** The MCP Inspector as a host of views: its web client, which shows them by the extension's own AppBridge. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { end, freePort, until } from "./fork.ts";
import { spawn } from "./processes.ts";

const BIN = resolve(import.meta.dirname, "../../../node_modules/.bin/inspector");
/** Whoever has it may use an Inspector that a test has started. */
export const INSPECTOR_TOKEN = "token";

export interface Inspector {
  /** Of its page, with the token. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * @param server the one that it lists; by default none, and a link names one
 * @param era how it talks to that server: "legacy" is with a handshake, "modern" is 2026-07-28
 */
export async function startInspector(server?: string, era: "legacy" | "modern" = "legacy"): Promise<Inspector> {
  const home = mkdtempSync(join(tmpdir(), "trivet-home-"));
  const [port, sandbox, origin] = await Promise.all([freePort(), freePort(), freePort()]);
  const env = {
    ...process.env,
    HOME: home,
    HOST: "127.0.0.1",
    CLIENT_PORT: String(port),
    MCP_SANDBOX_PORT: String(sandbox),
    MCP_APP_ORIGIN_PORT: String(origin),
    MCP_AUTO_OPEN_ENABLED: "false",
    MCP_INSPECTOR_API_TOKEN: INSPECTOR_TOKEN,
  };
  const listed = server ? ["--server-url", server, "--transport", "http", "--protocol-era", era] : [];
  const child = spawn(process.execPath, [BIN, "--web", ...listed], {
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  const url = `http://127.0.0.1:${port}`;
  await until(async () => child.exitCode !== null || (await fetch(url)).ok);
  if (child.exitCode !== null) throw new Error(`The Inspector did not start:\n${printed}`);
  return {
    url: `${url}/?MCP_INSPECTOR_API_TOKEN=${INSPECTOR_TOKEN}`,
    async stop() {
      await end(child);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Opens its page, connects it with the server, calls the tool as a person would, and returns the page and the view. */
export async function openApp(
  browser: Browser,
  { url }: Inspector,
  tool: string,
  input: Readonly<Record<string, string>>,
): Promise<{ page: Page; view: FrameLocator }> {
  const page = await browser.newPage();
  // It loads a font of the web, for which a test does not wait.
  await page.route(
    ({ hostname }) => hostname !== "127.0.0.1",
    (route) => route.abort(),
  );
  await page.goto(url);
  // The switch is drawn by something else, which is above it.
  await page.getByRole("switch", { name: /^Connect or disconnect/ }).click({ force: true });
  await page.getByText("Apps", { exact: true }).click();
  await page.getByRole("button", { name: tool }).click();
  for (const [name, value] of Object.entries(input)) await page.getByRole("textbox", { name }).fill(value);
  await page.getByRole("button", { name: "Open App" }).click();
  return { page, view: page.frameLocator("iframe").frameLocator("iframe") };
}
