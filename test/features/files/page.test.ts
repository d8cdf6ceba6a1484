/** The upload page over HTTP: what it shows, what its URL permits, and what it refuses. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { travel } from "../../support/clock.ts";
import { newCaller, streamOf } from "../../support/files.ts";
import { HOST, send } from "../../support/http.ts";
import { postCall } from "../../support/oxp.ts";
import { open, uploadOn } from "../../support/pages.ts";
import { linkIn } from "../../support/upload-link.ts";

afterEach(() => {
  vi.useRealTimers();
});

interface Page {
  readonly url: string;
  /** What a repeat of the call that asked for it returns. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the tool returns
  came(): Promise<any>;
}

/** Has a tool ask for a page. */
async function page(input: object = {}): Promise<Page> {
  const caller = newCaller();
  const call_id = crypto.randomUUID();
  const call = async () =>
    (await postCall({ request: { tool_id: "Echo.Upload", call_id, input } }, undefined, caller)).body;
  const { message } = await call();
  return {
    url: linkIn(message),
    came: async () => (await call()).result?.value.came[0],
  };
}

describe("the page", () => {
  it("says who asks for what, and allows the browser nothing but its own script, style and upload", async () => {
    const { url } = await page({ accept: ["text/csv", ".csv", "image/*"], maxBytes: 1_200_000, keys: ["<b>report"] });
    const { status, headers, text } = await open(url);
    expect(status).toBe(200);
    expect(text).toContain("<bdi>Echo.Upload</bdi>, a tool of <bdi>trivet</bdi>, asks:");
    expect(text).toContain("<blockquote>Choose the &#60;b&#62;report to summarize</blockquote>");
    expect(text).toContain('accept="text/csv,.csv,image/*"');
    expect(text).toContain("CSV, images, up to 1.2 MB.");
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^ ']+'; script-src 'sha256-[^ ']+'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      ),
    });
    expect(text.length, "a few KB").toBeLessThan(12_000);
    expect(text, "nothing from elsewhere").not.toMatch(/(src|href)=/);
  });

  it("receives one file; afterwards it says only that", async () => {
    const { url, came } = await page();
    const answer = await uploadOn(url, "first", { name: "Größe, 2.csv" });
    expect([answer.status, answer.body]).toEqual([201, { filename: "Größe, 2.csv", size: 5 }]);
    const second = await uploadOn(url, "second");
    expect([second.status, second.body.message]).toEqual([409, expect.stringContaining("has received a file")]);
    const { status, text } = await open(url);
    expect([status, text]).toEqual([200, expect.stringContaining("<h1>Received</h1>")]);
    expect(text).not.toMatch(/Größe|Echo|first|<script/);
    expect(await came()).toMatchObject({ name: "Größe, 2.csv", type: "text/csv", text: "first" });
  });

  it("open in two browsers: one wins, and the other is told", async () => {
    const { url, came } = await page();
    const answers = await Promise.all(["one", "two"].map((text) => uploadOn(url, text.repeat(1_000))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    const won = answers.findIndex(({ status }) => status === 201);
    expect((await came()).text).toBe(["one", "two"][won]?.repeat(1_000));
  });
});

