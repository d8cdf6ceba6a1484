/**
 * The page at / in a real browser, on the built Worker, used by roles and labels as people and screen readers find
 * them. After each test, nothing may have broken the page's policy or asked another host. Needs Chromium.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { findChromium, launch } from "../../support/node/chromium.ts";
import { until } from "../../support/node/fork.ts";
import { type FrontPage, serveFrontPage, type Visit, visit } from "../../support/node/visit.ts";
import { isSlow } from "../../support/tier.ts";

/** Runs in the page: by how many pixels the content is wider than the window. */
const TOO_WIDE = "document.documentElement.scrollWidth - innerWidth";

const executablePath = findChromium("test/features/page/page.node.test.ts");

describe.skipIf(!executablePath)("the page in Chromium", () => {
  let open: FrontPage;
  let browser: Browser;
  let now: Visit | undefined;
  /** In the fast tier, all tests go to the same page: to open one costs more than what they do there. */
  const isKept = !isSlow;
  beforeAll(async () => {
    [open, browser] = await Promise.all([serveFrontPage(), launch(executablePath as string)]);
  });
  afterAll(async () => {
    await browser?.close();
    await open?.stop();
  });
  afterEach(async () => {
    const complaints = now?.complaints;
    if (!isKept) await now?.page.context().close();
    expect(complaints ?? []).toEqual([]);
    if (!isKept) now = undefined;
  });

  async function go(path = "/", options = {}, url = open.url): Promise<Page> {
    if (now !== undefined) {
      // Otherwise the page would stay, and only go to another place in it.
      await now.page.goto("about:blank");
      await now.page.goto(`${url}${path}`);
      return now.page;
    }
    now = await visit(browser, `${url}${path}`, options);
    return now.page;
  }
  const result = (page: Page) => page.getByRole("region", { name: "Result", exact: true });
  const error = (page: Page) => page.getByRole("region", { name: "Error", exact: true });
  const run = (page: Page) => page.getByRole("button", { name: "Run", exact: true });
  const entry = (page: Page, name: string | RegExp) => page.getByRole("navigation").getByRole("link", { name });

  describe("finds", () => {
    it("lists toolkits, tools, prompts and resources", async () => {
      const page = await go();
      const list = page.getByRole("navigation");
      await list.getByRole("link").first().waitFor();
      const groups = ["Math", "Odd", "Orders", "Pictures", "Tally", "Prompts", "Resources"];
      expect(await list.getByRole("heading").allTextContents()).toEqual(groups);
      // Anonymous callers cannot get the scope of Vault.Open, so it does not exist for them.
      expect(await entry(page, /Open/).count()).toBe(0);
      expect(await page.title()).toBe("trivet");
    });

    it.runIf(isSlow)("searches names, descriptions and parameters", async () => {
      const page = await go();
      const found = async (words: string) => {
        await page.getByRole("searchbox").fill(words);
        return page.getByRole("navigation").getByRole("link").count();
      };
      await entry(page, /Add/).waitFor();
      expect(await found("bakes")).toBe(1);
      expect(await found("cake size")).toBe(1);
      expect(await found("nothing like this")).toBe(0);
      expect(await page.getByText("No matches.").count()).toBe(1);
    });

    it.runIf(isSlow)("opens a tool by its address, and another by the list, and comes back", async () => {
      const page = await go("/#/tool/Pictures.Draw");
      await page.getByRole("heading", { name: "Pictures.Draw" }).waitFor();
      await entry(page, /Add/).click();
      const heading = page.getByRole("heading", { name: "Math.Add" });
      await heading.waitFor();
      expect(await heading.evaluate((it) => it.ownerDocument.activeElement === it)).toBe(true);
      await page.goBack();
      await page.getByRole("heading", { name: "Pictures.Draw" }).waitFor();
    });

    it.runIf(isSlow)("says that an address leads nowhere", async () => {
      const page = await go("/#/tool/Nothing.Here");
      await page.getByRole("heading", { name: "There is no tool Nothing.Here" }).waitFor();
    });
  });

  describe("runs", () => {
    it("a tool, and shows what went over the wire", async () => {
      const page = await go("/#/tool/Math.Add");
      await page.getByLabel("a", { exact: true }).fill("20");
      await page.getByLabel("b", { exact: true }).fill("3");
      await run(page).click();
      await result(page).waitFor();
      expect(await result(page).textContent()).toContain('"sum": 23');
      await page.getByText("POST /tools/call").click();
      expect(await page.getByRole("region", { name: "request body" }).textContent()).toContain('"a": 20');
      expect(await page.getByRole("region", { name: "response body" }).textContent()).toContain('"sum": 23');
    });

    it.runIf(isSlow)("an earlier version", async () => {
      const page = await go("/#/tool/Math.Add");
      await page.getByLabel("Version").selectOption("1.0.0");
      await page.getByLabel("a", { exact: true }).fill("2000");
      await page.getByLabel("b", { exact: true }).fill("3");
      await run(page).click();
      await result(page).waitFor();
      expect(await result(page).textContent()).toContain("2003");
    });

    it("by keyboard alone", async () => {
      const page = await go();
      await entry(page, /Add/).waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("adds");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Math.Add" }).waitFor();
      const isAt = (label: string) =>
        page.getByLabel(label, { exact: true }).evaluate((it) => it.ownerDocument.activeElement === it);
      for (let tabs = 0; tabs < 20 && !(await isAt("a")); tabs++) await page.keyboard.press("Tab");
      expect(await isAt("a")).toBe(true);
      await page.keyboard.type("1");
      for (let tabs = 0; tabs < 5 && !(await isAt("b")); tabs++) await page.keyboard.press("Tab");
      await page.keyboard.type("2");
      await page.keyboard.press("Enter");
      await result(page).waitFor();
      expect(await result(page).textContent()).toContain('"sum": 3');
    });

    it.runIf(isSlow)("once for a double click, and once while Enter is held", async () => {
      const page = await go("/#/tool/Pictures.Draw");
      let calls = 0;
      await page.route("**/tools/call", (route) => {
        calls += 1;
        return route.continue();
      });
      await run(page).dblclick();
      await result(page).waitFor();
      expect(calls).toBe(1);
      await page.goto(`${open.url}/#/tool/Math.Add`);
      await page.getByLabel("a", { exact: true }).fill("1");
      await page.getByLabel("b", { exact: true }).fill("2");
      // Playwright repeats a key that is down already.
      for (let repeat = 0; repeat < 20; repeat++) await page.keyboard.down("Enter");
      await page.keyboard.up("Enter");
      await result(page).waitFor();
      expect(calls).toBe(2);
    });

    it.runIf(isSlow)("a tool that fails, and shows its hints", async () => {
      const page = await go("/#/tool/Math.Add");
      await page.getByLabel("a", { exact: true }).fill("13");
      await page.getByLabel("b", { exact: true }).fill("1");
      await run(page).click();
      await error(page).waitFor();
      const text = await error(page).textContent();
      expect(text).toContain("13 brings bad luck");
      expect(text).toContain("take 12 or 14 instead");
      expect(text).toContain("The list of unlucky numbers has 13.");
    });

    it.runIf(isSlow)("nothing while the input is wrong, and says where", async () => {
      const page = await go("/#/tool/Math.Add");
      const a = page.getByLabel("a", { exact: true });
      await a.fill("2000");
      await page.getByLabel("b", { exact: true }).fill("1");
      await run(page).click();
      expect(await a.getAttribute("aria-invalid")).toBe("true");
      expect(await a.evaluate((it) => it.ownerDocument.activeElement === it)).toBe(true);
      expect(await page.getByText("POST /tools/call").count()).toBe(0);
    });

    it.runIf(isSlow)("a tool with a picture", async () => {
      const page = await go("/#/tool/Pictures.Draw");
      await run(page).click();
      const picture = result(page).getByRole("img");
      await picture.waitFor();
      expect(await picture.evaluate((it) => it.naturalWidth)).toBe(1);
    });

    it.runIf(isSlow)("a tool that keeps a session, and goes on in it", async () => {
      const page = await go("/#/tool/Tally.Count");
      for (const count of ["1", "2"]) {
        await run(page).focus();
        await page.keyboard.press("Enter");
        await result(page).getByText(count, { exact: true }).waitFor();
        expect(await result(page).textContent()).not.toContain("session");
      }
    });

    it.runIf(isSlow)("a tool that returns markup, which stays text", async () => {
      const page = await go("/#/tool/Odd.Markup");
      await run(page).click();
      await result(page).waitFor();
      expect(await result(page).textContent()).toContain("<img src=x onerror");
      expect(await page.locator("img[src=x]").count()).toBe(0);
      expect(await page.title()).not.toMatch(/^[12]$/);
    });

    it.runIf(isSlow)("a tool with a long answer, without making the page wider", async () => {
      const page = await go("/#/tool/Odd.LongText", { viewport: { width: 390, height: 844 } });
      await page.getByLabel("length").fill("150000");
      await run(page).click();
      await result(page).waitFor();
      expect(await page.evaluate<number>(TOO_WIDE)).toBeLessThanOrEqual(0);
    });
  });

  describe("asks and waits", () => {
    it("shows what a tool asks, and sends the answer", async () => {
      const page = await go("/#/tool/Orders.Place");
      await page.getByLabel("cake").fill("Sachertorte");
      await run(page).click();
      const question = page.getByRole("form", { name: "The tool asks" });
      await question.getByText("Which size should the Sachertorte have?").waitFor();
      await question.getByLabel("L", { exact: true }).check();
      await question.getByRole("button", { name: "Answer" }).click();
      await result(page).waitFor();
      expect(await result(page).textContent()).toContain("Sachertorte, size L");
    });

    it.runIf(isSlow)("declines", async () => {
      const page = await go("/#/tool/Orders.Place");
      await page.getByLabel("cake").fill("Sachertorte");
      await run(page).click();
      await page.getByRole("button", { name: "Decline" }).click();
      await error(page).waitFor();
      expect(await error(page).textContent()).toContain("Nothing was ordered");
    });

    it.runIf(isSlow)("shows the progress of a long tool, and its result", async () => {
      const page = await go("/#/tool/Orders.Bake");
      await page.getByLabel("cakes").fill("15");
      await run(page).click();
      await page.getByText(/Baking cake \d+ of 15/).waitFor();
      await result(page).waitFor();
      expect(await result(page).textContent()).toContain("15");
    });

    it.runIf(isSlow)("cancels a long tool", async () => {
      const page = await go("/#/tool/Orders.Bake");
      await page.getByLabel("cakes").fill("100");
      await run(page).click();
      await page.getByText(/Baking cake \d+ of 100/).waitFor();
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("heading", { name: "Cancelled" }).waitFor();
      await page.getByText("POST /mcp tasks/cancel").waitFor();
    });
  });

  describe.runIf(isSlow)("prompts and resources", () => {
    it("shows the messages of a prompt", async () => {
      const page = await go("/#/prompt/Orders_Menu");
      await page.getByLabel("day").fill("Sunday");
      await page.getByRole("button", { name: "Show messages" }).click();
      await page.getByText("Which cakes are there on Sunday?").waitFor();
    });

    it("reads a resource, and one of a template", async () => {
      const page = await go(`/#/resource/${encodeURIComponent("pictures://all")}`);
      await page.getByText("one red dot").waitFor();
      await entry(page, /A dot of a colour/).click();
      await page.getByLabel("colour").fill("dark blue");
      await page.getByRole("button", { name: "Read", exact: true }).click();
      await page.getByText("one dark blue dot").waitFor();
    });

    it("reads a resource whose address has a path and a query, of which parts may be left out", async () => {
      const page = await go();
      await entry(page, /Pictures in a room/).click();
      await page.getByRole("button", { name: "Read", exact: true }).click();
      // A path there must be.
      await page.getByText("This is required.").waitFor();
      const path = page.getByLabel("path", { exact: true });
      await path.fill("first floor/a&b");
      // The server's own suggestion.
      await page.locator('datalist option[value="first floor/a&b/west"]').waitFor({ state: "attached" });
      await path.fill("first floor/50%");
      await page.getByRole("button", { name: "Read", exact: true }).click();
      await page.getByText("first floor/50%, any, no tag").waitFor();
      await page.getByLabel("size", { exact: true }).fill("2&3");
      for (const [at, tag] of ["red", "a,b"].entries()) {
        await page.getByRole("button", { name: "Add to tag" }).click();
        await page.getByLabel(`tag ${at + 1}`, { exact: true }).fill(tag);
      }
      await page.locator('datalist option[value="round"]').first().waitFor({ state: "attached" });
      await page.getByRole("button", { name: "Read", exact: true }).click();
      await page.getByText("first floor/50%, 2&3, red and a,b").waitFor();
    });
  });

  it.runIf(isSlow)("shows the call as code, with an example first, and then with what is in the form", async () => {
    const page = await go("/#/tool/Math.Add");
    await page.getByRole("tab", { name: "Call it from code" }).click();
    await page.getByText("the values here are examples").waitFor();
    expect(await page.getByRole("tabpanel").first().textContent()).toMatch(/"a": ?1, ?"b": ?1/);
    await page.getByRole("tab", { name: "Try it" }).click();
    await page.getByLabel("a", { exact: true }).fill("41");
    await page.getByLabel("b", { exact: true }).fill("1");
    await page.getByRole("tab", { name: "Call it from code" }).click();
    const code = page.getByRole("tabpanel").first();
    await code.getByText("curl").first().waitFor();
    expect(await code.textContent()).toMatch(/"a": ?41/);
  });

  it.runIf(isSlow)("leads to the hosts", async () => {
    const page = await go("/#/connect");
    for (const host of ["Claude", "ChatGPT", "Cursor", "VS Code", "Inspector"]) {
      await page.getByRole("heading", { name: host }).first().waitFor();
    }
    expect(await page.getByRole("main").textContent()).toContain(`${open.url}/mcp`);
  });

  it.runIf(isSlow)("takes a key, leaves the list where it is meanwhile, and goes on without a wrong one", async () => {
    const page = await go();
    await page.getByRole("button", { name: "Use a key" }).click();
    await page.getByRole("heading", { name: "Use a key" }).waitFor();
    expect(await entry(page, /Add/).count()).toBe(1);
    const enter = async (key: string) => {
      await page.getByLabel("Key or token").fill(key);
      await page.getByRole("button", { name: "Use it" }).click();
    };
    // On a public server, what is no key at all counts as none: a revoked key does not.
    await enter((await open.makeKey()).replace(/.{5}$/, "AAAAA"));
    await page.getByRole("button", { name: "Go on without a key" }).click();
    await entry(page, /Add/).waitFor();
    await page.getByRole("button", { name: "Use a key" }).click();
    await enter(await open.makeKey({ scopes: ["*"] }));
    await entry(page, /Open/).waitFor();
    await page.getByRole("button", { name: "Forget the key" }).click();
    await entry(page, /Add/).waitFor();
    expect(await entry(page, /Open/).count()).toBe(0);
  });

  it.runIf(isSlow)("offers to show tools that have changed, and leaves a form alone until then", async () => {
    const page = await go("/#/tool/Math.Add");
    await page.getByLabel("a", { exact: true }).fill("7");
    await page.route(/\/tools$/, async (route) => {
      const text = await (await route.fetch({ headers: route.request().headers() })).text();
      await route.fulfill({
        body: text.replaceAll("Refuses 13.", "Refuses 13 and 14."),
        contentType: "application/json",
      });
    });
    const primitive = page.getByRole("button", { name: "Show them" });
    await until(async () => {
      await page.evaluate("dispatchEvent(new Event('focus'))");
      return (await primitive.count()) > 0;
    });
    expect(await page.getByLabel("a", { exact: true }).inputValue()).toBe("7");
    await primitive.click();
    await page.getByText("Refuses 13 and 14.").first().waitFor();
    expect(await primitive.count()).toBe(0);
  });

  it.runIf(isSlow)("says that the server cannot be reached, and tries again", async () => {
    const page = await go();
    await entry(page, /Add/).waitFor();
    await page.goto("about:blank");
    await page.route(/\/(tools|mcp)$/, (route) => route.abort());
    await page.goto(open.url);
    await page.getByRole("heading", { name: "The tools could not be read" }).waitFor();
    await page.unroute(/\/(tools|mcp)$/);
    await page.getByRole("button", { name: "Try again" }).click();
    await entry(page, /Add/).waitFor();
  });
});
