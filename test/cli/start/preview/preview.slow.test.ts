/** The preview page under `npm start`, in Chromium, as the author of a view uses it (docs/views.md). */

import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { violationsIn } from "../../../support/node/axe.ts";
import { findChromium, launch } from "../../../support/node/chromium.ts";
import { type Fork, freePort, makeFork, type Started, start, until } from "../../../support/node/fork.ts";
import { tool } from "../../../support/node/project.ts";

const executablePath = findChromium("test/cli/start/preview/preview.slow.test.ts");

const HEIGHTS = `import * as v from "valibot";
import { defineTool } from "#tool";

export default defineTool({
  version: "1.0.0",
  title: "Heights of the tide",
  description: "Gives the height of the tide.",
  annotations: { readOnly: true },
  input: v.object({ harbour: v.pipe(v.string(), v.description("The harbour."), v.examples(["Brest"])) }),
  output: v.object({ harbour: v.string(), metres: v.array(v.number()) }),
  run: ({ harbour }) => ({ harbour, metres: [1.2, 2.9] }),
});
`;

/** @param other an origin that the view fetches from */
const heightsView = (other: string) => `<!doctype html>
<html lang="en">
<title>Tide</title>
<h1></h1>
<p></p>
<button id="again">Again</button>
<button id="ask">Ask the host</button>
<button id="fetch">Fetch</button>
<button id="wide">Wide</button>
<script type="module">
  import { openView } from "#view";
  import { unit } from "./_unit.ts";

  const view = openView("Tide_Heights", { displayModes: ["inline", "fullscreen"] });
  const on = (id, act) => document.getElementById(id).addEventListener("click", act);
  const show = ({ harbour, metres }) => {
    document.querySelector("h1").textContent = harbour + ": " + metres.join(", ") + " " + unit;
  };
  view.onResult(show);
  view.onFailure((message) => (document.querySelector("h1").textContent = "Failed: " + message));
  view.onHost(({ theme, displayMode }) => (document.querySelector("p").textContent = theme + ", " + displayMode));
  on("again", async () => {
    show(await view.call("Tide_Heights", { harbour: "Calais" }));
    await view.call("Tide_Secret").catch((error) => document.body.append(error.message));
  });
  on("ask", async () => {
    await view.say("And tomorrow?");
    await view.tellModel("The user looks at Brest");
    await view.openLink("https://example.com/tide");
  });
  on("fetch", () => fetch("${other}").then(
    () => document.body.append("It was reached"),
    () => document.body.append("It was refused"),
  ));
  on("wide", () => view.display("fullscreen"));
</script>
</html>
`;

const orderView = `import { openView } from "#view";

openView("Tide_Order").onResult((value) => {
  document.body.textContent = \`Order: \${value}\`;
});
`;