describe("an upload on the page", () => {
  it.each<[string, string | ReadableStream, Parameters<typeof uploadOn>[2], number, RegExp]>([
    ["of another type", "x", { name: "a.html", type: "text/html" }, 415, /“a.html” is not one of .*: CSV, images\.$/],
    ["that is too large", "x".repeat(1_001), {}, 413, /is larger than 1 kB, the most that can be uploaded\.$/],
    ["without a name", "x", { headers: { "x-file-name": "" } }, 400, /Rename it/],
    ["with a malformed name", "x", { headers: { "x-file-name": "%" } }, 400, /Rename it/],
    ["with a malformed type", "x", { type: "csv" }, 415, /type of this file/],
    ["that is compressed", "x", { headers: { "content-encoding": "gzip" } }, 415, /Content-Encoding/],
    ["of unknown length", streamOf("x"), {}, 411, /size of the file/],
  ])("%s is refused in words, and may be tried again", async (_, body, chosen, status, message) => {
    const { url, came } = await page({ accept: ["text/csv", ".csv", "image/*"], maxBytes: 1_000 });
    const answer = await uploadOn(url, body, chosen);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
    expect((await uploadOn(url, "x".repeat(1_000))).status).toBe(201);
    expect((await came()).size).toBe(1_000);
  });

  it.each([
    ["the type", "q3", "text/csv"],
    ["the type with a parameter, in capitals", "q3", "Text/CSV; charset=utf-8"],
    ["the extension, in capitals", "Q3.CSV", "application/vnd.ms-excel"],
    ["a kind of types", "a.bin", "image/png"],
  ])("may fit by %s", async (_, name, type) => {
    const { url } = await page({ accept: ["text/csv", ".csv", "image/*"] });
    expect((await uploadOn(url, "x", { name, type })).status).toBe(201);
  });
});

it("closes after five uploads that break off, and the call asks for another page", async () => {
  const caller = newCaller();
  const call_id = crypto.randomUUID();
  const linkOf = async () => {
    const { body } = await postCall({ request: { tool_id: "Echo.Upload", call_id, input: {} } }, undefined, caller);
    return linkIn(body.message);
  };
  const url = await linkOf();
  for (let failed = 0; failed < 5; failed++) {
    expect(await linkOf()).toBe(url);
    const { status, body } = await uploadOn(url, streamOf("ab"), { headers: { "content-length": "3" } });
    expect([status, body.message]).toEqual([400, "The upload was cut short. Try again."]);
  }
  expect((await uploadOn(url, "abc")).status).toBe(410);
  expect((await open(url)).text).toContain("<h1>This page is closed</h1>");
  const other = await linkOf();
  expect(other).not.toBe(url);
  expect((await uploadOn(other, "abc")).status).toBe(201);
});

describe("its URL", () => {
  it("permits nothing else, and cannot be forged", async () => {
    const { url } = await page();
    const other = await page();
    const at = new URL(url);
    const [text = "", signature = ""] = (at.searchParams.get("page") ?? "").split(".");
    const claims = JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(text, { alphabet: "base64url" })));
    expect(Object.keys(claims)).toEqual(["owner", "expires"]);
    const later = new TextEncoder().encode(JSON.stringify({ ...claims, expires: claims.expires + 1 }));
    const forged = [
      ...["", text, `${text}.`, `${text}.${"A".repeat(43)}`],
      `${later.toBase64({ alphabet: "base64url", omitPadding: true })}.${signature}`,
    ].map((ticket) => `${HOST}${at.pathname}?page=${ticket}`);
    const file = at.pathname.replace("/upload", "");
    forged.push(`${HOST}${new URL(other.url).pathname}${at.search}`);
    for (const one of forged) {
      const { status, text: shown } = await open(one);
      expect([one, status, shown]).toEqual([one, 403, expect.stringContaining("<h1>This link is not valid</h1>")]);
      expect((await uploadOn(one, "x")).status).toBe(403);
    }
    // As another purpose, on the path of that.
    const put = { method: "PUT", headers: { "content-type": "text/csv" }, body: "x" };
    expect((await send(`${file}?upload=${text}.${signature}`, put)).status).toBe(403);
    expect((await send(`${file}?download=${text}.${signature}`)).status).toBe(403);
    expect((await send(`${file}${at.search}`)).status).toBe(403);
    expect((await uploadOn(url, "x")).status).toBe(201);
    expect((await send(`${file}${at.search}`)).status).toBe(403);
  });

  it("expires after an hour, and says so", async () => {
    const { url } = await page();
    travel(59 * 60_000);
    expect((await open(url)).status).toBe(200);
    travel(2 * 60_000);
    const { status, text } = await open(url);
    expect([status, text]).toEqual([410, expect.stringContaining("<h1>This page is closed</h1>")]);
    expect((await uploadOn(url, "x")).status).toBe(410);
  });
});
