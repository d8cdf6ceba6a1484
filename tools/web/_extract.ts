/** HTML → title and readable text. HTMLRewriter reads the page as browsers do, without building a tree of it. */

/** What is around a page's content, or is not text. */
const DROPPED =
  "script,style,noscript,template,svg,nav,footer,aside,iframe,object,video,audio,canvas,select,button,label,textarea,dialog";

const BLOCK =
  /^(address|article|blockquote|body|caption|dd|details|div|dl|dt|figcaption|figure|form|h[1-6r]|header|li|menu|ol|p|pre|section|summary|table|title|tr|ul)$/;

/** Names of characters by their numbers. What else has a name, pages write as a number or as the character itself. */
const NAMED = new Map(
  "amp38 lt60 gt62 quot34 apos39 nbsp160 copy169 reg174 trade153 hellip133 mdash151 ndash150 lsquo145 rsquo146 ldquo147 rdquo148 bull149 middot183 euro128 laquo171 raquo187 times215"
    .split(" ")
    .map((pair) => pair.split(/(?=\d)(?<!\d)/) as [string, string]),
);

/** The characters of windows-1252 by their numbers: made once, as a page may name half a million. */
const WINDOWS_1252 = new TextDecoder("latin1").decode(Uint8Array.from({ length: 256 }, (_, code) => code));
/** Characters of a reference that is looked for across two pieces of a text. */
const MAX_REFERENCE = 32;

/** Bytes parsed at once: between pieces, timers and other calls get their turn. */
const PIECE_BYTES = 16 * 1024;
/** Elements and pieces of text that are read of one page. Each takes 30 to 100 µs; a text has two pieces or more. */
const MAX_PARTS = 50_000;
/** Most characters of output: indents and addresses can make it longer than the page. */
const MAX_CHARACTERS = 2 * 1024 * 1024;
const MAX_TITLE = 1_000;
/** Characters of a link's address, together with the address that it is relative to. */
const MAX_ADDRESS = 2_000;

/** What the elements around a text make of it. */
interface Place {
  /** 2 in what the page calls its main part, 1 in an article. */
  readonly rank: number;
  readonly indent: string;
  readonly heading: string;
  readonly list?: { readonly ordered: boolean; readonly indent: string; count: number };
}

/**
 * @param url where the page stands, for its links
 * @returns `cut` says whether there was more of the page than is read
 * @throws the signal's reason, as soon as it fires
 */
export async function extract(html: string, url: string, markdown: boolean, signal: AbortSignal) {
  const reader = Object.assign(new Reader(), { base: url, markdown });
  const { readable, writable } = new IdentityTransformStream();
  const page = new HTMLRewriter()
    .on(DROPPED, { element: (element) => reader.drop(element) })
    .transform(new Response(readable));
  // A second rewriter, as the first still reports what is in the elements that it takes out.
  const read = new HTMLRewriter()
    .on("*", { element: (element) => reader.open(element) })
    .onDocument({ text: (text) => reader.text(text) })
    .transform(page);
  // Reading the output drives the rewriter. Read at once: chunk by chunk (one per tag or text) took four times as long.
  const works = Promise.all([feed(writable, html, reader, signal), read.arrayBuffer()]);
  const isWhole = await works.then(() => true, endedEarly);
  const content = reader.finish();
  return { title: reader.title, content, cut: !isWhole || reader.isFull };
}

