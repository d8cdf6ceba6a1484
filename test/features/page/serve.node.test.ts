/** The page at / of a deployment, over HTTP: who gets it, under which name and policy, and that it tells of no tool. */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { build } from "../../support/node/build.ts";
import { type Fork, makeFork, type ServedBuilt, serveDist, testSettings } from "../../support/node/fork.ts";
import { PAGE } from "../../support/node/page.ts";
import { tool } from "../../support/node/project.ts";

/** What Chrome and Firefox send when a person opens an address. */
const CHROME =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";
const FIREFOX = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

const TITLE = '<b>Ships</b> & "boats"';
const DESCRIPTION = '"><script>alert(1)</script>';
const LINE = /^\S.* 1\.0\.0: tools over OXP \(\/tools\), MCP \(\/mcp\) and OpenTool \(\/opentool\/load\)\n$/;

const named = (toml: string) =>
  toml.replace("[vars]", () => `[vars]\nSERVER_TITLE = '${TITLE}'\nSERVER_DESCRIPTION = '${DESCRIPTION}'`);

let fork: Fork;
let open: ServedBuilt;
let closed: ServedBuilt;
let bare: ServedBuilt;
beforeAll(async () => {
  fork = makeFork({ "harbour/moor.ts": tool() }, { closed: true });
  const settings = testSettings({ closed: true });
  fork.write("wrangler.toml", settings + PAGE);
  await build(fork);
  open = await serveDist(fork, named(testSettings()) + PAGE);
  closed = await serveDist(fork, settings + PAGE);
  // As an environment of wrangler.toml that does not have the page.
  bare = await serveDist(fork, testSettings());
});
afterAll(async () => {
  await Promise.all([open, closed, bare].map((served) => served?.stop()));
  fork?.remove();
});

