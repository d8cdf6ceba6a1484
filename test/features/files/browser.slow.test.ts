/**
 * A person uploads a file for a tool with a real browser: the link comes from a client of each kind, and the tool gets
 * what was chosen. Elements are found by role and label, and the browser enforces its own rules (policy, accept). Needs
 * Chromium: the one in the variable CHROMIUM, or one on the path.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitationCompleteNotificationSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, launch } from "../../support/node/chromium.ts";
import { expectReadable } from "../../support/node/contrasts.ts";
import { BINDINGS } from "../../support/node/files.ts";
import { postJson } from "../../support/node/http.ts";
import {
  asking,
  callOpenTool,
  callOxp,
  endOf,
  type Long,
  MODERN,
  newName,
  serveLong,
  startTask,
  TASKS,
  update,
  WORKFLOW,
} from "../../support/node/long.ts";
import { linkIn } from "../../support/upload-link.ts";

const executablePath = findChromium("test/features/files/browser.slow.test.ts");
const INFO = { name: "trivet-test", version: "1.0.0" };
const PAGES = { elicitation: { url: {} } };
const REPORT = { name: "Größe, Q3.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n") };
const SAME = {
  name: REPORT.name,
  type: REPORT.mimeType,
  size: REPORT.buffer.length,
  sha256: createHash("sha256").update(REPORT.buffer).digest("hex"),
};

describe.skipIf(!executablePath)("in Chromium", () => {
  let served: Long;
  let browser: Browser;
  let folder: string;
  /** A host from which a client attaches files. */
  const host = createServer((_, response) => {
    response.writeHead(200, { "content-type": REPORT.mimeType }).end(REPORT.buffer);
  });
  beforeAll(async () => {
    await new Promise<void>((ready) => host.listen(0, "127.0.0.1", ready));
    folder = mkdtempSync(join(tmpdir(), "trivet-upload-"));
    const change = (settings: string) =>
      settings.replace(/^ALLOWED_HOSTS = .*$/m, `ALLOWED_HOSTS = "127.0.0.1:${(host.address() as AddressInfo).port}"`);
    served = await serveLong({ tools: "test/fixtures/uploads", more: WORKFLOW + BINDINGS, change });
    browser = await launch(executablePath as string);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.stop();
    host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(url: string, look: BrowserContextOptions = {}) {
    const page = await browser.newPage(look);
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(new URL(request.url()).origin));
    await page.goto(url);
    return { page, complaints, requests };
  }

  const field = (page: Page) => page.getByLabel("Your file");
  const uploadButton = (page: Page) => page.getByRole("button", { name: "Upload" });

  /** Uploads the report as a person does. Returns what the page says in the end. */
  async function person(url: string) {
    const { page, complaints, requests } = await open(url);
    await field(page).setInputFiles(REPORT);
    await uploadButton(page).click();
    await page.getByRole("heading", { name: /^Received/ }).waitFor({ timeout: 120_000 });
    const text = await page.getByRole("main").textContent();
    expect(complaints).toEqual([]);
    expect(new Set(requests)).toEqual(new Set([new URL(url).origin]));
    await page.close();
    return text;
  }

  /** Holds up what the page sends. Returns a function that lets it pass. */
  async function hold(page: Page): Promise<() => Promise<void>> {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/upload?*", async (route) => {
      await released;
      // It may have been cancelled.
      await route.continue().catch(() => {});
    });
    return async () => {
      release();
      await page.unroute("**/upload?*");
    };
  }

  /** The link to a page that a call has asked for. */
  async function link(input: object = {}): Promise<string> {
    const { body } = await callOxp(served.url, "Kit.Now", input, { call_id: newName() });
    return linkIn(body.message);
  }

  describe("the tool gets the file", () => {
    it("over MCP 2025-11-25, while the call waits (the official v1 client)", async () => {
      const client = new ClientV1(INFO, { capabilities: PAGES });
      const uploads: Promise<string | null>[] = [];
      const complete: string[] = [];
      const ids: string[] = [];
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
        if (params.mode !== "url") throw new Error("no page was asked for");
        ids.push(params.elicitationId);
        // Real clients answer when the user has agreed to open the page.
        uploads.push(person(params.url));
        return { action: "accept" };
      });
      client.setNotificationHandler(ElicitationCompleteNotificationSchema, ({ params }) => {
        complete.push(params.elicitationId);
      });
      // The SDK's own types disagree under exactOptionalPropertyTypes.
      await client.connect(new TransportV1(new URL(`${served.url}/mcp`)) as Parameters<ClientV1["connect"]>[0]);
      const { structuredContent } = await client.callTool({ name: "Kit_Now", arguments: {} });
      expect(structuredContent).toEqual(SAME);
      expect(await Promise.all(uploads)).toEqual([
        "Received “Größe, Q3.csv”8 bytes. Go back to your assistant. You can close this page.",
      ]);
      expect(complete).toEqual(ids);
      await client.close();
    });

    it("over MCP 2026-07-28, in rounds (the official v2 client)", async () => {
      const client = new ClientV2(INFO, { capabilities: PAGES, versionNegotiation: { mode: { pin: MODERN } } });
      let asked = 0;
      client.setRequestHandler("elicitation/create", ({ params }) => {
        if (params.mode !== "url") throw new Error("no page was asked for");
        if (asked++ === 0) void person(params.url);
        return { action: "accept" };
      });
      await client.connect(new TransportV2(new URL(`${served.url}/mcp`)));
      const { structuredContent } = await client.callTool({ name: "Kit_Now", arguments: {} });
      expect(structuredContent).toEqual(SAME);
      await client.close();
    });

    it("over OXP and OpenTool, when the call is repeated with its key", async () => {
      const call_id = newName();
      const oxp = async () => (await callOxp(served.url, "Kit.Now", {}, { call_id })).body;
      await person(linkIn((await oxp()).message));
      expect((await oxp()).result.value).toEqual(SAME);

      const key = { "idempotency-key": newName() };
      const openTool = async () => (await callOpenTool(served.url, "Kit_Now", {}, key)).body;
      await person(linkIn((await openTool()).error.message));
      expect((await openTool()).result).toEqual(SAME);
    });

    it("in a task, which asks in its ledger and goes on when the file has come", async () => {
      const way = { capabilities: { ...TASKS, ...PAGES } };
      const id = await startTask(served.url, "Kit_Later", { name: newName() }, way);
      const { inputRequests } = await asking(served.url, id, way);
      const [[name, request] = ["", {} as never]] = Object.entries<{ params: { url: string } }>(inputRequests);
      await update(served.url, id, { [name]: { action: "accept" } }, way);
      await person(request.params.url);
      const { status, result } = await endOf(served.url, id, way);
      expect([status, result.structuredContent]).toEqual(["completed", SAME]);
    });

    it("and the same one as from a presigned upload, and from a host that attaches its own files", async () => {
      const { body: presigned } = await postJson(`${served.url}/api/v1/files/presign-upload`, {
        filename: REPORT.name,
        content_type: REPORT.mimeType,
      });
      const { method, headers } = presigned;
      expect((await fetch(presigned.upload_url, { method, headers, body: REPORT.buffer })).status).toBe(201);
      const attach = async (args: object) => {
        const params = { name: "Kit_Now", arguments: args };
        const { body } = await postJson(`${served.url}/mcp`, { jsonrpc: "2.0", id: 1, method: "tools/call", params });
        return body.result?.structuredContent ?? body;
      };
      expect(await attach({ attachments: [{ file_id: presigned.file_id }] })).toEqual(SAME);
      // As ChatGPT sends it (Apps SDK, Reference, openai/fileParams).
      const download_url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/f?sig=1`;
      const file = { download_url, file_id: "file_1", mime_type: REPORT.mimeType, file_name: REPORT.name };
      expect(await attach({ host_files: [file] })).toEqual(SAME);
    });
  });

  describe("the page", () => {
    it("takes a file of 95 MB, and shows how far it is", async () => {
      const path = join(folder, "large.bin");
      const bytes = Buffer.alloc(95_000_000, "trivet");
      writeFileSync(path, bytes);
      const call_id = newName();
      const call = async () => (await callOxp(served.url, "Kit.Now", {}, { call_id })).body;
      const { page } = await open(linkIn((await call()).message));
      await page.evaluate(`new MutationObserver(() => (window.shares ??= []).push(document.getElementById("bar").value))
        .observe(document.getElementById("share"), { childList: true })`);
      await field(page).setInputFiles(path);
      await uploadButton(page).click();
      await page.getByRole("progressbar", { name: "Uploaded" }).waitFor();
      await page.getByRole("heading", { name: "Received “large.bin”" }).waitFor({ timeout: 120_000 });
      expect(await page.getByRole("main").textContent()).toContain("95 MB.");
      const shares = await page.evaluate<number[]>("window.shares");
      expect(shares.some((share) => share > 0 && share <= 1)).toBe(true);
      await page.close();
      const { result } = await call();
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      expect(result.value).toEqual({ name: "large.bin", type: "application/octet-stream", size: bytes.length, sha256 });
    });

    it("refuses what is not asked for, before it is sent and after, and takes another file then", async () => {
      const url = await link({ accept: [".csv", "text/csv"], maxBytes: 1_000 });
      const { page, requests } = await open(url);
      const why = page.getByRole("alert");
      await uploadButton(page).click();
      expect(await why.textContent()).toBe("Choose a file first.");
      await field(page).setInputFiles({ ...REPORT, name: "a.html", mimeType: "text/html" });
      expect(await why.textContent()).toBe("“a.html” is not one of the files that are asked for: CSV.");
      expect(await field(page).getAttribute("aria-invalid")).toBe("true");
      await field(page).setInputFiles({ ...REPORT, buffer: Buffer.alloc(2_500) });
      await uploadButton(page).click();
      expect(await why.textContent()).toBe("“Größe, Q3.csv” is larger than 1 kB, the most that can be uploaded.");
      expect(requests).toHaveLength(1);
      // A server that says no, and one that cannot be reached.
      const refuse = { status: 413, contentType: "application/json", body: '{"message":"It is too large."}' };
      await page.route("**/upload?*", (route) => route.fulfill(refuse));
      await field(page).setInputFiles(REPORT);
      expect(await why.isVisible()).toBe(false);
      await uploadButton(page).click();
      await why.getByText("It is too large.").waitFor();
      await page.unroute("**/upload?*");
      await page.route("**/upload?*", (route) => route.abort());
      await uploadButton(page).click();
      await why.getByText("The upload was interrupted.").waitFor();
      await page.unroute("**/upload?*");
      await uploadButton(page).click();
      await page.getByRole("heading", { name: /^Received/ }).waitFor();
      await page.close();
    });

    it("can be used by keyboard alone, and tells a screen reader what happens", async () => {
      const { page } = await open(await link());
      const focused = () => page.evaluate<string>("document.activeElement.id || document.activeElement.tagName");
      await page.keyboard.press("Tab");
      expect(await focused()).toBe("file");
      await field(page).setInputFiles(REPORT);
      await page.keyboard.press("Tab");
      expect(await focused()).toBe("send");
      const goOn = await hold(page);
      await page.keyboard.press("Enter");
      await page.getByRole("status").getByText("Uploading “Größe, Q3.csv”").waitFor();
      expect(await focused()).toBe("stop");
      await page.keyboard.press("Enter");
      await uploadButton(page).waitFor();
      expect([await focused(), await page.getByRole("alert").isVisible()]).toEqual(["send", false]);
      await goOn();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: /^Received/ }).waitFor();
      expect(await focused()).toBe("H1");
      expect(await page.title()).toBe("Received “Größe, Q3.csv”");
      await page.close();
    });

    it("takes a file that is dropped anywhere on it, and no more than one", async () => {
      const { page, complaints } = await open(await link());
      const dropped = (names: string[]) =>
        page.evaluate(`{
          const dataTransfer = new DataTransfer();
          for (const name of ${JSON.stringify(names)}) dataTransfer.items.add(new File(["a,b"], name, { type: "text/csv" }));
          for (const type of ["dragover", "drop"]) {
            document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
          }
        }`);
      await dropped(["a.csv", "b.csv"]);
      expect(await page.getByRole("alert").textContent()).toBe("Choose one file only.");
      await dropped(["a.csv"]);
      expect(await page.getByRole("alert").isVisible()).toBe(false);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Received “a.csv”" }).waitFor();
      expect(complaints).toEqual([]);
      await page.close();
    });

    it("open twice: the second says that a file was received, and so does the page when it is opened again", async () => {
      const url = await link();
      const { page: second } = await open(url);
      await person(url);
      await field(second).setInputFiles({ ...REPORT, name: "other.csv" });
      await uploadButton(second).click();
      await second.getByRole("heading", { name: "Already received" }).waitFor();
      await second.goto(url);
      await second.getByRole("heading", { name: "Received" }).waitFor();
      expect(await second.getByRole("main").textContent()).not.toContain("Q3");
      await second.close();
    });

    it.each([
      ["light", 320],
      ["dark", 320],
      ["light", 1280],
      ["dark", 1280],
    ] as const)("is readable in %s at %i px", async (colorScheme, width) => {
      const url = await link({ accept: [".csv", "text/csv", "image/*"], maxBytes: 50_000_000 });
      const { page } = await open(url, { colorScheme, viewport: { width, height: 640 } });
      const look = (name: string) => expectReadable(page, `upload-${name}-${colorScheme}-${width}`);
      await look("empty");
      await field(page).setInputFiles({ ...REPORT, name: "a.html", mimeType: "text/html" });
      await look("wrong");
      await field(page).setInputFiles({ ...REPORT, name: `${"A long name, ".repeat(8)}Q3.csv` });
      const goOn = await hold(page);
      await uploadButton(page).click();
      await page.getByRole("progressbar").waitFor();
      await page.evaluate(`{
        document.getElementById("bar").value = 0.4;
        document.getElementById("share").textContent = "20 MB of 50 MB";
      }`);
      await look("going");
      await goOn();
      await page.getByRole("heading", { name: /^Received/ }).waitFor();
      await look("received");
      await page.goto(url.replace("page=", "page=x"));
      await look("wrong-link");
      await page.close();
    });
  });
});
