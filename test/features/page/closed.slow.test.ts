/** The page at / of a deployment that asks who calls, in Chromium. docs/connect.md, Who sees what. */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { findChromium, launch } from "../../support/node/chromium.ts";
import { type FrontPage, serveFrontPage, type Visit, visit } from "../../support/node/visit.ts";

const executablePath = findChromium("test/features/page/closed.slow.test.ts");

describe.skipIf(!executablePath)("the page of a closed deployment", () => {
  let server: FrontPage;
  let browser: Browser;
  let now: Visit | undefined;
  beforeAll(async () => {
    [server, browser] = await Promise.all([
      serveFrontPage({ closed: true, signIn: true }),
      launch(executablePath as string),
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });
  afterEach(async () => {
    const complaints = now?.complaints;
    await now?.page.context().close();
    expect(complaints ?? []).toEqual([]);
    now = undefined;
  });

  async function go(path = "/"): Promise<Page> {
    now = await visit(browser, server.url + path);
    await now.page.getByLabel("Key or token").waitFor();
    return now.page;
  }
  async function enter(page: Page, key: string): Promise<void> {
    await page.getByLabel("Key or token").fill(key);
    await page.getByRole("button", { name: "Use it" }).click();
  }
  const tool = (page: Page, name: string) => page.getByRole("navigation").getByRole("link", { name });

  it("asks for a key, and shows nothing of the tools before", async () => {
    const page = await go("/#/tool/Math.Add");
    expect(await page.getByRole("heading", { name: "This server asks who you are" }).count()).toBe(1);
    expect(await page.content()).not.toContain("Adds numbers");
    expect(await page.getByRole("navigation").count()).toBe(0);
  });

  it("says without a key how to connect a client, which may sign in by itself", async () => {
    const page = await go();
    await page.getByRole("link", { name: "Connect" }).click();
    await page.getByRole("heading", { name: "Connect a client" }).waitFor();
    expect(await page.getByRole("main").textContent()).toContain(`${server.url}/mcp`);
    expect(await page.content()).not.toContain("Adds numbers");
    await page.getByRole("link", { name: "trivet" }).click();
    await page.getByLabel("Key or token").waitFor();
  });

  it("refuses a wrong key in plain words", async () => {
    const page = await go();
    await enter(page, "trivet_0000000000000000_wrong");
    await page
      .getByRole("status")
      .filter({ hasText: /key|credential/ })
      .waitFor();
    expect(await page.getByRole("navigation").count()).toBe(0);
    await enter(page, "two words");
    await page.getByText("This is not a key").waitFor();
  });

  it("shows and runs what the key may, at the address that was opened", async () => {
    const key = await server.makeKey({ toolkits: ["math"] });
    const page = await go("/#/tool/Math.Add");
    await enter(page, key);
    await page.getByRole("heading", { name: "Math.Add" }).waitFor();
    expect(await page.getByRole("navigation").getByRole("link").count()).toBe(1);
    await page.getByLabel("a", { exact: true }).fill("1");
    await page.getByLabel("b", { exact: true }).fill("2");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText('"sum": 3').waitFor();
    await page.getByText("POST /tools/call").click();
    await page.getByText("authorization").waitFor();
    // Not in anything that a screenshot or a copied text would have, nor where it outlives the page.
    expect(await page.content()).not.toContain(key.slice(-20));
    expect(await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])")).toBe(
      '[{},{},""]',
    );
    await page.getByRole("tab", { name: "Call it from code" }).click();
    await page.getByText("TRIVET_KEY").first().waitFor();
    expect(await page.content()).not.toContain(key.slice(-20));
    await page.reload();
    await page.getByLabel("Key or token").waitFor();
  });

  it("forgets the key, and all that it showed", async () => {
    const page = await go();
    await enter(page, await server.makeKey({ toolkits: ["math", "vault"], scopes: ["vault:open"] }));
    await tool(page, "Open").click();
    await page.getByText("needs the scope vault:open").waitFor();
    await page.getByRole("button", { name: "Forget the key" }).click();
    await page.getByLabel("Key or token").waitFor();
    expect(await page.content()).not.toContain("vault");
    expect(page.url()).toBe(`${server.url}/#/`);
    expect(await page.title()).toBe("trivet");
  });

  it("sends a secret for the tool, and shows it nowhere", async () => {
    const page = await go("/#/tool/Vault.Open");
    await enter(page, await server.makeKey({ scopes: ["*"] }));
    await page.getByLabel("Secret VAULT_CODE").fill("4711-0815-42");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("region", { name: "Result", exact: true }).waitFor();
    await page.getByText("POST /tools/call").click();
    await page.getByText("VAULT_CODE").last().waitFor();
    expect(await page.getByRole("region", { name: "Result", exact: true }).textContent()).toContain("12");
    expect(await page.content()).not.toContain("4711-0815-42");
  });

  it("says what a tool lacks", async () => {
    const page = await go("/#/tool/Vault.Open");
    await enter(page, await server.makeKey({ scopes: ["*"] }));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    const error = page.getByRole("region", { name: "Error", exact: true });
    await error.getByText("Something is missing").waitFor();
    expect(await error.textContent()).toContain("VAULT_CODE");
  });

  it("says that a sign-in failed, and goes on", async () => {
    const page = await go("/?error=access_denied&state=nobody#/tool/Math.Add");
    await page.getByRole("alert").waitFor();
    expect(page.url()).toBe(`${server.url}/#/tool/Math.Add`);
    await enter(page, await server.makeKey());
    await page.getByRole("heading", { name: "Math.Add" }).waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("signs in on the server's own page, and comes back to the tool", async () => {
    const key = await server.makeKey({ toolkits: ["math"] });
    const page = await go("/#/tool/Math.Add");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/authorize/);
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "Math.Add" }).waitFor();
    expect(page.url()).toBe(`${server.url}/#/tool/Math.Add`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Key or token").waitFor();
  });
});
