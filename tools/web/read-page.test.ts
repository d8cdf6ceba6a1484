/** What Web.ReadPage requests, refuses and limits. Its conversion of HTML is in `extract.test.ts`. */
import { env, exports } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { allowEveryCall } from "./_allow-every-call.ts";

interface Result {
  readonly success: boolean;
  readonly value?: {
    readonly url: string;
    readonly title: string;
    readonly content: string;
    readonly truncated: boolean;
  };
  readonly error?: Record<string, unknown>;
}

async function post(input: unknown) {
  const response = await exports.default.fetch("http://localhost/tools/call", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ request: { tool_id: "Web.ReadPage@1.0.0", input } }),
  });
  return { status: response.status, body: (await response.json()) as { result: Result } };
}

async function read(url = "https://example.com/", more: Record<string, unknown> = {}): Promise<Result> {
  return (await post({ url, ...more })).body.result;
}

/** Records the requests that go out, and answers each of them. */
function web(answer: (request: Request) => Response | Promise<Response>) {
  const sent: Request[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as RequestInfo, init);
    sent.push(request);
    return answer(request);
  });
  return sent;
}

const page = (body: BodyInit, type = "text/html; charset=utf-8") =>
  new Response(body, { headers: { "content-type": type } });

allowEveryCall("RATE_60");

afterEach(() => {
  vi.restoreAllMocks();
});

it("requests the page, and only types that it can read", async () => {
  const sent = web(() => page("<title>A title</title><p>Words.</p>"));
  expect((await read("https://example.com/a?b=c#d")).value).toEqual({
    url: expect.stringMatching(/^https:\/\/example\.com\/a\?b=c/),
    title: "A title",
    content: "Words.",
    truncated: false,
  });
  expect(sent).toHaveLength(1);
  expect(sent[0]?.method).toBe("GET");
  expect(sent[0]?.url).toMatch(/^https:\/\/example\.com\/a\?b=c/);
  expect(sent[0]?.headers.get("accept")).toMatch(/^text\/html, application\/xhtml\+xml/);
  expect(sent[0]?.headers.get("user-agent")).toContain("ReadPage");
  expect(sent[0]?.signal.aborted).toBe(false);
});

it("follows redirects, and reads links from where they end", async () => {
  const sent = web(({ url }) => {
    if (url === "https://example.com/old") return Response.redirect("https://www.example.org/new/", 301);
    const response = page("<p><a href=next>Next</a></p>");
    // As the runtime does for fetched responses.
    Object.defineProperty(response, "url", { value: url });
    return response;
  });
  const { value } = await read("https://example.com/old");
  expect(value?.url).toBe("https://www.example.org/new/");
  expect(value?.content).toBe("[Next](https://www.example.org/new/next)");
  expect(sent.map(({ url }) => url)).toEqual(["https://example.com/old", "https://www.example.org/new/"]);
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
  const sent = web(() => page("inside"));
  const { success, error } = await read(url);
  expect(success).toBe(false);
  expect(error?.message).toBe("Only http and https addresses on the public internet can be read");
  expect(error?.can_retry).toBe(false);
  expect(sent).toEqual([]);
});

it("does not follow a redirect into a network", async () => {
  const sent = web(() => new Response(null, { status: 302, headers: { location: "http://192.168.1.1/admin" } }));
  expect((await read()).error?.message).toContain("on the public internet");
  expect(sent).toHaveLength(1);
});

it("sends no password from an address", async () => {
  const sent = web(() => page("x"));
  const { error } = await read("https://user:hunter2@example.com/");
  expect(error?.message).toContain("without user name and password");
  expect(JSON.stringify(error)).not.toContain("hunter2");
  expect(sent).toEqual([]);
});

it.each(["text/plain", "text/markdown; charset=utf-8", "application/json", "application/ld+json"])(
  "takes %s as it is",
  async (type) => {
    web(() => page('\n# {"a": "<b>&amp;</b>"}\n', type));
    expect((await read()).value).toMatchObject({ title: "", content: '# {"a": "<b>&amp;</b>"}' });
  },
);

it("reads application/xhtml+xml as HTML", async () => {
  web(() =>
    page("<html xmlns='http://www.w3.org/1999/xhtml'><body><h1>Hi</h1></body></html>", "application/xhtml+xml"),
  );
  expect((await read()).value?.content).toBe("# Hi");
});

it.each(["image/png", "application/pdf", "application/octet-stream", "text/css", "video/mp4", ""])(
  "refuses %j, and reads none of it",
  async (type) => {
    let cancelled = false;
    web(() => {
      const endless = new ReadableStream({
        cancel() {
          cancelled = true;
        },
      });
      return new Response(endless, { headers: type === "" ? {} : { "content-type": type } });
    });
    const { error } = await read();
    expect(error?.message).toBe("The address is not a page of text");
    expect(error?.can_retry).toBe(false);
    expect(cancelled).toBe(true);
  },
);

