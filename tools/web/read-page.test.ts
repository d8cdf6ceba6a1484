/** What Web.ReadPage requests, refuses and limits. Its conversion of HTML is in `extract.test.ts`. */
import { expect, it } from "vitest";
import { callTool, type FakeFetch } from "#test";

/** Reads a page; `web` replies to every request. */
function read(web: FakeFetch, url = "https://example.com/", max_characters?: number) {
  return callTool("Web.ReadPage", { url, ...(max_characters !== undefined && { max_characters }) }, { fetch: web });
}

const page = (body: BodyInit, type = "text/html; charset=utf-8") =>
  new Response(body, { headers: { "content-type": type } });

it("requests the page, and only types that it can read", async () => {
  const { value, requests } = await read(
    { "https://example.com/a?b=c": page("<title>A title</title><p>Words.</p>") },
    "https://example.com/a?b=c#d",
  );
  expect(value).toEqual({
    url: expect.stringMatching(/^https:\/\/example\.com\/a\?b=c/),
    title: "A title",
    content: "Words.",
    truncated: false,
  });
  expect(requests).toHaveLength(1);
  expect(requests[0]?.headers.get("accept")).toMatch(/^text\/html, application\/xhtml\+xml/);
  expect(requests[0]?.headers.get("user-agent")).toContain("ReadPage");
  expect(requests[0]?.signal.aborted).toBe(false);
});

it("follows redirects, and reads links from where they end", async () => {
  const web = {
    "https://example.com/old": Response.redirect("https://www.example.org/new/", 301),
    "https://www.example.org/new/": page("<p><a href=next>Next</a></p>"),
  };
  const { value, requests } = await read(web, "https://example.com/old");
  expect(value.url).toBe("https://www.example.org/new/");
  expect(value.content).toBe("[Next](https://www.example.org/new/next)");
  expect(requests.map(({ url }) => url)).toEqual(Object.keys(web));
});

it.each([
  "http://127.0.0.1/",
  "http://2130706433/",
  "http://localhost:8787/tools",
  "http://169.254.169.254/latest/meta-data/",
  "http://[::1]/",
  "http://10.0.0.7/",
  "http://router.local/",
  "ftp://example.com/file",
  "file:///etc/passwd",
])("reads nothing inside a network, and nothing but http(s): %s", async (url) => {
  const { error } = await callTool("Web.ReadPage", { url });
  expect(error).toMatchObject({
    message: "Only http and https addresses on the public internet can be read",
    canRetry: false,
  });
});

it("does not follow a redirect into a network", async () => {
  const inside = new Response(null, { status: 302, headers: { location: "http://192.168.1.1/admin" } });
  const { error } = await read({ "https://example.com/": inside });
  expect(error?.message).toContain("on the public internet");
});

it("sends no password from an address", async () => {
  const { error } = await callTool("Web.ReadPage", { url: "https://user:hunter2@example.com/" });
  expect(error?.message).toContain("without user name and password");
  expect(JSON.stringify(error)).not.toContain("hunter2");
});

it.each(["text/plain", "text/markdown; charset=utf-8", "application/json", "application/ld+json"])(
  "takes %s as it is",
  async (type) => {
    const { value } = await read(() => page('\n# {"a": "<b>&amp;</b>"}\n', type));
    expect(value).toMatchObject({ title: "", content: '# {"a": "<b>&amp;</b>"}' });
  },
);

it("reads application/xhtml+xml as HTML", async () => {
  const html = "<html xmlns='http://www.w3.org/1999/xhtml'><body><h1>Hi</h1></body></html>";
  expect((await read(() => page(html, "application/xhtml+xml"))).value.content).toBe("# Hi");
});

it.each(["image/png", "application/pdf", "application/octet-stream", "text/css", "video/mp4", ""])(
  "refuses %j, and reads none of it",
  async (type) => {
    let cancelled = false;
    const { error } = await read(() => {
      const endless = new ReadableStream({
        cancel() {
          cancelled = true;
        },
      });
      return new Response(endless, { headers: type === "" ? {} : { "content-type": type } });
    });
    expect(error).toMatchObject({ message: "The address is not a page of text", canRetry: false });
    expect(cancelled).toBe(true);
  },
);

it("reads 2 MiB and no more, even of a page without an end", async () => {
  const chunk = new TextEncoder().encode("word ".repeat(20_000));
  let pulled = 0;
  let cancelled = false;
  const web = () => {
    const endless = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(chunk);
      },
      cancel() {
        cancelled = true;
      },
    });
    return page(endless as unknown as BodyInit, "text/plain");
  };
  const { value } = await read(web, "https://example.com/", 5_000_000);
  expect(value.content.length).toBeLessThanOrEqual(2 * 1024 * 1024);
  expect(value.truncated).toBe(true);
  expect(cancelled).toBe(true);
  expect(pulled * chunk.byteLength).toBeLessThan(2 * 1024 * 1024 + 3 * chunk.byteLength);
});

