/**
 * A view in a host that others wrote: the MCP Inspector, whose web client shows views by the AppBridge of
 * `@modelcontextprotocol/ext-apps`, in a frame with the policy that the view's tool asks for.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, FrameLocator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, launch } from "../../../support/node/chromium.ts";
import { type Fork, makeFork, type Served, serveBuilt } from "../../../support/node/fork.ts";
import { type Inspector, openApp, startInspector } from "../../../support/node/inspector.ts";

const executablePath = findChromium("test/features/views/browser/host.slow.test.ts");

/** A server that says who asked, and answers every page. */
class Elsewhere {
  readonly asked: string[] = [];
  readonly #server: Server = createServer(({ url = "" }, response) => {
    this.asked.push(url);
    response.writeHead(200, { "access-control-allow-origin": "*" }).end("an answer");
  });
  async open(): Promise<string> {
    await new Promise<void>((ready) => this.#server.listen(0, "127.0.0.1", ready));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

describe.skipIf(!executablePath)("a view in the Inspector", () => {
  const [near, far] = [new Elsewhere(), new Elsewhere()];
  let urls: { allowed: string; forbidden: string };
  let fork: Fork;
  let served: Served;
  let browser: Browser;
  beforeAll(async () => {
    urls = { allowed: await near.open(), forbidden: await far.open() };
    fork = makeFork("test/fixtures/views");
    const source = fork.read("tools/probe/show.ts");
    fork.write("tools/probe/show.ts", source.replace("https://allowed.example", urls.allowed));
    [served, browser] = await Promise.all([serveBuilt(fork), launch(executablePath as string)]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    fork?.remove();
    near.close();
    far.close();
  });

  describe.each(["legacy", "modern"] as const)("that speaks to the server in the %s era", (era) => {
    let inspector: Inspector;
    let page: Page;
    let view: FrameLocator;
    beforeAll(async () => {
      inspector = await startInspector(`${served.url}/mcp`, era);
      ({ page, view } = await openApp(browser, inspector, "Probe_Show", urls));
    });
    afterAll(async () => {
      await page?.close();
      await inspector?.stop();
    });

    /** Clicks a button of the view, and waits for a line that it prints. */
    async function click(name: string, line: string): Promise<void> {
      await view.getByRole("button", { name }).click();
      await view.getByText(line).waitFor();
    }

    it("is shown, and filled with the input and the result of the call", async () => {
      const { allowed, forbidden } = urls;
      await view.getByRole("heading", { name: `${allowed.length + forbidden.length} characters` }).waitFor();
      await view.getByText("allowed and forbidden").waitFor();
    });

    it("has the theme of the host, now and when it changes", async () => {
      await view.getByText("theme: light").waitFor();
      await page.getByRole("button", { name: "Toggle color scheme" }).click();
      await view.getByText("theme: dark").waitFor();
    });

    it("calls a tool that only views see, and gets its value", async () => {
      await click("Count", "counted 4");
    });

    it("gets the words of a tool that fails", async () => {
      await click("Fail", "the tool has failed: Not today");
    });

    it("says something in the user's name", async () => {
      await click("Say", "said");
      await page.getByText("Said by the view").waitFor();
    });

    it("fetches from the origin that its tool names", async () => {
      await click("Fetch what is allowed", "got an answer");
      expect(near.asked.length).toBeGreaterThan(0);
    });

    it("is refused what its tool does not name: nothing of it leaves the browser", async () => {
      await click("Fetch what is forbidden", `refused by connect-src: ${urls.forbidden}`);
      await click("Load a picture", "refused by img-src");
      await click("Load a script", "refused by script-src-elem");
      expect(far.asked).toEqual([]);
      // The server is there: only the view may not ask it.
      expect(await (await fetch(urls.forbidden)).text()).toBe("an answer");
      far.asked.length = 0;
    });
  });
});