it("reads 2 MiB and no more, even of a page without an end", async () => {
  const chunk = new TextEncoder().encode("word ".repeat(20_000));
  let pulled = 0;
  let cancelled = false;
  web(() => {
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
  });
  const { value } = await read("https://example.com/", { max_characters: 5_000_000 });
  expect(value?.content.length).toBeLessThanOrEqual(2 * 1024 * 1024);
  expect(value?.truncated).toBe(true);
  expect(cancelled).toBe(true);
  expect(pulled * chunk.byteLength).toBeLessThan(2 * 1024 * 1024 + 3 * chunk.byteLength);
});

it("a page of exactly 2 MiB is whole", async () => {
  web(() => page(`${"<!-- x -->".repeat(209_715)}ab`, "text/html"));
  expect((await read()).value).toMatchObject({ content: "ab", truncated: false });
});

it.each([
  ["one two three four five six", 7, "one two", true],
  ["one two", 0, "", true],
  ["one two", -1, "", true],
  ["one two three", 13, "one two three", false],
  ["unbreakable-word", 4, "unbr", true],
  ["ab😀cd", 3, "ab", true],
])("%j in at most %i characters is %j", async (text, max_characters, content, truncated) => {
  web(() => page(text, "text/plain; charset=utf-8"));
  expect((await read("https://example.com/", { max_characters })).value).toMatchObject({ content, truncated });
});

it("returns 50,000 characters by default", async () => {
  web(() => page("x".repeat(60_000), "text/plain"));
  const { value } = await read();
  expect(value?.content).toHaveLength(50_000);
  expect(value?.truncated).toBe(true);
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
  web(() => page(body, type));
  expect((await read()).value?.content).toBe(content);
});

it("uses the encoding that the page names if the header has none", async () => {
  const start = new TextEncoder().encode("<html><head><meta charset='windows-1252'></head><body>caf");
  web(() => page(new Uint8Array([...start, 0xe9]), "text/html"));
  expect((await read()).value?.content).toBe("café");
});

it.each([
  [401, false],
  [404, false],
  [418, false],
  [429, true],
  [500, true],
  [503, true],
])("says that the site answered with HTTP %i, and whether to try again: %s", async (status, canRetry) => {
  web(() => new Response("no", { status, headers: { "retry-after": "5" } }));
  const { error } = await read();
  expect(error).toMatchObject({ message: `The site responded with HTTP ${status}`, can_retry: canRetry });
  expect(error?.retry_after_ms).toBe(5_000);
});

it("waits until the date that Retry-After names (RFC 9110, section 10.2.3)", async () => {
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  web(() => new Response("no", { status: 503, headers: { "retry-after": date } }));
  const wait = (await read()).error?.retry_after_ms as number;
  expect(wait).toBeGreaterThan(1_800_000);
  expect(wait).toBeLessThanOrEqual(3_600_000);
});

it("a page that does not answer may be tried again", async () => {
  web(() => Promise.reject(new TypeError("Network connection lost.")));
  expect((await read()).error).toMatchObject({ message: "The page could not be reached", can_retry: true });
});

it("a page whose connection breaks on the way may be tried again", async () => {
  web(() => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("Connection lost")) });
    return page(broken as unknown as BodyInit);
  });
  expect((await read()).error).toMatchObject({ message: "The page could not be reached", can_retry: true });
});

it.each(["example.com", "", "/path"])("%j is no address", async (url) => {
  const sent = web(() => page("x"));
  const { success, error } = await read(url);
  expect(success).toBe(false);
  expect(error?.message).toContain("with http or https");
  expect(sent).toEqual([]);
});

it.each([{}, { url: "https://example.com/", format: "html" }, { url: "https://example.com/", max_characters: "all" }])(
  "%o fails the input schema",
  async (input) => {
    const sent = web(() => page("x"));
    expect((await post(input)).status).toBe(422);
    expect(sent).toEqual([]);
  },
);

it("a page that nests without end does not produce far more text than it has", async () => {
  const html = "<blockquote>".repeat(500) + "<p>x</p>".repeat(2_000);
  web(() => page(html));
  const { success, value } = await read("https://example.com/", { max_characters: 1_000_000 });
  expect([success, value?.truncated]).toEqual([true, false]);
  // With every level's mark in front of each line, it would be a hundred times as long.
  expect(value?.content.length).toBeLessThan(6 * html.length);
});

it("refuses a call over its rate before anything is fetched", async () => {
  const counted: string[] = [];
  const limit = async ({ key }: { key: string }) => ({ success: counted.push(key) < 2 });
  Object.assign(env, { RATE_60: { limit } });
  const sent = web(() => page("x"));
  try {
    expect((await read()).success).toBe(true);
    expect((await post({ url: "https://example.com/" })).status).toBe(429);
  } finally {
    allowEveryCall("RATE_60");
  }
  expect(sent).toHaveLength(1);
});
