/** How Web.ReadPage handles hostile pages: it never blocks for long, and reports that it stopped early. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { callTool } from "#test";
import { extract } from "./_extract.ts";

const MIB = 1024 * 1024;
/** These pages take seconds on a busy machine, so vitest's time limit must not decide. */
const PATIENT = { timeout: 300_000 };

async function read(html: string) {
  const fetch = () => new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
  const input = { url: "https://example.com/dir/page.html", max_characters: 100 * MIB };
  return (await callTool("Web.ReadPage", input, { fetch })).value;
}

const filled = (unit: string, bytes: number) => unit.repeat(Math.floor(bytes / unit.length));
const count = (text: string, of: string) => text.split(of).length - 1;

afterEach(() => {
  vi.restoreAllMocks();
});

describe("2 MiB of little elements is cut, and says so", () => {
  it.each([
    ["links", "<a href=x>y</a>", "[y]"],
    ["links in one word of a million letters", "<a href=x>y</a>", "[y]", "x".repeat(MIB)],
    ["elements that are dropped, between texts", "<svg></svg>y", "y"],
    ["titles", "<title>y</title><b>z</b>", "z"],
    ["lists in lists", "<ol><li>y", "y"],
    ["lines of a link", "<a href=x>y<br>y<br>", "y"],
    ["images", "<img alt=y src=x>", "![y]"],
  ])("%s", PATIENT, async (_, unit, shown, before = "") => {
    const { content, truncated } = await read(before + filled(unit, 2 * MIB - before.length));
    expect(truncated).toBe(true);
    // Of 64,000 calls, an image takes two, and a link seven; the last piece of the page may bring more.
    expect(count(content, shown)).toBeGreaterThan(4_000);
    expect(count(content, shown)).toBeLessThan(35_000);
  });

  it("an ordinary page of 12,000 elements with text around each is read completely", PATIENT, async () => {
    const paragraph =
      "<p>Some text <a href=/wiki/X>word</a> and <b>bold</b> text<sup><a href=#c>[1]</a></sup> to read.</p>\n";
    const { content, truncated } = await read(`${paragraph.repeat(2_400)}<p>The end.</p>`);
    expect([truncated, content.endsWith("The end.")]).toEqual([false, true]);
  });

  it("does not wait for end tags that do not matter or cannot come: waiting is expensive", PATIENT, async () => {
    let prototype = {} as Element;
    const element = (one: Element) => {
      prototype = Object.getPrototypeOf(one);
    };
    await new HTMLRewriter().on("p", { element }).transform(new Response("<p>")).text();
    const asked = vi.spyOn(prototype, "onEndTag");
    expect((await read("<br><hr><b>y</b><img alt=y><a name=x>y</a>".repeat(1_000))).truncated).toBe(false);
    expect(asked).not.toHaveBeenCalled();
    await read("<p>y</p><a href=x>y</a>");
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it("elements that nest deeper than the rewriter has memory for", PATIENT, async () => {
    const { content, truncated } = await read(`<p>begun</p>${filled("<div>x", 2 * MIB)}`);
    expect([content.startsWith("begun"), truncated]).toEqual([true, true]);
  });
});

describe("a page whose output would be longer than the page", () => {
  it("links relative to a long address are plain text", PATIENT, async () => {
    const base = `https://example.com/${"x".repeat(10_000)}/`;
    const { content } = await read(`<base href="${base}">${"<a href=y>z</a> ".repeat(1_000)}`);
    expect(content.length).toBeLessThan(100_000);
    expect(content).toContain("z z");
  });

  it("links with long addresses are plain text too", PATIENT, async () => {
    const { content } = await read(`<a href="/${"x".repeat(3_000)}">long</a> <a href="/short">short</a>`);
    expect(content).toBe("long [short](https://example.com/short)");
  });

  it("a million lines inside many quotes are cut, and say so", PATIENT, async () => {
    const { content, truncated } = await read(`${"<blockquote>".repeat(30)}<pre>${"a\n".repeat(MIB - 200)}</pre>`);
    expect(truncated).toBe(true);
    expect(content.length).toBeLessThan(2 * MIB + 1_000);
    expect(content).toContain("> a\n");
  });

  it("a title has 1,000 characters at most", PATIENT, async () => {
    const { title, content } = await read(`<title>${"t".repeat(MIB)}</title><p>text</p>`);
    expect([title.length, content]).toEqual([1_000, "text"]);
  });
});

describe("2 MiB of character references is decoded in pieces, with a table that is created once", () => {
  it.each([
    ["in one text, by name", filled("&lt;", 2 * MIB - 100), "<"],
    ["in one text, by number", `x${filled("&#9;", 2 * MIB - 100)}y`, " "],
    ["in one attribute", `<a href="${filled("&lt;", 2 * MIB - 100)}">y</a>`, "y"],
  ])("%s", PATIENT, async (_, html, shown) => {
    const global = globalThis as unknown as { TextDecoder: new () => TextDecoder };
    const decoders = vi.spyOn(global, "TextDecoder");
    let longest = 0;
    const { replace } = String.prototype;
    vi.spyOn(String.prototype, "replace").mockImplementation(function (this: string, ...args: unknown[]) {
      if (String(args[0]).includes("&")) longest = Math.max(longest, this.length);
      return Reflect.apply(replace, this, args);
    });
    const { content } = await extract(html, "https://example.com/", true, new AbortController().signal);
    vi.restoreAllMocks();
    expect(content).toContain(shown);
    expect(decoders.mock.calls.length).toBeLessThan(10);
    expect(longest).toBeLessThan(20 * 1024);
  });
});

describe("between two pieces of a page", () => {
  const PAGE = filled(`<p>${"word ".repeat(20)}</p>`, 256 * 1024);

  /** A signal that counts how often it is checked. */
  function watched() {
    const stop = new AbortController();
    const looks = vi.spyOn(stop.signal, "throwIfAborted");
    return { stop, looks };
  }

  it("the signal is checked, every 16 KiB", PATIENT, async () => {
    const { stop, looks } = watched();
    const { cut } = await extract(PAGE, "https://example.com/", true, stop.signal);
    expect([cut, looks.mock.calls.length]).toEqual([false, 16]);
  });

  it("a timer can fire, and stops the reading", PATIENT, async () => {
    const { stop, looks } = watched();
    setTimeout(() => stop.abort(new Error("time is over")), 0);
    await expect(extract(PAGE, "https://example.com/", true, stop.signal)).rejects.toThrow("time is over");
    expect(looks.mock.calls.length).toBeLessThan(16);
  });

  it("an aborted signal reads nothing", PATIENT, async () => {
    const rewriter = vi.spyOn(WritableStreamDefaultWriter.prototype, "write");
    await expect(extract(PAGE, "https://example.com/", true, AbortSignal.abort())).rejects.toThrow();
    expect(rewriter).not.toHaveBeenCalled();
  });

  it.each(["ä", "😀", "&amp;", "&#228;", "a<b>b</b>", "<!-- x -->c"])(
    "nothing of %s is lost",
    PATIENT,
    async (unit) => {
      const { signal } = new AbortController();
      const one = (await extract(`<p>${unit}</p>`, "https://example.com/", true, signal)).content;
      const times = Math.ceil((40 * 1024) / new TextEncoder().encode(unit).length);
      for (const before of ["", "x", "xx", "xxx"]) {
        const html = `<p>${before}${unit.repeat(times)}</p>`;
        const { content, cut } = await extract(html, "https://example.com/", true, signal);
        expect([content === before + one.repeat(times), cut]).toEqual([true, false]);
      }
    },
  );
});
