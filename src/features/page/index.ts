/**
 * At `/`, answers browsers with the page for people, and programs with a line of text. Only forks with the page's
 * `[assets]` in wrangler.toml bundle this; the page itself is a static asset, the same for every caller, and names no
 * tool.
 */
import { env } from "cloudflare:workers";
import { sha256 } from "../../core/crypto/digest.ts";
import type { HomeAbout } from "../../deployment.ts";
import type { Feature } from "../feature.ts";

/** Undefined in an environment of wrangler.toml without the binding. */
const { ASSETS } = env as unknown as { readonly ASSETS?: Fetcher };

export const feature: Feature = {
  home: (next) => async (about, c) => {
    const page = isForPeople(c.req.raw) ? await namedPage(about, c.req.raw) : undefined;
    const response = page ?? (await next(about, c));
    response.headers.set("vary", "Accept");
    return response;
  },
};

/** A header that our page gets from its `_headers`. An environment may have another folder as ASSETS, without it. */
const MARK = "x-trivet-page";

/** Browsers accept HTML and never ask for plainer text. Agents that read pages do (`text/markdown, text/html`). */
function isForPeople({ headers }: Request): boolean {
  const accepted = acceptedTypes(headers.get("accept") ?? "");
  return accepted.includes("text/html") && !accepted.includes("text/plain") && !accepted.includes("text/markdown");
}

/** The types of an Accept header in lower case, without those that it refuses with `q=0` (RFC 9110, section 12.5.1). */
function acceptedTypes(accept: string): readonly string[] {
  const ranges = accept.toLowerCase().split(",");
  return ranges.flatMap((range) => (/;\s*q=0(\.0*)?\s*(;|$)/.test(range) ? [] : range.replace(/;.*/, "").trim()));
}

/**
 * The page with the server's name and description, which are there at the first paint.
 *
 * @returns undefined if the page is not among the assets, or another is in its place
 */
async function namedPage(
  { server: { name, title = name }, documentSettings: { description } }: HomeAbout,
  { url, headers: asked }: Request,
): Promise<Response | undefined> {
  // Leave out the query, in which a sign-in may return its code, and conditions: the asset's ETag lacks the name.
  const asset = await ASSETS?.fetch(new URL("/", url));
  if (!asset?.ok || !asset.headers.has(MARK)) return undefined;
  const headers = new Headers(asset.headers);
  headers.delete(MARK);
  const etag = `"${(await sha256(JSON.stringify([headers.get("etag"), title, description]))).slice(0, 16)}"`;
  headers.set("etag", etag);
  const known = asked.get("if-none-match");
  if (known === "*" || known?.includes(etag)) return new Response(null, { status: 304, headers });
  return new HTMLRewriter()
    .on("head > title, #name", { element: (element) => void element.setInnerContent(title) })
    .on('meta[name="description"]', {
      element: (element) =>
        void (description === undefined ? element.remove() : element.setAttribute("content", description)),
    })
    .transform(new Response(asset.body, { headers }));
}
