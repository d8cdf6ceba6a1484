/** A person loses the connection while a long tool runs, sees it, and gets the result all the same. Needs Chromium. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, launch } from "../../../../support/node/chromium.ts";
import { type FrontPage, serveFrontPage, visit } from "../../../../support/node/visit.ts";

const executablePath = findChromium("test/features/page/browser/api/lost-connection.slow.test.ts");

describe.skipIf(!executablePath)("in Chromium", () => {
  let server: FrontPage;
  let browser: Browser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([serveFrontPage(), launch(executablePath as string)]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("says that the connection was lost, and goes on when it is back", async () => {
    const { page, complaints } = await visit(browser, `${server.url}/#/tool/Orders.Bake`);
    const status = page.getByRole("status");
    await page.getByLabel("cakes").fill("12");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    // From the first of these on, the tool runs as a task.
    await page.getByText("POST /mcp tasks/get").first().waitFor();
    await status.filter({ hasText: /Baking cake \d+ of 12/ }).waitFor();
    await page.context().setOffline(true);
    await status.filter({ hasText: "The server cannot be reached." }).waitFor();
    await status.filter({ hasText: "The call goes on meanwhile." }).waitFor();
    await page.context().setOffline(false);
    const result = page.getByRole("region", { name: "Result", exact: true });
    await result.waitFor();
    expect(await result.textContent()).toContain("12");
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
