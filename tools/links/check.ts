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
  prepare: async ({ url }, ctx) => linksOf(await read(url, ctx), url, ctx.signal),
  async run(_, ctx) {
    const broken: { url: string; problem: string }[] = [];
    for (const [index, url] of ctx.prepared.entries()) {
      ctx.progress(index, ctx.prepared.length, `Checking ${url}`);
      // A step that was done is not done again: after a crash, it returns or throws what it did before.
      const done = ctx.step("link", async () => {
        await scheduler.wait(500, { signal: ctx.signal }); // Other visitors need the site, too.
        await (await read(url, ctx)).body?.cancel();
      });
      await done.catch((error) => {
        if (!(error instanceof ToolError)) throw error;
        broken.push({ url, problem: error.message });
      });
    }
    return { checked: ctx.prepared.length, broken };
  },
});

async function read(url: string, { fetch, signal }: Pick<ToolContext, "fetch" | "signal">): Promise<Response> {
  const headers = { "user-agent": "Mozilla/5.0 (compatible; Trivet-Links.Check)" };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(8_000)]);
  const response = await fetch(url, { headers, signal: limit }).catch((cause: Error) => lost(cause, signal));
  if (response.ok) return response;
  await response.body?.cancel();
  throw new ToolError(`The site answers with HTTP ${response.status}`, { canRetry: response.status >= 500 });
}

function lost(cause: Error, signal: AbortSignal): never {
  signal.throwIfAborted();
  if (cause.name === "AddressRefused") throw new ToolError("It is not on the public internet", { cause });
  throw new ToolError(`It could not be reached: ${cause.message}`, { canRetry: true, cause });
}

async function linksOf(page: Response, base: string, signal: AbortSignal): Promise<string[]> {
  const links = new Set<string>();
  const element = (a: Element) => {
    // The rewriter does not decode attributes. Links are kept until they are checked, so none may be long.
    const url = URL.parse(a.getAttribute("href")?.replaceAll("&amp;", "&") ?? "", page.url || base);
    if (url && /^https?:.{1,2000}$/.test(url.href) && links.size < MAX_LINKS) links.add(url.href.replace(/#.*/, ""));
  };
  const html = new HTMLRewriter().on("a[href]", { element }).transform(page);
  await html.body?.pipeTo(new WritableStream()).catch((cause: Error) => lost(cause, signal));
  return [...links];
}
