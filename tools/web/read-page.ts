import * as v from "valibot";
import { defineTool, ToolError } from "#tool";
import { extract } from "./_extract.ts";
import { fetchPage } from "./_fetch.ts";

const DEFAULT_CHARACTERS = 50_000;
const MOST_CHARACTERS = 500_000;

export default defineTool({
  version: "1.0.0",
  title: "Read a web page",
  description:
    "Reads a public web page and returns its title and main content, without menus, scripts and footers. Also reads plain text, markdown and JSON.",
  annotations: { readOnly: true, openWorld: true },
  timeoutMs: 20_000,
  input: v.object({
    url: v.pipe(v.string(), v.url(), v.description("Address of the page, with http:// or https://.")),
    format: v.optional(
      v.pipe(
        v.picklist(["markdown", "text"]),
        v.description("markdown keeps headings, links and code apart; text is words only. markdown when left out."),
      ),
      "markdown",
    ),
    max_characters: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(1),
        v.maxValue(MOST_CHARACTERS),
        v.description(`How much of the content to return at most. ${DEFAULT_CHARACTERS} when left out.`),
      ),
      DEFAULT_CHARACTERS,
    ),
  }),
  output: v.object({
    url: v.pipe(v.string(), v.description("Address of the page after redirects.")),
    title: v.pipe(v.string(), v.description("Title of the page; empty when it has none.")),
    content: v.pipe(v.string(), v.description("What the page says.")),
    truncated: v.pipe(v.boolean(), v.description("Whether the page says more than content holds.")),
  }),
  async run({ url, format, max_characters }, ctx) {
    const address = new URL(url);
    // A password in an address would go out to the page, and into whatever it logs.
    if (address.username !== "" || address.password !== "") {
      throw new ToolError("An address with a user name or password in it is not read");
    }
    const page = await fetchPage(address, ctx);
    const { title, content } = page.isHtml
      ? await extract(page.text, page.url, format)
      : { title: "", content: page.text.trim() };
    const shown = shorten(content, max_characters);
    return { url: page.url, title, content: shown, truncated: page.cut || shown.length < content.length };
  },
});

/** Cuts between words where there are any, and never within a character. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const cut = text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
  const space = /\s\S*$/.exec(cut)?.index ?? 0;
  return space > most * 0.8 ? cut.slice(0, space).trimEnd() : cut;
}