it("a page of exactly 2 MiB is whole", async () => {
  const { value } = await read(() => page(`${"<!-- x -->".repeat(209_715)}ab`, "text/html"));
  expect(value).toMatchObject({ content: "ab", truncated: false });
});

it.each([
  ["one two three four five six", 7, "one two", true],
  ["one two", 0, "", true],
  ["one two", -1, "", true],
  ["one two three", 13, "one two three", false],
  ["unbreakable-word", 4, "unbr", true],
  ["ab😀cd", 3, "ab", true],
])("%j in at most %i characters is %j", async (text, max_characters, content, truncated) => {
  const web = () => page(text, "text/plain; charset=utf-8");
  expect((await read(web, "https://example.com/", max_characters)).value).toMatchObject({ content, truncated });
});

it("returns 50,000 characters by default", async () => {
  const { value } = await read(() => page("x".repeat(60_000), "text/plain"));
  expect(value.content).toHaveLength(50_000);
  expect(value.truncated).toBe(true);
});

const bytes = (...codes: number[]) => new Uint8Array(codes);

it.each([
  ["the header's charset", bytes(0xe9), "text/html; charset=ISO-8859-1", "é"],
  ["a quoted charset", bytes(0xcf, 0xf0), 'text/html; charset="windows-1251"', "Пр"],
  ["shift_jis", bytes(0x93, 0xfa), "text/plain; charset=Shift_JIS", "日"],
  ["UTF-8 where nothing is said", bytes(0xc3, 0xa9), "text/plain", "é"],
  ["UTF-8 where an unknown one is said", bytes(0xc3, 0xa9), "text/plain; charset=klingon", "é"],
  ["UTF-8 without its byte order mark", bytes(0xef, 0xbb, 0xbf, 0x41), "text/plain", "A"],
])("honours %s", async (_, body, type, content) => {
  expect((await read(() => page(body, type))).value.content).toBe(content);
});

it("uses the encoding that the page names if the header has none", async () => {
  const start = new TextEncoder().encode("<html><head><meta charset='windows-1252'></head><body>caf");
  const { value } = await read(() => page(new Uint8Array([...start, 0xe9]), "text/html"));
  expect(value.content).toBe("café");
});

it.each([
  [401, false],
  [404, false],
  [418, false],
  [429, true],
  [500, true],
  [503, true],
])("says that the site answered with HTTP %i, and whether to try again: %s", async (status, canRetry) => {
  const { error } = await read(() => new Response("no", { status, headers: { "retry-after": "5" } }));
  expect(error).toMatchObject({ message: `The site responded with HTTP ${status}`, canRetry, retryAfterMs: 5_000 });
});

it("waits until the date that Retry-After names (RFC 9110, section 10.2.3)", async () => {
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  const { error } = await read(() => new Response("no", { status: 503, headers: { "retry-after": date } }));
  const wait = error?.retryAfterMs;
  expect(wait).toBeGreaterThan(1_800_000);
  expect(wait).toBeLessThanOrEqual(3_600_000);
});

it("a page that does not answer may be tried again", async () => {
  const { error } = await read(() => Promise.reject(new TypeError("Network connection lost.")));
  expect(error).toMatchObject({ message: "The page could not be reached", canRetry: true });
});

it("a page whose connection breaks on the way may be tried again", async () => {
  const { error } = await read(() => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("Connection lost")) });
    return page(broken as unknown as BodyInit);
  });
  expect(error).toMatchObject({ message: "The page could not be reached", canRetry: true });
});

it.each(["example.com", "", "/path"])("%j is no address", async (url) => {
  const { error } = await callTool("Web.ReadPage", { url });
  expect(error?.message).toContain("with http or https");
});

it.each([{}, { url: "https://example.com/", format: "html" }, { url: "https://example.com/", max_characters: "all" }])(
  "%o fails the input schema",
  async (input) => {
    expect((await callTool("Web.ReadPage", input as never)).error?.reason).toBe("invalid");
  },
);

it("a page that nests without end does not produce far more text than it has", async () => {
  const html = "<blockquote>".repeat(500) + "<p>x</p>".repeat(2_000);
  const { value } = await read(() => page(html), "https://example.com/", 1_000_000);
  expect(value.truncated).toBe(false);
  // With every level's mark in front of each line, it would be a hundred times as long.
  expect(value.content.length).toBeLessThan(6 * html.length);
});

it("refuses a call over its rate before anything is fetched", async () => {
  const env = { RATE_60: { limit: async () => ({ success: false }) } };
  const { error } = await callTool("Web.ReadPage", { url: "https://example.com/" }, { env });
  expect(error?.reason).toBe("busy");
});
