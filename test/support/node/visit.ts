/** The page at / of a real Worker, opened in Chromium as a person would. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import type { KeyTerms } from "../../../src/core/ports/key-records.ts";
import { keysOf } from "./deployed.ts";
import { makeFork, type ServedBuilt, serveBuilt, testSettings } from "./fork.ts";
import { WORKFLOW } from "./long.ts";
import { PAGE } from "./page.ts";

export interface FrontPage extends ServedBuilt {
  /** Makes a key, as `npm run keys` does, and returns its text. */
  makeKey(terms?: Partial<KeyTerms>): Promise<string>;
}

interface Given {
  /** Whether it requires credentials, as a deployment does by default. */
  readonly closed?: boolean;
  readonly signIn?: boolean;
  /** A folder, or files by their path in `tools/`. */
  readonly tools?: string | Record<string, string>;
}

/** Serves tools with the page. */
export async function serveFrontPage(given: Given = {}): Promise<FrontPage> {
  const { closed = false, signIn = false, tools = "test/fixtures/front-page" } = given;
  const fork = makeFork(tools, { settings: `${testSettings({ closed, signIn })}\n${PAGE}${WORKFLOW}` });
  const served = await serveBuilt(fork);
  return {
    ...served,
    async stop() {
      await served.stop();
      fork.remove();
    },
    makeKey: async (terms) => (await (await keysOf(served)).makeKey({ name: "person", ...terms })).text,
  };
}

export interface Visit {
  readonly page: Page;
  /** What the browser complained of: errors, broken rules of the policy, and requests to other hosts. */
  readonly complaints: readonly string[];
}

/** Opens an address of the server. Each visit is a browser of its own, without anything that others left. */
export async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  const { origin } = new URL(url);
  page.on("console", (message) => {
    // Chromium logs every status of 400 and above, and tests cause them on purpose.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
      complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    const to = new URL(request.url());
    if (to.protocol.startsWith("http") && to.origin !== origin) complaints.push(`requested ${to.origin}`);
  });
  await page.addInitScript(`addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    console.error("policy: " + violatedDirective + " " + blockedURI));`);
  await page.goto(url);
  return { page, complaints };
}
