/** What #view does with the page, in Chromium: it takes on the host's looks, tells its size, and hears only its host. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { bundleView } from "../../../../src/discovery/views/bundle-view.ts";
import { findChromium, launch } from "../../../support/node/chromium.ts";
import { type HostPage, showView } from "../../../support/node/host-page.ts";

const executablePath = findChromium("test/features/views/browser/index.slow.test.ts");
const SIZE = "ui/notifications/size-changed";
const CHANGED = "ui/notifications/host-context-changed";

interface Size {
  readonly width: number;
  readonly height: number;
}

describe.skipIf(!executablePath)("a page with #view", () => {
  let browser: Browser;
  let folder: string;
  const open: HostPage[] = [];
  beforeAll(async () => {
    browser = await launch(executablePath as string);
    folder = mkdtempSync(join(tmpdir(), "trivet-view-"));
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const { page } of open.splice(0)) await page.context().close();
  });

  /** Shows a view that has a box, and prints what it gets. */
  async function show(hostContext: object = {}, css = "body { margin: 0 }"): Promise<HostPage> {
    const path = join(folder, "list.view.html");
    writeFileSync(
      path,
      `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>List</title><style>${css} div { height: 300px }</style>
<div></div>
<script type="module">
  import { openView } from "#view";
  globalThis.errors = [];
  addEventListener("error", ({ message }) => errors.push(message));
  openView("Kit_List").onResult((value) => { document.body.dataset.result = JSON.stringify(value); });
</script></html>`,
    );
    const view = { path, file: "tools/kit/list.view.html", toolkit: "kit", name: "list" };
    const context = { base: folder, isDev: false, wrapped: [], title: "List", tool: "Kit_List", resourceDomains: [] };
    const made = await bundleView(view, context);
    if (!("html" in made)) throw new Error(JSON.stringify(made.problems));
    const host = await showView(browser, made.html, hostContext, { viewport: { width: 640, height: 480 } });
    open.push(host);
    return host;
  }

  const inView = <Result>({ view }: HostPage, script: string) =>
    view.locator("html").evaluate<Result, unknown>(`((root) => ${script})(document.documentElement)`);
  const isTold = ({ page }: HostPage, { width, height }: Size) =>
    page.waitForFunction(`(({ params } = {}) => params?.width === ${width} && params.height === ${height})(
      said.findLast(({ method }) => method === "${SIZE}"))`);

  describe("size", () => {
    it.each([
      ["as it is", "body { margin: 0 }", 0],
      ["with margins, which count", "body { margin: 10px } div { margin: 20px }", 40],
      ["as high as its frame, by its style", "html, body { height: 100%; margin: 0 }", 0],
      ["in a grid that fills the frame", "html { height: 100%; display: grid } body { margin: 0 }", 0],
    ])("tells its size when it begins, grows and shrinks: a page %s", async (_, css, more) => {
      const host = await show({}, css);
      await isTold(host, { width: 640, height: 300 + more });
      for (const height of [900, 120.5, 400]) {
        await inView(host, `{ document.querySelector("div").style.height = "${height}px"; }`);
        await isTold(host, { width: 640, height: Math.ceil(height + more) });
      }
      expect(await inView(host, "errors")).toEqual([]);
    });

    it("waits for pictures, also if its style makes the page as high as its frame", async () => {
      const host = await show({}, "html, body { height: 100%; margin: 0; overflow: hidden } img { display: block }");
      await isTold(host, { width: 640, height: 300 });
      const body = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="77"/>';
      await host.page.route("https://pictures.example/*", (route) =>
        route.fulfill({ body, contentType: "image/svg+xml" }),
      );
      await inView(
        host,
        `{ document.body.append(Object.assign(new Image(), { src: "https://pictures.example/a.svg" })); }`,
      );
      await isTold(host, { width: 640, height: 377 });
    });

    it("tells it when the frame becomes narrower, and says nothing twice", async () => {
      const host = await show();
      await isTold(host, { width: 640, height: 300 });
      await host.page.setViewportSize({ width: 400, height: 480 });
      await isTold(host, { width: 400, height: 300 });
      const told = (await host.said<Size>(SIZE)).map((size) => JSON.stringify(size));
      expect(told.filter((size, at) => size === told[at - 1])).toEqual([]);
    });
  });

  describe("looks", () => {
    const looks = (host: HostPage) =>
      inView<object>(
        host,
        `({ theme: root.dataset.theme, scheme: getComputedStyle(root).colorScheme,
        text: getComputedStyle(root).getPropertyValue("--color-text-primary"),
        line: getComputedStyle(root).getPropertyValue("--color-border-primary"),
        fonts: [...document.fonts].map(({ family }) => family.replaceAll('"', "")) })`,
      );
    const font = (name: string) => `@font-face { font-family: "${name}"; src: local("${name}") }`;

    it("has the host's theme, variables and fonts, and takes each change", async () => {
      const variables = { "--color-text-primary": "red", "--color-border-primary": "blue" };
      const host = await show({ theme: "dark", styles: { variables, css: { fonts: font("First") } } });
      expect(await looks(host)).toEqual({ theme: "dark", scheme: "dark", text: "red", line: "blue", fonts: ["First"] });

      await host.send({ method: CHANGED, params: { theme: "light" } });
      await host.view.locator("html[data-theme=light]").waitFor();
      expect(await looks(host)).toMatchObject({ scheme: "light", text: "red", fonts: ["First"] });

      const styles = { variables: { "--color-text-primary": "green" }, css: { fonts: font("Second") } };
      await host.send({ method: CHANGED, params: { theme: "dark", styles } });
      await host.view.locator("html[data-theme=dark]").waitFor();
      expect(await looks(host)).toMatchObject({ text: "green", fonts: ["Second"] });
    });

    it("stays as its author made it if the host says nothing of its looks", async () => {
      const host = await show({}, "html { color-scheme: dark; --color-text-primary: pink }");
      expect(await looks(host)).toEqual({ scheme: "dark", text: "pink", line: "", fonts: [] });
    });
  });

  it("takes messages from its host alone: not from itself, nor from a frame in it", async () => {
    const host = await show();
    const method = "ui/notifications/tool-result";
    const message = (value: string) =>
      JSON.stringify({ jsonrpc: "2.0", method, params: { content: [], structuredContent: value } });
    await inView(
      host,
      `new Promise((heard) => {
        let left = 2;
        addEventListener("message", () => --left === 0 && heard());
        window.postMessage(${message("from itself")}, "*");
        const frame = document.createElement("iframe");
        frame.srcdoc = '<script>parent.postMessage(${message("from a frame")}, "*")</script>';
        document.body.append(frame);
      })`,
    );
    expect(await inView(host, "document.body.dataset.result ?? null")).toBeNull();
    await host.send(JSON.parse(message("from the host")));
    await host.view.locator("body[data-result]").waitFor();
    expect(await inView(host, "document.body.dataset.result")).toBe('"from the host"');
  });
});