/** A page may nest deeper than the rewriter has memory for: what was read until then is the page. */
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
  /** What was read so far, by the rank of its place. */
  readonly #read = ["", "", ""];
  #place: Place = { rank: 0, indent: "", heading: "" };
  /** The beginning of a character reference, which the next piece of text goes on with. */
  #pending = "";
  #line = "";
  /** Before an item's first line, instead of the indent. */
  #bullet: string | undefined;
  /** Whether what is above belongs to the same list or table. */
  #tight = false;
  #cells = 0;
  /** The link and the code that are open, innermost first: what is before them on the line, and what goes around. */
  readonly #spans: { head: string; before: string; after: string }[] = [];
  #parts = 0;
  #characters = 0;
  /** The language of the code that is read. */
  #pre: string | undefined;

  /** Whether no more of the page is to be read. */
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
      // One that is longer than a piece is no name and no address: it would only keep others waiting.
      return value.length > PIECE_BYTES ? value : decoded(value);
    };
    const language = /\blang(?:uage)?-([\w+#.-]+)/.exec(attribute("class"))?.[1] ?? "";
    if (name === "br") this.#line += this.#place.heading ? " " : "\n";
    if (this.#pre !== undefined) {
      this.#pre ||= language;
      return;
    }
    const outer = this.#place;
    const { indent, list } = outer;
    const isMain = name === "main" || attribute("role") === "main";
    const isBlock = isMain || BLOCK.test(name);
    if (isBlock) this.#flush();
    let end = () => {};
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
      // A row of words is one line; cells that hold blocks are layout.
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
      this.#pre = language;
      end = () => this.#endPre();
    } else if (name === "title") {
      end = () => {
        this.title ||= this.#line.replace(/ +/g, " ").trim().slice(0, MAX_TITLE).toWellFormed();
        this.#line = "";
      };
    }
    try {
      element.onEndTag(() => {
        end();
        if (!isBlock) return;
        this.#flush();
        this.#place = outer;
        if (name === "li") this.#bullet = undefined;
      });
    } catch {
      // An element without content has no end.
    }
  }

  #write(text: string): void {
    this.#line += this.#pre === undefined ? text.replace(/\s+/g, " ") : text;
  }

  #span(before: string, after: string): () => void {
    // More than two at a time were never closed.
    if (!this.markdown || !after || this.#spans.length > 1) return () => {};
    this.#spans.unshift({ head: this.#line, before, after });
    this.#line = "";
    return () => this.#wrap(this.#spans.shift());
  }

  /** Puts the marks around the words, not around the space at their edges. */
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
    // Not the bars of a row of empty cells either.
    if (!/[^\s|]/.test(text)) return;
    const { rank, indent, heading, list } = this.#place;
    // The items of a list and the rows of a table stand on consecutive lines.
    const tight = !!list || this.#cells > 1;
    // Room if every character began a new line.
    const room = Math.max(0, MAX_CHARACTERS - this.#characters) / (1 + indent.length);
    const lines = text.slice(0, room).replaceAll("\n", `\n${indent}`);
    const start = (this.#tight && tight ? "\n" : "\n\n") + (this.#bullet ?? indent) + heading;
    this.#characters = text.length > room ? MAX_CHARACTERS : this.#characters + start.length + lines.length;
    this.#read[rank] += start + lines;
    this.#bullet = undefined;
    this.#tight = tight;
    this.#cells = 0;
  }

  /** A base address that is too long is kept as it is, so that links relative to it are seen to be too long as well. */
  #rebase(address: string): void {
    this.base = address.length > MAX_ADDRESS ? address : (URL.parse(address, this.base)?.href ?? this.base);
  }

  /**
   * null for an address that is too long: each link of a page would be as long as the address that it is relative to.
   */
  #resolved(address: string): URL | null {
    return address.length + this.base.length > MAX_ADDRESS ? null : URL.parse(address, this.base);
  }

  /** Only where it leads to a place on the web: no `javascript:`, no image inside its own address. */
  #absolute(address: string): string {
    if (!address || address.startsWith("#")) return "";
    const url = this.#resolved(address);
    if (!url || !/^(https?|mailto):/.test(url.protocol)) return "";
    this.#characters += url.href.length;
    // Parentheses would end the address in markdown.
    return `](${url.href.replaceAll("(", "%28").replaceAll(")", "%29")})`;
  }
}

/** Where a piece of text can be cut: before a character reference that it may be in the middle of. */
function endOfWhole(text: string): number {
  const start = text.lastIndexOf("&");
  const isOpen = start >= 0 && text.length - start <= MAX_REFERENCE && !text.includes(";", start);
  return isOpen ? start : text.length;
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|#(x[\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    const code = Number(decimal ?? (hex ? `0${hex}` : NAMED.get(name)));
    if (Number.isNaN(code)) return whole;
    // HTML, "numeric character reference end state": those below 256 are of windows-1252, which is also called latin1.
    if (code > 0 && code < 256) return WINDOWS_1252[code] ?? "";
    return code > 0 && code < 0x110000 ? String.fromCodePoint(code).toWellFormed() : "\ufffd";
  });
}

/** Every line begins with its indent: a page that nests without end must not make more text than it has. */
function deeper(indent: string, by: string): string {
  return indent.length < 40 ? indent + by : indent;
}
