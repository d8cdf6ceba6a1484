/** Web.ReadSite on a small site: what it reads, what it reports, and what it leaves alone. */
import { expect, it } from "vitest";
import { callTool, type FakeFetch } from "#test";

const html = (body: string) => new Response(body, { headers: { "content-type": "text/html; charset=utf-8" } });

const SITE: FakeFetch = {
  "https://example.com/": Response.redirect("https://www.example.com/", 301),
  "https://www.example.com/robots.txt": new Response(
    "User-agent: Other\nDisallow: /\n\nUser-agent: *\nUser-agent: Another\nDisallow: /private/ # ours\n",
  ),
  "https://www.example.com/": html(
    "<title>Home</title><p>Two words.</p><a href=/about#us>About</a> <a href=/gone>Gone</a> <a href=/private/x>X</a>",
  ),
  "https://www.example.com/about": html(
    "<title>About</title><a href=/>Home</a> <a href=https://example.org/>Other</a> <a href=/old>Old</a> <a href=/a.pdf>PDF</a>",
  ),
  "https://www.example.com/gone": new Response(null, { status: 404 }),
  "https://www.example.com/old": Response.redirect("https://www.example.com/about", 301),
  "https://www.example.com/a.pdf": new Response("%PDF", { headers: { "content-type": "application/pdf" } }),
};

it("reads the pages that the start links to, and nothing that is forbidden or elsewhere", async () => {
  const { value, progress } = await callTool("Web.ReadSite", { url: "https://example.com/" }, { fetch: SITE });
  expect(value).toEqual({
    pages: [
      { url: "https://www.example.com/", title: "Home", words: 5 },
      { url: "https://www.example.com/about", title: "About", words: 4 },
    ],
    broken: [{ url: "https://www.example.com/gone", linked_from: "https://www.example.com/", problem: "HTTP 404" }],
    unread: 0,
  });
  expect(progress.at(-1)).toEqual({ done: 5, total: 5, message: "Read https://www.example.com/a.pdf" });
});

it("stops at max_pages", async () => {
  const input = { url: "https://www.example.com/", max_pages: 1 };
  const { value } = await callTool("Web.ReadSite", input, { fetch: SITE });
  expect([value.pages.length, value.unread]).toEqual([1, 2]);
});

it("says at once that a site is not there", async () => {
  const fetch = { "https://example.com/": new Response(null, { status: 404 }) };
  const { error, requests } = await callTool("Web.ReadSite", { url: "https://example.com/" }, { fetch });
  expect(error?.message).toBe("The site responded with HTTP 404");
  expect(requests).toHaveLength(1);
});

it("reads nothing of a site that forbids it", async () => {
  const fetch = {
    "https://example.com/": html("Words."),
    "https://example.com/robots.txt": new Response("user-agent: *\r\ndisallow: /\r\n"),
  };
  const { error } = await callTool("Web.ReadSite", { url: "https://example.com/" }, { fetch });
  expect(error?.message).toContain("robots.txt");
});

it("obeys patterns in robots.txt, and leaves the rest of the site open", async () => {
  const forbidden = ["/shop/cart", "/old/a/page.html?x=1", "/print/3", "/exact"];
  const allowed = ["/a.gif?v=2", "/old/a/page.html", "/exact/not", `/${"a".repeat(1_000)}`];
  const fetch: FakeFetch = (request) => {
    const { pathname } = new URL(request.url);
    if (pathname !== "/robots.txt")
      return html([...forbidden, ...allowed].map((path) => `<a href="${path}">`).join(""));
    const rules = ["/shop/*", "/*.gif$", "/old*/*.html*?*=", "/*nt/", "/exact$", "*.png", `/${"*a".repeat(100)}b`, ""];
    return new Response(`User-agent: *\n${rules.map((rule) => `Disallow: ${rule}\n`).join("")}`);
  };
  const { value, requests } = await callTool("Web.ReadSite", { url: "https://example.com/" }, { fetch });
  expect(value.broken).toEqual([]);
  const read = requests.slice(2).map(({ url }) => url.replace("https://example.com", ""));
  expect(read.sort()).toEqual(["/", ...allowed].sort());
});

it("can be tried again if robots.txt cannot be reached", async () => {
  const fetch: FakeFetch = (request) => {
    if (request.url.endsWith("/robots.txt")) throw new TypeError("Network connection lost");
    return html("Words.");
  };
  const { error } = await callTool("Web.ReadSite", { url: "https://example.com/" }, { fetch });
  expect(error).toMatchObject({ message: "The site could not be reached", canRetry: true });
});

it("stops when it is cancelled", async () => {
  const cancelled = new AbortController();
  const fetch: FakeFetch = (request) => {
    if (request.url.endsWith("/robots.txt")) cancelled.abort();
    return html("<a href=/next>Next</a>");
  };
  const options = { fetch, signal: cancelled.signal };
  const { error, requests } = await callTool("Web.ReadSite", { url: "https://example.com/" }, options);
  expect(error?.reason).toBe("cancelled");
  expect(requests.map(({ url }) => url)).toEqual(["https://example.com/", "https://example.com/robots.txt"]);
});
