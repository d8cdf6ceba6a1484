/** A long tool: it goes on after its request, and after a crash it continues where it was (docs/tasks.md). */
import * as v from "valibot";
import { defineTool, type ToolContext, ToolError } from "#tool";

const MAX_LINKS = 100;

export default defineTool({
  version: "1.0.0",
  description: `Checks up to ${MAX_LINKS} links of a web page, and reports those that do not work. This takes a minute.`,
  annotations: { readOnly: true, openWorld: true },
  long: true,
  rate: 10,
  input: v.object({ url: v.pipe(v.string(), v.url(), v.description("The page, such as https://example.com/.")) }),
  output: v.object({ checked: v.number(), broken: v.array(v.object({ url: v.string(), problem: v.string() })) }),
  /** Runs in the caller's request, so that a wrong address is an error at once. `run` gets what it returns. */
  prepare: async ({ url }, ctx) => linksOf(await read(url, ctx), url),
  async run(_, ctx) {
    const broken: { url: string; problem: string }[] = [];
    for (const [index, url] of ctx.prepared.entries()) {
      ctx.progress(index, ctx.prepared.length, `Checking ${url}`);
      try {
        // A step that was done is not done again: after a crash, it returns or throws what it did before.
        await ctx.step("link", async () => {
          // Other visitors need the site, too.
          await scheduler.wait(500, { signal: ctx.signal });
          await (await read(url, ctx)).body?.cancel();
        });
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        broken.push({ url, problem: error.message });
      }
    }
    return { checked: ctx.prepared.length, broken };
  },
});

async function read(url: string, { fetch, signal }: Pick<ToolContext, "fetch" | "signal">): Promise<Response> {
  const headers = { "user-agent": "Mozilla/5.0 (compatible; Trivet-Links.Check)" };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(8_000)]);
  const response = await fetch(url, { headers, signal: limit }).catch((cause: Error) => {
    signal.throwIfAborted();
    const isPrivate = cause.name === "AddressRefused";
    const problem = isPrivate ? "It is not on the public internet" : `It could not be reached: ${cause.message}`;
    throw new ToolError(problem, { canRetry: !isPrivate, cause });
  });
  if (response.ok) return response;
  await response.body?.cancel();
  throw new ToolError(`The site answers with HTTP ${response.status}`, { canRetry: response.status >= 500 });
}

async function linksOf(page: Response, base: string): Promise<string[]> {
  const links = new Set<string>();
  const element = (a: Element) => {
    // The rewriter does not decode attributes.
    const url = URL.parse(a.getAttribute("href")?.replaceAll("&amp;", "&") ?? "", page.url || base);
    if (url && /^https?:$/.test(url.protocol) && links.size < MAX_LINKS) links.add(url.href.replace(/#.*/, ""));
  };
  await new HTMLRewriter().on("a[href]", { element }).transform(page).body?.pipeTo(new WritableStream());
  return [...links];
}