describe.skipIf(!executablePath)("the preview page", () => {
  let fork: Fork;
  let served: Started;
  let other: Server;
  let taken: Server;
  let origin: string;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  const address = () => /^ {2}Views {5}(http:\/\/127\.0\.0\.1:\d+)\/$/m.exec(served.printed())?.[1];
  const view = () => page.frameLocator("#stage iframe").frameLocator("iframe");
  /**
   * Waits for a view that is loaded again: while its frame is replaced, Playwright's own wait may throw that the page was
   * closed.
   */
  const untilVisible = (find: () => Locator) => until(() => find().isVisible());
  const log = () => page.getByRole("list", { name: "What the view asks of its host" });

  beforeAll(async () => {
    other = createServer((_, response) => response.writeHead(200, { "access-control-allow-origin": "*" }).end("here"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    fork = makeFork({ "tide/heights.ts": HEIGHTS });
    let port: number;
    let isHeld: boolean;
    do {
      port = await freePort();
      taken = createServer();
      const listening = once(taken.listen(port + 1, "127.0.0.1"), "listening");
      isHeld = await listening.then(
        () => true,
        () => false,
      );
    } while (!isHeld);
    [served, browser] = await Promise.all([start(fork, "start", [], port), launch(executablePath as string)]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    for (const server of [other, taken]) server?.close();
    fork?.remove();
  });

  it("is not there without views, and is when there is one: its address is told, and another port is taken if need be", async () => {
    await until(async () => served.printed().includes("docs/debugging.md"));
    expect(served.printed()).not.toContain("Views");
    fork.write("tools/tide/_unit.ts", 'export const unit = "m";\n');
    fork.write("tools/tide/secret.ts", tool({ visibility: '["model"]', input: "v.object({})" }));
    fork.write("tools/tide/heights.view.html", heightsView(origin));
    await until(async () => address() !== undefined);
    expect(Number(new URL(address() as string).port)).toBeGreaterThan(Number(new URL(served.url).port) + 1);
  });

  it("lists the views, and shows one with what a real call returned", async () => {
    page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => {
      // Of the page, and not of the view, which may try what it must not.
      const isOfPage = message.location().url.startsWith(address() as string);
      if (message.type() === "error" && isOfPage) complaints.push(message.text());
    });
    await page.goto(address() as string);
    await page.getByRole("link", { name: "Heights of the tide" }).click();
    await view().getByRole("heading", { name: "Brest: 1.2, 2.9 m" }).waitFor();
    expect(JSON.parse(await page.getByLabel("Input of the call").inputValue())).toEqual({ harbour: "Brest" });
    expect(JSON.parse(await page.getByLabel("Its result").inputValue())).toMatchObject({
      structuredContent: { harbour: "Brest", metres: [1.2, 2.9] },
    });
  });

  it("calls with the input that the author writes; what is no JSON is said, and so is a refusal", async () => {
    const call = async (text: string) => {
      await page.getByLabel("Input of the call").fill(text);
      await page.getByRole("button", { name: "Call the tool" }).click();
    };
    await call("{");
    await page.getByText("Input of the call is not JSON").waitFor();
    await call("{}");
    await view()
      .getByRole("heading", { name: /^Failed: .*harbour/ })
      .waitFor();
    await call('{ "harbour": "Dover" }');
    await view().getByRole("heading", { name: "Dover: 1.2, 2.9 m" }).waitFor();
  });

  it("passes calls of the view, but for the model's tools, and lists all that it asked", async () => {
    await view().getByRole("button", { name: "Again" }).click();
    await view().getByRole("heading", { name: "Calais: 1.2, 2.9 m" }).waitFor();
    await view().getByText("Tide_Secret is for the model alone").waitFor();
    await view().getByRole("button", { name: "Ask the host" }).click();
    await log().getByText('ui/open-link {"url":"https://example.com/tide"}').waitFor();
    const lines = await log().locator("summary").allTextContents();
    expect(lines).toEqual([
      expect.stringMatching(/^ui\/initialize {.*"appInfo":{"name":"Tide_Heights","version":"1.0.0"}/),
      'tools/call {"name":"Tide_Heights","arguments":{"harbour":"Calais"}}',
      expect.stringMatching(/^tools\/call {"name":"Tide_Secret",.*} refused: .*for the model alone/),
      expect.stringMatching(/^ui\/message {.*"And tomorrow\?"/),
      expect.stringMatching(/^ui\/update-model-context {.*"The user looks at Brest"/),
      'ui/open-link {"url":"https://example.com/tide"}',
    ]);
  });

  it("tells the view its theme, and that it fills the screen", async () => {
    await view().getByText("light, inline").waitFor();
    await page.getByLabel("Theme").selectOption("Dark");
    await view().getByText("dark, inline").waitFor();
    await view().getByRole("button", { name: "Wide" }).click();
    await view().getByText("dark, fullscreen").waitFor();
    expect((await page.locator("#stage iframe").boundingBox())?.width).toBe(1280);
    await page.getByRole("button", { name: "Leave full screen" }).click();
    await view().getByText("dark, inline").waitFor();
  });

  it.each([
    ["Light", 1280],
    ["Dark", 390],
  ] as const)("axe finds nothing, and nothing is too wide: %s, %s pixels", async (theme, width) => {
    await page.getByLabel("Theme").selectOption(theme);
    await page.emulateMedia({ colorScheme: theme === "Dark" ? "dark" : "light" });
    await page.setViewportSize({ width, height: 900 });
    // Without its frames: the view is the author's.
    expect(await violationsIn(page, "{ iframes: false }")).toEqual([]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
  });

  it("refuses the view what its tool does not declare, and says so; allows it when it does", async () => {
    await view().getByRole("button", { name: "Fetch" }).click();
    await view().getByText("It was refused").waitFor();
    await log().getByText(`its policy refuses ${origin}`).waitFor();
    const declared = `view: { csp: { connectDomains: ["${origin}"] } },`;
    fork.write("tools/tide/heights.ts", HEIGHTS.replace("annotations:", `${declared}\n  annotations:`));
    // A policy is a part of the view, so the view is loaded again.
    await until(async () => !(await view().getByText("It was refused").isVisible()));
    await untilVisible(() => view().getByRole("heading", { name: "Dover: 1.2, 2.9 m" }));
    await view().getByRole("button", { name: "Fetch" }).click();
    await view().getByText("It was reached").waitFor();
  });

  it("shows a view again when it or a file that it imports is saved, with the same input and result", async () => {
    await page.getByLabel("Its result").fill('{ "structuredContent": { "harbour": "Nowhere", "metres": [7] } }');
    await page.getByRole("button", { name: "Show without a call" }).click();
    await untilVisible(() => view().getByRole("heading", { name: "Nowhere: 7 m" }));
    fork.write("tools/tide/_unit.ts", 'export const unit = "feet";\n');
    await untilVisible(() => view().getByRole("heading", { name: "Nowhere: 7 feet" }));
    fork.write("tools/tide/heights.view.html", heightsView(origin).replace("Again", "Once more"));
    await untilVisible(() => view().getByRole("button", { name: "Once more" }));
    await untilVisible(() => view().getByRole("heading", { name: "Nowhere: 7 feet" }));
  });

  it("calls a tool that changes something only when told to, and shows the sample that its author keeps", async () => {
    const sample = join(fork.root, "tools/tide/order.view.sample.json");
    fork.write("tools/tide/order.ts", tool({ run: '() => "real"' }));
    fork.write("tools/tide/order.view.ts", orderView);
    // Not by the mouse: the new link is where the frame was, which still gets the clicks there for a moment.
    await page.getByRole("link", { name: "Tide_Order" }).press("Enter");
    await page.getByText("waits for a result").waitFor();
    await page.getByRole("button", { name: "Call the tool" }).click();
    await untilVisible(() => view().getByText("Order: real"));
    await page.getByRole("button", { name: "Keep as sample" }).click();
    await page.getByText("Kept in tools/tide/order.view.sample.json").waitFor();
    expect(JSON.parse(readFileSync(sample, "utf8"))).toMatchObject({ result: { content: [{ text: "real" }] } });
    fork.write("tools/tide/order.view.sample.json", '{ "result": { "structuredContent": "a sample" } }');
    await untilVisible(() => view().getByText("Order: a sample"));
    await page.reload();
    await untilVisible(() => view().getByText("Order: a sample"));
    expect(complaints).toEqual([]);
  });

  it("answers neither other names of this machine nor other pages, and writes samples only", async () => {
    const at = address() as string;
    const port = new URL(at).port;
    const asked = (path: string, method: string, headers: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const sent = request(at + path, { method, headers }, (response) => resolve(response.resume().statusCode));
        sent.on("error", reject).end(method === "PUT" ? "{}" : "");
      });
    expect(await asked("/", "GET", { host: `evil.example:${port}` })).toBe(403);
    expect(await asked("/samples/tide/order", "GET", { host: `localhost:${port}` })).toBe(403);
    expect(await asked("/samples/tide/heights", "PUT", { origin: "http://evil.example" })).toBe(403);
    expect(await asked("/samples/tide/heights", "PUT", {})).toBe(403);
    expect(await asked("/samples/..%2f..%2fpackage", "PUT", { origin: at })).toBe(405);
    expect(existsSync(join(fork.root, "tools/tide/heights.view.sample.json"))).toBe(false);
  });

  it("ends with npm start, though it is open", async () => {
    const at = address() as string;
    await served.stop();
    await until(() =>
      fetch(at).then(
        () => false,
        () => true,
      ),
    );
  });
});
