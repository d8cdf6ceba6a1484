/**
 * The page uploads a file as a browser does, tells how far it is, and attaches it. Needs Chromium: the one in the
 * variable CHROMIUM, or one on the path.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, launch } from "../../../../support/node/chromium.ts";
import { BINDINGS } from "../../../../support/node/files.ts";
import { type Long, serveLong, WORKFLOW } from "../../../../support/node/long.ts";
import { scriptOf, TOOLS } from "../../../../support/node/page-tools.ts";

const executablePath = findChromium("test/features/page/browser/api/upload.slow.test.ts");
const SIZE = 3_000_000;

/** What these tests call in the page. */
const ENTRY = `
import { Access } from "./access.ts";
import { loadCatalog } from "./catalog.ts";
import { upload } from "./files.ts";
import { run } from "./run.ts";
import { put } from "../try/put.ts";
const access = new Access();
const fileOf = (size) => new File(["x".repeat(size)], "q3.csv", { type: "text/csv" });
const why = ({ name, message }) => ({ name, message });
globalThis.page = {
  async count(size) {
    const parts = [];
    const id = await upload(access, fileOf(size), { put, onProgress: (part) => parts.push(part) });
    const tool = (await loadCatalog(access)).tools.find((one) => one.id === "Kit.Count");
    return { parts, outcome: await run({ tool, input: {}, files: [id], access }).done };
  },
  tooLarge: (size) => upload(access, fileOf(size), { put }).catch(why),
  cancelled() {
    const stop = new AbortController();
    return upload(access, fileOf(${SIZE}), { put, signal: stop.signal, onProgress: () => stop.abort() }).catch(why);
  },
};
`;

describe.skipIf(!executablePath)("in Chromium", () => {
  let server: Long;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const vars = { LONG_WAIT_SECONDS: "30", MAX_FILE_BYTES: "4000000" };
    server = await serveLong({ tools: TOOLS, more: WORKFLOW + BINDINGS, vars });
    browser = await launch(executablePath as string);
    page = await (await browser.newContext({ bypassCSP: true })).newPage();
    await page.goto(server.url);
    await page.addScriptTag({ content: await scriptOf(ENTRY) });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it("tells how far it is, and the tool gets the file", async () => {
    type Counted = { parts: number[]; outcome: { value: unknown } };
    const { parts, outcome } = await page.evaluate<Counted>(`page.count(${SIZE})`);
    expect(outcome).toMatchObject({ ok: true, value: [SIZE] });
    expect(parts.at(-1)).toBe(1);
    expect(parts).toEqual([...parts].sort((a, b) => a - b));
  });

  it("says that a file is too large before it is sent", async () => {
    const sent: string[] = [];
    page.on("request", (request) => request.method() === "PUT" && sent.push(request.url()));
    const { name, message } = await page.evaluate<Error>("page.tooLarge(4_000_001)");
    expect([name, message]).toEqual(["Unreachable", expect.stringMatching(/^q3\.csv .*4 ?(MB|000000)/)]);
    expect(sent).toEqual([]);
  });

  it("ends when it is cancelled", async () => {
    expect(await page.evaluate<Error>("page.cancelled()")).toMatchObject({ name: "AbortError" });
  });
});
