/** HTML → title and readable text. HTMLRewriter parses the page as browsers do, without building a tree. */

import { decoded, endOfWhole } from "./_references.ts";

/** Elements around a page's content, or without text. */
const DROPPED =
  "script,style,noscript,template,svg,nav,footer,aside,iframe,object,video,audio,canvas,select,button,label,textarea,dialog";

const BLOCK =
  /^(address|article|blockquote|body|caption|dd|details|div|dl|dt|figcaption|figure|form|h[1-6r]|header|li|main|menu|ol|p|pre|section|summary|table|title|tr|ul)$/;

/** Bytes parsed at once. Between pieces, timers and other calls can run. */
const PIECE_BYTES = 16 * 1024;
/**
 * Maximum cost of a page, about 1 s of CPU time. One part is one call from the runtime (10 to 20 µs): an element is one,
 * a text at least two, an address one more, and an end tag that is waited for counts as {@link PARTS_OF_AN_END}. A page
 * of 12,000 elements with text around each, such as a very long encyclopedia article, is still read completely.
 */
const MAX_PARTS = 64_000;
const PARTS_OF_AN_END = 2;
/** Maximum length of the output, which indents and link addresses can make longer than the page. */
const MAX_CHARACTERS = 2 * 1024 * 1024;
const MAX_TITLE = 1_000;
/** Maximum length of a link's address plus the address that it is relative to. */
const MAX_ADDRESS = 2_000;

/** The effect of the surrounding elements on a text. */
interface Place {
  /** 2 in the page's main element, 1 in an article, otherwise 0. */
  readonly rank: number;
  readonly indent: string;
  readonly heading: string;
  readonly list?: { readonly ordered: boolean; readonly indent: string; count: number };
}

/**
 * @param url of the page, to resolve its links
 * @returns `cut` is true if a part of the page was not read
 * @throws the signal's reason, as soon as it fires
 */
export async function extract(html: string, url: string, markdown: boolean, signal: AbortSignal) {
  const reader = Object.assign(new Reader(), { base: url, markdown });
  const { readable, writable } = new IdentityTransformStream();
  const page = new HTMLRewriter()
    .on(DROPPED, { element: (element) => reader.drop(element) })
    .transform(new Response(readable));
  // A second rewriter, because the first still reports the contents of elements that it removes.
  const read = new HTMLRewriter()
    .on("*", { element: (element) => reader.open(element) })
    .onDocument({ text: (text) => reader.text(text) })
    .transform(page);
  // Reading the output drives the rewriter. Reading chunk by chunk (one per tag or text) takes four times as long.
  const done = Promise.all([feed(writable, html, reader, signal), read.arrayBuffer()]);
  const isWhole = await done.then(() => true, endedEarly);
  const content = reader.finish();
  return { title: reader.title, content, cut: !isWhole || reader.isFull };
}

/** If a page nests too deeply for the rewriter's memory, keep what was read so far. */
function endedEarly(error: Error): false {
  if (!error.message.startsWith("Parser error")) throw error;
  return false;
}

/** Writes a page piece by piece, until the reader is full. */
async function feed(
  writable: WritableStream<Uint8Array>,
  html: string,
  reader: Reader,
  signal: AbortSignal,
): Promise<void> {
  const bytes = new TextEncoder().encode(html);
  const writer = writable.getWriter();
  try {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      signal.throwIfAborted();
      if (reader.isFull) break;
      await writer.write(bytes.subarray(at, at + PIECE_BYTES));
      await scheduler.wait(0);
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error);
    throw error;
  }
}

