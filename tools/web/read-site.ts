import * as v from "valibot";
import { defineTool, type ToolContext, ToolError } from "#tool";
import { extract } from "./_extract.ts";
import { readText, typeOf } from "./_text.ts";

/** Between two requests, in milliseconds: other visitors need the site, too. */
const PAUSE_MS = 500;
/** Links of one page that are followed. */
const MAX_LINKS = 500;
/** Characters of a robots.txt that are read (RFC 9309, Limits). */
const MAX_ROBOTS = 512_000;
const HEADERS = { accept: "text/html", "user-agent": "Mozilla/5.0 (compatible; Trivet-Web.ReadSite)" };

export default defineTool({
  version: "1.0.0",
  description:
    "Reads the pages of a web site, following its links, and reports the title and length of each, and broken links. " +
    "A site of 50 pages takes a minute.",
  annotations: { readOnly: true, openWorld: true },
  // Longer than clients wait for an answer. They ask again, or are told when it is done (docs/tasks.md).
  long: true,
  timeoutMs: 30 * 60_000,
  rate: 10,
  input: v.object({
    url: v.pipe(v.string(), v.url(), v.description("Address of the page to start from, such as https://example.com/.")),
    max_pages: v.optional(
      v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(200), v.description("Pages to read at most.")),
      50,
    ),
  }),
  output: v.object({
    pages: v.array(v.object({ url: v.string(), title: v.string(), words: v.number() })),
    broken: v.array(v.object({ url: v.string(), linked_from: v.string(), problem: v.string() })),
    unread: v.pipe(v.number(), v.description("Addresses that were found, and not read because of max_pages.")),
  }),

  /** Runs before the rest, while the caller waits: a wrong address is an error at once. */
  async prepare({ url }, ctx) {
    const { protocol, username } = new URL(url);
    if (!/^https?:$/.test(protocol) || username) {
      throw new ToolError("Give an address with http or https, without user name and password");
    }
    const response = await request(url, ctx);
    await response.body?.cancel();
    if (!response.ok) throw new ToolError(`The site responded with HTTP ${response.status}`);
    // Where it leads: many sites redirect to www.
    return response.url || url;
  },

  async run({ max_pages }, ctx) {
    const start = new URL(ctx.prepared);
    const forbidden = await ctx.step("robots.txt", () => readRobots(new URL("/robots.txt", start), ctx));
    const isAllowed = ({ origin, pathname, search }: URL) =>
      origin === start.origin && !forbidden.some((rule) => isAbout(rule, pathname + search));
    if (!isAllowed(start)) throw new ToolError("The site does not want to be read: its robots.txt says so");

    const pages: { url: string; title: string; words: number }[] = [];
    const broken: { url: string; linked_from: string; problem: string }[] = [];
    /** Each address, with the page that links to it. It grows while it is walked through. */
    const found = new Map([[start.href, start.href]]);
    let read = 0;
    for (const [url, linked_from] of found) {
      if (read === max_pages) break;
      // A checkpoint: if the run is cut short, it begins again here, and no page is read twice.
      const { page, problem, links } = await ctx.step("page", () => readPage(url, ctx));
      if (page) pages.push({ url, ...page });
      if (problem) broken.push({ url, linked_from, problem });
      for (const link of links) if (!found.has(link) && isAllowed(new URL(link))) found.set(link, url);
      ctx.progress(++read, Math.min(found.size, max_pages), `Read ${url}`);
    }
    return { pages, broken, unread: found.size - read };
  },
});

type Caller = Pick<ToolContext, "fetch" | "signal">;

/** @throws {ToolError} if there is no response */
function request(url: URL | string, { fetch, signal }: Caller): Promise<Response> {
  return fetch(url, { headers: HEADERS, signal }).catch((cause) => {
    throw new ToolError("The site could not be reached", { canRetry: true, cause });
  });
}

/** What a site does not want to be read: the Disallow rules for everyone (RFC 9309, The Robots Exclusion Protocol). */
async function readRobots(url: URL, caller: Caller): Promise<string[]> {
  const response = await request(url, caller);
  if (!response.ok) return [];
  const { text } = await readText(response);
  // Lines that say whom they are for begin a group of rules: those for everyone count here.
  const groups = text
    .slice(0, MAX_ROBOTS)
    .split(/(?<!^user-agent:.*\n)^(?=user-agent:)/im)
    .filter((group) => /^user-agent:\s*\*/im.test(group));
  const rules = groups.join("\n").matchAll(/^disallow:[ \t]*([/*][^\s#]*)/gim);
  return Array.from(rules, ([, rule = "/"]) => rule);
}

/**
 * Whether a rule is about a path: it is the path's beginning, where `*` stands for anything; `$` marks the path's end
 * (RFC 9309, Special Characters). Not a regular expression, because one with many stars can take for ever.
 */
function isAbout(rule: string, path: string): boolean {
  const isWhole = rule.endsWith("$");
  const [start = "", ...parts] = (isWhole ? rule.slice(0, -1) : rule).split("*");
  if (!path.startsWith(start)) return false;
  const end = isWhole ? parts.pop() : "";
  if (end === undefined) return path === start;
  let rest = path.slice(start.length);
  for (const part of parts) {
    const at = rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return rest.endsWith(end);
}

/** What became of a page, as JSON: this is kept at the checkpoint. */
interface Read {
  readonly page?: { readonly title: string; readonly words: number };
  readonly problem?: string;
  readonly links: readonly string[];
}

async function readPage(url: string, { fetch, signal }: Caller): Promise<Read> {
  await scheduler.wait(PAUSE_MS, { signal });
  // A redirect is read as a link.
  const response = await fetch(url, { headers: HEADERS, signal, redirect: "manual" }).catch(() => undefined);
  signal.throwIfAborted();
  if (response === undefined) return { problem: "could not be reached", links: [] };
  const target = response.headers.get("location");
  if (target !== null || !response.ok || typeOf(response).essence !== "text/html") {
    await response.body?.cancel();
    if (target !== null) return { links: absolute([target], url) };
    return { links: [], ...(!response.ok && { problem: `HTTP ${response.status}` }) };
  }
  const { text } = await readText(response);
  const { title, content } = await extract(text, url, false, signal);
  return { page: { title, words: content.match(/\S+/g)?.length ?? 0 }, links: absolute(await linksIn(text), url) };
}

async function linksIn(html: string): Promise<string[]> {
  const links: string[] = [];
  const rewriter = new HTMLRewriter().on("a[href]", {
    element: (a) => void links.push(a.getAttribute("href") ?? ""),
  });
  await rewriter.transform(new Response(html)).arrayBuffer();
  return links;
}

/** Addresses without what comes after the #, each once. */
function absolute(links: readonly string[], base: string): string[] {
  const urls = links.flatMap((link) => URL.parse(link, base) ?? []);
  const pages = urls.filter(({ protocol, username }) => /^https?:$/.test(protocol) && username === "");
  return [...new Set(pages.map(({ origin, pathname, search }) => origin + pathname + search))].slice(0, MAX_LINKS);
}
