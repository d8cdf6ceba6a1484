import * as v from "valibot";
import { defineTool, retryAfterMs, ToolError } from "#tool";
import { extract } from "./_extract.ts";
import { readText, typeOf } from "./_text.ts";

const READABLE = /^(text\/(html|plain|(x-)?markdown)|application\/(xhtml\+xml|([\w.-]+\+)?json))$/;
export default defineTool({
  version: "1.0.0",
  description: "Reads the main content of a web page, or text, markdown or JSON.",
  annotations: { readOnly: true, openWorld: true },
  timeoutMs: 20_000,
  // Requests are sent in the Worker's name, and parsing uses its CPU.
  rate: 60,
  input: v.object({
    url: v.pipe(v.string(), v.description("Address of the page.")),
    format: v.optional(v.pipe(v.picklist(["markdown", "text"]), v.description("Form of the content.")), "markdown"),
    max_characters: v.optional(v.pipe(v.number(), v.description("Maximum length of the content.")), 50_000),
  }),
  output: v.object({
    url: v.pipe(v.string(), v.description("Address after redirects.")),
    title: v.string(),
    content: v.string(),
    truncated: v.boolean(),
  }),
  async run({ url, format, max_characters }, ctx) {
    const address = URL.parse(url);
    // A password in an address would be sent to the site, and may end up in its log.
    if (!address || address.username || address.password) {
      throw new ToolError("Give an address with http or https, without user name and password");
    }
    const page = await fetchText(address, ctx).catch(unreachable);
    const { title, content, cut } = page.isHtml
      ? await extract(page.text, page.url, format === "markdown", ctx.signal)
      : { title: "", content: page.text.trim(), cut: false };
    // Do not cut within a character.
    const excerpt = content.slice(0, Math.max(0, max_characters)).replace(/[\ud800-\udbff]$/, "");
    return { url: page.url, title, content: excerpt, truncated: page.cut || cut || excerpt.length < content.length };
  },
});

interface Caller {
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
  readonly signal: AbortSignal;
}

/** Fetches a page's text in its own encoding, up to the size limit. */
async function fetchText(address: URL, { fetch, signal }: Caller) {
  const headers = {
    accept: "text/html, application/xhtml+xml, text/markdown, text/plain, application/json",
    // Many sites refuse clients without a user agent.
    "user-agent": "Mozilla/5.0 (compatible; Trivet-Web.ReadPage)",
  };
  const response = await fetch(address, { headers, signal });
  const { ok, status, body, url } = response;
  const { essence } = typeOf(response);
  if (!ok || !READABLE.test(essence)) {
    await body?.cancel();
    throw new ToolError(ok ? "The address is not a page of text" : `The site responded with HTTP ${status}`, {
      developerMessage: essence,
      canRetry: status === 429 || status >= 500,
      retryAfterMs: retryAfterMs(response),
    });
  }
  return { url: url || address.href, ...(await readText(response)) };
}

function unreachable(error: Error): never {
  if (error instanceof ToolError) throw error;
  const isRefused = error.name === "AddressRefused";
  throw new ToolError(
    isRefused ? "Only http and https addresses on the public internet can be read" : "The page could not be reached",
    { canRetry: !isRefused, cause: error },
  );
}