class Reader {
  title = "";
  base = "";
  markdown = true;
  /** The text so far, by the rank of its place. */
  readonly #read = ["", "", ""];
  #place: Place = { rank: 0, indent: "", heading: "" };
  /** The beginning of a character reference that the next piece of text continues. */
  #pending = "";
  #line = "";
  /** Starts an item's first line, in place of the indent. */
  #bullet: string | undefined;
  /** Whether the block above belongs to the same list or table. */
  #tight = false;
  #cells = 0;
  /** The open link and code, innermost first: the line before them, and the marks to put around them. */
  readonly #spans: { head: string; before: string; after: string }[] = [];
  #parts = 0;
  #characters = 0;
  /** Inside <pre>: the language of the code, or "". */
  #pre: string | undefined;

  /** Whether the rest of the page should not be read. */
  get isFull(): boolean {
    return this.#parts > MAX_PARTS || this.#characters >= MAX_CHARACTERS;
  }

  drop(element: Element): void {
    this.#parts++;
    element.remove();
  }

  text({ text, lastInTextNode }: Text): void {
    this.#parts++;
    const whole = this.#pending + text;
    const end = lastInTextNode ? whole.length : endOfWhole(whole);
    this.#pending = whole.slice(end);
    this.#write(decoded(whole.slice(0, end)));
  }

  finish(): string {
    this.#flush();
    return (this.#read[2] || this.#read[1] || this.#read[0] || "").trim();
  }

  open(element: Element): void {
    this.#parts++;
    const name = element.tagName;
    const attribute = (name: string) => {
      const value = element.getAttribute(name) ?? "";
      // A value longer than a piece is not a name or a usable address. Decoding it would only delay other calls.
      return value.length > PIECE_BYTES ? value : decoded(value);
    };
    const language = () => /\blang(?:uage)?-([\w+#.-]+)/.exec(attribute("class"))?.[1] ?? "";
    if (name === "br") this.#line += this.#place.heading ? " " : "\n";
    if (this.#pre !== undefined) {
      this.#pre ||= language();
      return;
    }
    const outer = this.#place;
    const { indent, list } = outer;
    const isBlock = BLOCK.test(name);
    const isMain = name === "main" || (isBlock && attribute("role") === "main");
    if (isBlock) this.#flush();
    let end: (() => void) | undefined;
    if (this.markdown && /^h[1-6]$/.test(name)) this.#place = { ...outer, heading: `${"#".repeat(Number(name[1]))} ` };
    else if (isMain) this.#place = { ...outer, rank: 2 };
    else if (name === "article") this.#place = { ...outer, rank: outer.rank || 1 };
    else if (this.markdown && name === "blockquote") this.#place = { ...outer, indent: deeper(indent, "> ") };
    else if (/^([uo]l|menu)$/.test(name)) {
      this.#tight &&= !!list;
      this.#place = { ...outer, list: { ordered: name === "ol", indent, count: 0 } };
    } else if (name === "li" && list) {
      const bullet = list.ordered ? `${++list.count}. ` : "- ";
      this.#bullet = list.indent + bullet;
      this.#place = { ...outer, indent: deeper(list.indent, " ".repeat(bullet.length)) };
    } else if (name === "tr") this.#cells = 0;
    else if (name === "td" || name === "th") {
      // A row of plain text is one line. Cells that contain blocks are layout.
      if (this.#cells++ > 0) this.#line += " | ";
      else this.#flush();
    } else if (name === "a") end = this.#span("[", this.#absolute(attribute("href")));
    else if (name === "code") end = this.#span("`", "`");
    else if (name === "img") {
      const alt = attribute("alt").trim();
      const source = this.markdown && this.#absolute(attribute("src"));
      this.#write(alt && source ? `![${alt}${source}` : alt);
    } else if (name === "base") this.#rebase(attribute("href"));
    else if (name === "pre") {
      this.#pre = language();
      end = () => this.#endPre();
    } else if (name === "title") {
      end = () => {
        this.title ||= this.#line.replace(/ +/g, " ").trim().slice(0, MAX_TITLE).toWellFormed();
        this.#line = "";
      };
    }
    // Waiting for an end tag is expensive, and most for an element that has none: it throws.
    if ((!isBlock && !end) || name === "hr") return;
    this.#parts += PARTS_OF_AN_END;
    try {
      element.onEndTag(() => {
        end?.();
        if (!isBlock) return;
        this.#flush();
        this.#place = outer;
        if (name === "li") this.#bullet = undefined;
      });
    } catch {
      // An element without content has no end tag.
    }
  }

  #write(text: string): void {
    this.#line += this.#pre === undefined ? text.replace(/\s+/g, " ") : text;
  }

  /** @returns what to do at the end tag */
  #span(before: string, after: string): (() => void) | undefined {
    // If more than two are open, some were never closed.
    if (!this.markdown || !after || this.#spans.length > 1) return undefined;
    this.#spans.unshift({ head: this.#line, before, after });
    this.#line = "";
    return () => this.#wrap(this.#spans.shift());
  }

  /** Puts the marks around the words, but not around leading and trailing space. */
  #wrap(span = { head: "", before: "", after: "" }): void {
    this.#line = span.head + this.#line.replace(/\S(.*\S)?/s, (words) => span.before + words + span.after);
    span.head = "";
  }

  /** Ends a block and starts another. */
  #flush(): void {
    for (const span of this.#spans) this.#wrap(span);
    const line = this.#line.replace(/ +/g, " ").trim();
    this.#put(line.replace(/ ?\n ?/g, "\n"));
  }

  #endPre(): void {
    // HTML, "pre": a newline right after the start tag is not part of the text.
    const code = this.#line.replace(/^\r?\n/, "").trimEnd();
    const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => (run.length > most.length ? run : most), "``");
    const fence = `${longest}\``;
    const fenced = this.markdown ? `${fence}${this.#pre}\n${code}\n${fence}` : code;
    this.#pre = undefined;
    this.#put(code && fenced);
  }

