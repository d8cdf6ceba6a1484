/** The camera of `npm run pictures`, with a page that a test makes up. Chromium itself reads the films. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, launch } from "../support/node/chromium.ts";
import { take } from "./camera.ts";
import type { Shot, Step } from "./shot.ts";

/** What Chromium makes of a picture. */
interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly loops: number;
  /** How long each lasts, and its colour at (300, 20): red, green and blue. */
  readonly frames: readonly { readonly ms: number; readonly pixel: readonly number[] }[];
  /** All pixels of the last frame, in base64. */
  readonly last: string;
}

const executablePath = findChromium("test/pictures/camera.slow.test.ts");
const PAGE = `<!doctype html><meta charset="utf-8"><title>Greeter</title>
<style>body{margin:0;background:#fff}@media(prefers-color-scheme:dark){body{background:#000}}output{display:block;height:40px}.on{background:#00f}</style>
<output></output><form><label for="who">Name</label><input id="who"><button>Greet</button></form>
<script>const out=document.querySelector("output");document.forms[0].onsubmit=(event)=>{event.preventDefault();
setTimeout(()=>{out.className="on";out.textContent="Hello, "+who.value},50)}</script>`;

describe.skipIf(!executablePath)("a shot", () => {
  let browser: Browser;
  let server: Server;
  let url: string;
  beforeAll(async () => {
    browser = await launch(executablePath as string);
    server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(PAGE));
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  const shot = (steps: readonly Step[], others: Partial<Shot> = {}): Shot => ({
    path: "docs/pictures/test.png",
    kind: "film",
    width: 401,
    height: 200,
    theme: "light",
    mostBytes: 1,
    steps,
    ...others,
  });

  async function decoded(picture: Buffer): Promise<Decoded> {
    const page = await browser.newPage();
    try {
      await page.goto(url);
      return await page.evaluate<Decoded>(
        `(async () => {
          const decoder = new ImageDecoder({ type: "image/png", data: Uint8Array.fromBase64("${picture.toString("base64")}") });
          await decoder.tracks.ready;
          await decoder.completed;
          const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
          const frames = [];
          let width, height, last;
          for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
            const { image } = await decoder.decode({ frameIndex });
            ({ displayWidth: width, displayHeight: height } = image);
            const draw = new OffscreenCanvas(width, height).getContext("2d");
            draw.drawImage(image, 0, 0);
            last = draw.getImageData(0, 0, width, height).data;
            frames.push({ ms: image.duration / 1000, pixel: [...draw.getImageData(300, 20, 1, 1).data].slice(0, 3) });
          }
          return { width, height, loops: repetitionCount, frames, last: new Uint8Array(last).toBase64() };
        })()`,
      );
    } finally {
      await page.close();
    }
  }

  it("films what a person does, and what comes of it", async () => {
    const greeting: Step[] = [
      { open: "/" },
      { hold: 500 },
      { type: "Ada", into: "Name" },
      { click: ["button", "Greet"] },
      { see: "Hello, Ada" },
      { hold: 700 },
      { hold: 800 },
    ];
    const { width, height, loops, frames } = await decoded(await take(browser, url, shot(greeting)));
    expect([width, height, loops]).toEqual([401, 200, Infinity]);
    expect(frames[0]).toEqual({ ms: 500, pixel: [255, 255, 255] });
    // Nothing changes between the two last steps: one frame for both. On a slow machine, it begins with the click.
    expect(frames.at(-1)?.pixel).toEqual([0, 0, 255]);
    expect([1500, 1850]).toContain(frames.at(-1)?.ms);
    // The pointer moves twice, and "Ada" appears in two steps.
    expect(frames.length).toBeGreaterThan(10);
  });

  it("ends the film with what is there then, and the pointer", async () => {
    const steps: Step[] = [{ open: "/" }, { hold: 100 }, { type: "Ada", into: "Name" }, { click: ["button", "Greet"] }];
    const end: Step[] = [...steps, { see: "Hello, Ada" }, { hold: 100 }];
    const filmed = Buffer.from((await decoded(await take(browser, url, shot(end)))).last, "base64");
    const still = Buffer.from((await decoded(await take(browser, url, shot(end, { kind: "still" })))).last, "base64");
    const different = still.filter((byte, at) => Math.abs(byte - (filmed[at] ?? 0)) > 8).length / 3;
    expect(different).toBeGreaterThan(50);
    expect(different).toBeLessThan(400);
  });

  it("photographs the last moment in the theme, and as sharp as was asked", async () => {
    const still = { kind: "still", theme: "dark", scale: 2 } as const;
    const steps: Step[] = [{ open: "/" }, { type: "Eve", into: "Name" }];
    const { width, height, frames } = await decoded(await take(browser, url, shot(steps, still)));
    expect([width, height]).toEqual([802, 400]);
    expect(frames.map(({ pixel }) => pixel)).toEqual([[0, 0, 0]]);
  });

  it("says which step it cannot do", async () => {
    const taking = take(browser, url, shot([{ open: "http://127.0.0.1:1/" }]));
    await expect(taking).rejects.toThrow(/^docs\/pictures\/test\.png: .*"open".* cannot be done: /);
  });
});
