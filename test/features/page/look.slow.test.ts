/** How the page at / looks and feels in Chromium: for screen readers, on phones, in the dark, at its first paint. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violationsIn } from "../../support/node/axe.ts";
import { findChromium, launch } from "../../support/node/chromium.ts";
import { until } from "../../support/node/fork.ts";
import { type FrontPage, serveFrontPage, visit } from "../../support/node/visit.ts";

const executablePath = findChromium("test/features/page/look.slow.test.ts");

const LOOKS: Readonly<Record<string, BrowserContextOptions>> = {
  light: {},
  dark: { colorScheme: "dark" },
  "a phone": { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  "a small phone in the dark": { viewport: { width: 320, height: 640 }, colorScheme: "dark" },
};

/** What to look at: an address, and what to do there. */
const PLACES: Readonly<Record<string, readonly [path: string, act: (page: Page) => Promise<void>]>> = {
  "the first view": ["/", (page) => page.getByRole("link", { name: "All clients" }).waitFor()],
  "a result and the wire": ["/#/tool/Math.Add", (page) => add(page, "1")],
  "a failure": ["/#/tool/Math.Add", (page) => add(page, "13")],
  "wrong input": ["/#/tool/Math.Add", (page) => add(page, "2000")],
  "a question": [
    "/#/tool/Orders.Place",
    async (page) => {
      await page.getByLabel("cake").fill("Sachertorte");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByRole("form", { name: "The tool asks" }).waitFor();
    },
  ],
  code: ["/#/tool/Math.Add", (page) => page.getByRole("tab", { name: "Call it from code" }).click()],
  "a definition": ["/#/tool/Math.Add", (page) => page.getByRole("tab", { name: "Definition" }).click()],
  "long texts": ["/#/tool/Odd.LongText", (page) => page.getByLabel("length").waitFor()],
  "a prompt": ["/#/prompt/Orders_Menu", (page) => page.getByLabel("day").waitFor()],
  "a resource": ["/#/resource/pictures%3A%2F%2Fall", (page) => page.getByText("one red dot").waitFor()],
  hosts: ["/#/connect", (page) => page.getByRole("heading", { name: "Cursor" }).waitFor()],
  nothing: ["/#/tool/Nothing", (page) => page.getByRole("heading", { name: /There is no/ }).waitFor()],
};

async function add(page: Page, a: string): Promise<void> {
  await page.getByLabel("a", { exact: true }).fill(a);
  await page.getByLabel("b", { exact: true }).fill("2");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  if (a === "2000") return;
  await page.getByRole("region", { name: /^(Result|Error)$/ }).waitFor();
  await page.getByText("POST /tools/call").click();
}

describe.skipIf(!executablePath)("the look of the page", () => {
  let server: FrontPage;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([serveFrontPage(), launch(executablePath as string)]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  describe.each(Object.entries(LOOKS))("%s", (_, look) => {
    it.each(Object.entries(PLACES))("%s: axe finds nothing, and nothing is too wide", async (_, [path, act]) => {
      const { page, complaints } = await visit(browser, server.url + path, look);
      try {
        await act(page);
        expect(await violationsIn(page)).toEqual([]);
        expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
        expect(complaints).toEqual([]);
      } finally {
        await page.context().close();
      }
    });
  });

  it.each(["light", "a phone"])(
    "%s: shows the server's name with the first request, and nothing moves while the tools arrive",
    async (look) => {
      const { page } = await visit(browser, "about:blank", LOOKS[look]);
      const asked: string[] = [];
      let go = () => {};
      const later = new Promise<void>((free) => {
        go = free;
      });
      await page.route("**/*", async (route) => {
        asked.push(new URL(route.request().url()).pathname);
        if (asked.length > 1) await later;
        await route.continue();
      });
      await page.addInitScript(`
      globalThis.shift = 0;
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) shift += value;
      }).observe({ type: "layout-shift", buffered: true });`);
      await page.goto(server.url, { waitUntil: "commit" });
      // Not waitForFunction: the policy of the page forbids what that does with texts.
      await until(() => page.evaluate<boolean>("performance.getEntriesByName('first-contentful-paint').length > 0"));
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("trivet");
      go();
      await page.getByRole("link", { name: "All clients" }).waitFor();
      await page.waitForTimeout(300);
      expect(asked[0]).toBe("/");
      // 0.1 counts as good (web.dev, Cumulative Layout Shift). Here, only what stands still counts.
      expect(await page.evaluate<number>("shift")).toBeLessThan(0.02);
      await page.context().close();
    },
  );

  it.each([
    ["no-preference", true],
    ["reduce", false],
  ] as const)("a reader whose preference for motion is %s: things move: %s", async (reducedMotion, isMoving) => {
    const { page } = await visit(browser, "about:blank", { reducedMotion });
    // Nothing arrives, so that it goes on loading.
    await page.route(/\/(tools|mcp)$/, () => {});
    await page.goto(server.url);
    expect((await page.evaluate<number>("document.getAnimations().length")) > 0).toBe(isMoving);
    await page.context().close();
  });
});