  #put(text: string): void {
    this.#line = "";
    // Skip empty lines, and rows of empty cells.
    if (!/[^\s|]/.test(text)) return;
    const { rank, indent, heading, list } = this.#place;
    // List items and table rows have no blank lines between them.
    const tight = !!list || this.#cells > 1;
    // The worst case: every character starts a new line.
    const room = Math.max(0, MAX_CHARACTERS - this.#characters) / (1 + indent.length);
    const lines = text.slice(0, room).replaceAll("\n", `\n${indent}`);
    const start = (this.#tight && tight ? "\n" : "\n\n") + (this.#bullet ?? indent) + heading;
    this.#characters = text.length > room ? MAX_CHARACTERS : this.#characters + start.length + lines.length;
    this.#read[rank] += start + lines;
    this.#bullet = undefined;
    this.#tight = tight;
    this.#cells = 0;
  }

  /** A base address that is too long is stored anyway, so that links relative to it count as too long, too. */
  #rebase(address: string): void {
    this.base = address.length > MAX_ADDRESS ? address : (URL.parse(address, this.base)?.href ?? this.base);
  }

  /**
   * null for an address that is too long: otherwise, a long base address would make every link of a page as long.
   */
  #resolved(address: string): URL | null {
    return address.length + this.base.length > MAX_ADDRESS ? null : URL.parse(address, this.base);
  }

  /** The end of a markdown link. Empty unless the address is on the web or an e-mail: no `javascript:` or `data:`. */
  #absolute(address: string): string {
    if (!address || address.startsWith("#")) return "";
    this.#parts++;
    const url = this.#resolved(address);
    if (!url || !/^(https?|mailto):/.test(url.protocol)) return "";
    this.#characters += url.href.length;
    // Parentheses would end the address in markdown.
    return `](${url.href.replaceAll("(", "%28").replaceAll(")", "%29")})`;
  }
}

/** Limits the indent, which starts every line: a deeply nested page must not produce far more text than it has. */
function deeper(indent: string, by: string): string {
  return indent.length < 40 ? indent + by : indent;
}