async function get({ url }: ServedBuilt, accept: string | undefined, path = "/", init: RequestInit = {}) {
  const headers = { ...(accept !== undefined && { accept }), ...init.headers };
  const response = await fetch(url + path, { ...init, headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Without the values of meta elements, where the text of an element would be no element. */
const withoutMeta = (text: string) => text.replace(/ content="[^"]*"/g, "");

describe("who gets the page", () => {
  it.each([
    ["Chrome", CHROME],
    ["Firefox", FIREFOX],
    ["a browser in capitals", "TEXT/HTML"],
    ["a browser that refuses plain text", "text/plain;q=0, text/html;q=0.1"],
  ])("%s does", async (_, accept) => {
    const { status, headers, text } = await get(open, accept);
    expect([status, headers.get("content-type"), headers.get("vary")]).toEqual([
      200,
      "text/html; charset=utf-8",
      "Accept",
    ]);
    expect(text).toMatch(/^<!doctype html>/i);
  });

  it.each([
    ["curl", "*/*"],
    ["a program that says nothing", undefined],
    ["a client of an API", "application/json"],
    ["an agent that reads pages as text", "text/markdown, text/html, */*"],
    ["an agent that does so in capitals", "TEXT/MARKDOWN, text/html"],
    ["a client that refuses HTML", "*/*, text/html;q=0"],
    ["a client that refuses HTML, at length", "application/json, Text/HTML ; level=1; Q=0.000"],
    ["a client of another type", "text/html-sandboxed"],
  ])("%s gets the line of text", async (_, accept) => {
    const { status, headers, text } = await get(open, accept);
    expect([status, headers.get("content-type"), headers.get("vary")]).toEqual([
      200,
      "text/plain; charset=UTF-8",
      "Accept",
    ]);
    expect(text).toMatch(LINE);
  });

  it("comes back from a sign-in to the same page, which never learns of the query", async () => {
    const [plain, back] = await Promise.all([get(open, CHROME), get(open, CHROME, "/?code=c0de&state=st4te")]);
    expect(back.text).toBe(plain.text);
    expect(back.status).toBe(200);
  });

  it("is served at no other path", async () => {
    for (const path of ["/index.html", "/index", "/_headers", "/front-page/index.html"]) {
      expect((await get(open, CHROME, path)).status, path).toBe(404);
    }
  });

  it("HEAD has the headers of GET and no body; other methods are refused", async () => {
    const [asked, got] = await Promise.all([get(open, CHROME, "/", { method: "HEAD" }), get(open, CHROME)]);
    expect([asked.status, asked.text]).toEqual([200, ""]);
    for (const name of ["etag", "vary", "content-type", "content-security-policy"]) {
      expect(asked.headers.get(name), name).toBe(got.headers.get(name));
    }
    const posted = await get(open, CHROME, "/", { method: "POST" });
    expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("the server's name", () => {
  it("is in the page as text, whatever is in it", async () => {
    const { text } = await get(open, CHROME);
    expect(text).toContain("<title>&lt;b&gt;Ships&lt;/b&gt; &amp; ");
    expect(text).toMatch(/<h1\b[^>]*\bid="name"[^>]*>&lt;b&gt;Ships&lt;\/b&gt; &amp; /);
    expect(text).not.toContain("<b>Ships");
    const [, description] = /<meta name="description" content="([^"]*)"/.exec(text) ?? [];
    expect(description?.replaceAll("&quot;", '"')).toBe(DESCRIPTION);
  });

  it("is SERVER_NAME without a title, and there is no description without one", async () => {
    const { text } = await get(closed, CHROME);
    expect(text).toContain("<title>trivet</title>");
    expect(text).not.toContain('name="description"');
  });

  it("changes the ETag: a browser that knows the page under one name gets it again under another", async () => {
    const [one, other] = await Promise.all([get(open, CHROME), get(closed, CHROME)]);
    const etag = one.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"\w+"$/);
    expect(other.headers.get("etag")).not.toBe(etag);
    const conditional = (served: ServedBuilt, known: string) =>
      get(served, CHROME, "/", { headers: { "if-none-match": known } });
    const same = await conditional(open, etag);
    expect([same.status, same.text, same.headers.get("vary")]).toEqual([304, "", "Accept"]);
    // As a proxy has it that has compressed the page.
    expect((await conditional(open, `W/${etag}`)).status).toBe(304);
    expect((await conditional(closed, etag)).status).toBe(200);
  });
});

describe("the policy of the page", () => {
  it("allows the script and the style that are inside it, and no others", async () => {
    const { headers, text } = await get(open, CHROME);
    const policy = headers.get("content-security-policy") ?? "";
    const directives = new Map(
      policy.split("; ").map((directive): [string, string] => {
        const [name = "", ...sources] = directive.split(" ");
        return [name, sources.join(" ")];
      }),
    );
    const hashOf = (element: string) => {
      const inside = [...withoutMeta(text).matchAll(new RegExp(`<${element}\\b[^>]*>(.*?)</${element}>`, "gs"))];
      expect(inside, element).toHaveLength(1);
      const [, content = ""] = inside[0] ?? [];
      return `'sha256-${createHash("sha256").update(content).digest("base64")}'`;
    };
    expect(Object.fromEntries(directives)).toEqual({
      "default-src": "'none'",
      "script-src": hashOf("script"),
      "style-src": hashOf("style"),
      "img-src": "'self' data: blob:",
      "media-src": "blob: data:",
      "connect-src": "'self'",
      "form-action": "'none'",
      "base-uri": "'none'",
      "frame-ancestors": "'none'",
      "require-trusted-types-for": "'script'",
      "trusted-types": "'none'",
    });
  });

  it("is not in need of what it forbids: attributes with styles or scripts, and other files", async () => {
    const { text } = await get(open, CHROME);
    const markup = withoutMeta(text).replace(/<(script|style)\b[^>]*>.*?<\/\1>/gs, "");
    expect(markup).not.toMatch(/\s(style|on\w+)\s*=/i);
    // A link that a person follows may lead elsewhere.
    const loaded = [...markup.matchAll(/<(?!a\b)[^>]*\s(?:src|href)\s*=\s*"([^"]*)"/gi)].map(([, url]) => url);
    expect(loaded.filter((url) => !url?.startsWith("data:"))).toEqual([]);
  });

  it("comes with headers against framing, sniffing and leaks of the address", async () => {
    const { headers } = await get(open, CHROME);
    expect(Object.fromEntries(headers)).toMatchObject({
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": expect.stringContaining("camera=()"),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    });
    // That is between the Worker and its assets.
    expect(headers.has("x-trivet-page")).toBe(false);
  });
});

describe("a deployment that requires a credential", () => {
  it("serves everyone the page, which is the same as elsewhere but for the name, and no tool", async () => {
    const [here, there] = await Promise.all([get(closed, CHROME), get(open, CHROME)]);
    expect(here.status).toBe(200);
    expect(here.text).not.toMatch(/harbour|moor/i);
    expect(there.text).not.toMatch(/harbour|moor/i);
    const scriptOf = (text: string) => /<script.*<\/script>/s.exec(withoutMeta(text))?.[0];
    expect(scriptOf(here.text)).toContain("document");
    expect(scriptOf(here.text)).toBe(scriptOf(there.text));
    expect((await get(closed, "application/json", "/tools")).status).toBe(401);
    expect((await get(open, "application/json", "/tools")).text).toContain("Harbour.Moor");
  });
});

describe("without the page", () => {
  it("an environment that lacks the block answers browsers with the line of text", async () => {
    const { status, text } = await get(bare, CHROME);
    expect(status).toBe(200);
    expect(text).toMatch(LINE);
  });

  it("an environment with a folder of its own answers at / as without the page", async () => {
    fork.write("public/index.html", "<!doctype html><title>Own</title><h1 id=name>Own</h1>");
    fork.write("public/_headers", "/*\n  Content-Security-Policy: default-src 'self'\n");
    const served = await serveDist(fork, testSettings() + PAGE.replace("src/generated/front-page", "public"));
    try {
      const { status, text, headers } = await get(served, CHROME);
      expect([status, headers.get("content-security-policy")]).toEqual([200, null]);
      expect(text).toMatch(LINE);
    } finally {
      await served.stop();
    }
  });

  it.each([
    ["a fork without the block answers as if there were no page", "", {}, LINE],
    [
      "a route of the fork's own at / comes first",
      PAGE,
      { "worker.ts": 'export default { routes: (app) => void app.get("/", (c) => c.text("own")) };\n' },
      /^own$/,
    ],
  ])("%s", async (_, toml, more, expected) => {
    const own = makeFork({ "harbour/moor.ts": tool(), ...more });
    try {
      const settings = testSettings() + toml;
      own.write("wrangler.toml", settings);
      await build(own);
      const served = await serveDist(own, settings);
      try {
        const { text, headers } = await get(served, CHROME);
        expect(text).toMatch(expected);
        expect(headers.get("vary")).toBeNull();
      } finally {
        await served.stop();
      }
    } finally {
      own.remove();
    }
  });
});
