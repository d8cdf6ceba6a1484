/**
 * A person signs in with a real browser, from the app's link to its callback, on a small phone's width and in dark
 * mode. Elements are found by role and label, and the browser enforces its own rules (policy, cookies). Needs Chromium:
 * the one in the variable CHROMIUM, or one on the path.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, launch } from "../../support/node/chromium.ts";
import { expectReadable } from "../../support/node/contrasts.ts";
import { Attempt, type Client, register } from "../../support/node/sign-in/person.ts";
import { openPlace, type Place } from "../../support/node/sign-in/place.ts";

const executablePath = findChromium("test/features/sign-in/browser.slow.test.ts");

describe.skipIf(!executablePath)("in Chromium", () => {
  let place: Place;
  let app: Server;
  let callback: string;
  let client: Client;
  let browser: Browser;
  /** URLs requested from the app's server. */
  const visits: URL[] = [];
  beforeAll(async () => {
    place = await openPlace();
    // Apps often redirect from their callback: the browser checks its rule for forms against the whole chain.
    app = createServer((request, response) => {
      const url = new URL(request.url ?? "", callback);
      visits.push(url);
      if (url.pathname === "/callback") response.writeHead(302, { location: "/done" }).end();
      else response.writeHead(200, { "content-type": "text/html" }).end("<title>Back in the app</title>");
    });
    await new Promise<void>((ready) => app.listen(0, "127.0.0.1", ready));
    callback = `http://127.0.0.1:${(app.address() as AddressInfo).port}/callback`;
    client = await register(place.url, { client_name: "Letter Opener", redirect_uris: [callback] });
    browser = await launch(executablePath as string);
  });
  afterAll(async () => {
    await browser?.close();
    app?.close();
    await place?.stop();
  });

  async function open(look: object = {}, ask: Record<string, string> = {}) {
    const page = await browser.newPage(look);
    const complaints: string[] = [];
    page.on("console", (message) => {
      // Chromium logs every status of 400 and above; a wrong key is expected to have one.
      if (!/the server responded with a status of 403/.test(message.text())) complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    const attempt = new Attempt(place.url, client);
    await page.goto(`${place.url}/authorize?${attempt.query({ scope: "tools post.read", ...ask })}`);
    return { page, attempt, complaints };
  }

  const focused = (page: Page) =>
    page.evaluate<string>("document.activeElement.id || document.activeElement.textContent");

  it("leads from the app through a wrong key and a right one back to the app", async () => {
    const key = await place.makeKey();
    const { page, attempt, complaints } = await open();
    expect(await page.title()).toBe("Sign in · trivet");
    await page.getByRole("heading", { level: 1, name: "Connect Letter Opener to trivet" }).waitFor();
    const field = page.getByLabel("API key");
    expect(await focused(page)).toBe("key");
    await field.fill(`trivet_${"0".repeat(16)}_${"A".repeat(43)}`);
    await page.keyboard.press("Enter");

    await page.getByRole("alert").filter({ hasText: "This key is not valid here." }).waitFor();
    expect(await page.title()).toBe("Error: Sign in · trivet");
    expect(await focused(page)).toBe("key");
    expect(await field.inputValue()).toBe("");
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    await field.fill(key.text);
    await page.getByRole("button", { name: "Continue" }).click();

    await page.getByRole("heading", { level: 1, name: "Allow Letter Opener to use this server?" }).waitFor();
    expect(page.url()).not.toContain("trivet_");
    expect(await page.getByRole("listitem").allInnerTexts()).toEqual([
      "Post.Read with post.read",
      "Post.Weigh",
      "Post.Send with post.send",
      "Vault.Open with vault.open",
    ]);
    expect(await page.getByRole("group", { name: "Scopes" }).getByRole("checkbox").count()).toBe(2);
    await page.getByRole("checkbox", { name: "post.read" }).uncheck();
    await page.getByRole("button", { name: "Allow" }).click();

    await page.waitForURL("**/done");
    expect(await page.title()).toBe("Back in the app");
    const arrived = visits.find(({ searchParams }) => searchParams.get("state") === attempt.state);
    const { body } = await attempt.exchange(arrived?.searchParams.get("code") ?? "");
    expect(body).toMatchObject({ scope: "tools", token_type: "bearer" });
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("accepts a refusal on either page", async () => {
    const key = await place.makeKey();
    for (const step of ["Cancel", "Deny"]) {
      const { page, attempt, complaints } = await open();
      if (step === "Deny") {
        await page.getByLabel("API key").fill(key.text);
        await page.keyboard.press("Enter");
        await page.getByRole("button", { name: "Deny" }).click();
        await page.getByText("Access denied").waitFor();
        await page.getByRole("link").click();
      } else await page.getByRole("link", { name: "Cancel" }).click();
      await page.waitForURL("**/done");
      const arrived = visits.find(({ searchParams }) => searchParams.get("state") === attempt.state);
      expect([step, arrived?.searchParams.get("error")]).toEqual([step, "access_denied"]);
      expect(complaints).toEqual([]);
      await page.close();
    }
  });

  it("works by keyboard alone, in reading order", async () => {
    const key = await place.makeKey();
    const { page } = await open();
    const stops = [await focused(page)];
    for (let i = 0; i < 2; i++) {
      await page.keyboard.press("Tab");
      stops.push(await focused(page));
    }
    expect(stops).toEqual(["key", "Continue", "Cancel"]);
    await page.getByLabel("API key").fill(key.text);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    const later = [];
    for (let i = 0; i < 4; i++) {
      await page.keyboard.press("Tab");
      later.push(await focused(page));
    }
    expect(later).toEqual(["s0", "s1", "Allow", "Deny"]);
    await page.close();
  });

  it("tolerates a double click", async () => {
    const key = await place.makeKey();
    const { page } = await open();
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "POST" && sent.push(request.url()));
    // A slow answer leaves time for the second click.
    const network = { offline: false, latency: 1_500, downloadThroughput: -1, uploadThroughput: -1 };
    await (await page.context().newCDPSession(page)).send("Network.emulateNetworkConditions", network);
    await page.getByLabel("API key").fill(key.text);
    for (const name of ["Continue", "Allow"]) {
      const button = page.getByRole("button", { name });
      await button.scrollIntoViewIfNeeded();
      const { x = 0, y = 0 } = (await button.boundingBox()) ?? {};
      await page.mouse.click(x + 5, y + 5);
      await new Promise((resume) => setTimeout(resume, 150));
      await page.mouse.click(x + 5, y + 5);
    }
    await page.waitForURL("**/done");
    expect(sent, "each form is sent once").toHaveLength(2);
    await page.close();
  });

  it.each([
    ["light", 320],
    ["dark", 320],
    ["light", 1280],
    ["dark", 1280],
  ] as const)("is readable in %s at %i px", async (colorScheme, width) => {
    const key = await place.makeKey();
    const { page } = await open({ colorScheme, viewport: { width, height: 640 } });
    const look = (name: string) => expectReadable(page, `${name}-${colorScheme}-${width}`);
    await look("key");
    await page.getByLabel("API key").fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await look("wrong");
    await page.getByLabel("API key").fill(key.text);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Allow" }).waitFor();
    await look("consent");
    await page.goto(`${place.url}/authorize`);
    await look("error");
    await page.close();
  });
});
