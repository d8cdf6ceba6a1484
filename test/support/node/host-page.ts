/** A page that shows a view in a frame as a host does, answers its beginning, and keeps what it says. */
import type { Browser, BrowserContextOptions, FrameLocator, Page } from "playwright-core";

export interface HostPage {
  readonly page: Page;
  /** The view. */
  readonly view: FrameLocator;
  /** Sends a notification, or a request if it has an id. */
  send(message: object): Promise<void>;
  /** What the view has said so far by this method. */
  said<Params>(method: string): Promise<Params[]>;
}

/** The frame has the height that the view asks for, and no more rights than hosts give it. */
const HOST = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Host</title>
<style>body { margin: 0 } iframe { display: block; width: 100%; border: 0 }</style>
<iframe sandbox="allow-scripts" title="View"></iframe>`;

/** @param html of the view; @param hostContext what the host tells of itself at the start */
export async function showView(
  browser: Browser,
  html: string,
  hostContext: object = {},
  options: BrowserContextOptions = {},
): Promise<HostPage> {
  const page = await (await browser.newContext(options)).newPage();
  await page.setContent(HOST);
  await page.evaluate(`(({ html, hostContext }) => {
    const frame = document.querySelector("iframe");
    globalThis.said = [];
    globalThis.send = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
    addEventListener("message", ({ source, data }) => {
      if (source !== frame.contentWindow) return;
      said.push(data);
      if (data.method === "ui/notifications/size-changed") frame.height = data.params.height;
      if (data.method !== "ui/initialize") return;
      const result = { protocolVersion: "2026-01-26", hostInfo: { name: "test", version: "1" }, hostCapabilities: {}, hostContext };
      send({ id: data.id, result });
    });
    frame.srcdoc = html;
  })(${JSON.stringify({ html, hostContext })})`);
  await page.waitForFunction(`said.some(({ method }) => method === "ui/notifications/initialized")`);
  return {
    page,
    view: page.frameLocator("iframe"),
    send: (message) => page.evaluate(`send(${JSON.stringify(message)})`),
    said: (method) =>
      page.evaluate(`said.filter(({ method }) => method === ${JSON.stringify(method)}).map(({ params }) => params)`),
  };
}
