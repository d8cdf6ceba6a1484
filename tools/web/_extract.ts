/** HTML → title and readable text. HTMLRewriter reads the page as browsers do, without building a tree of it. */
import { decodeEntities } from "./_entities.ts";
import { type Place, Writer } from "./_writer.ts";

/** What is around a page's content, or is not text. */
const DROPPED = new Set(
  (
    "script style noscript template svg nav footer aside iframe object video audio canvas select datalist button " +
    "textarea dialog"
  ).split(" "),
);

const BLOCKS = new Set(
  (
    "address article aside body blockquote center dd details div dl dt fieldset figcaption figure footer form header " +
    "hgroup hr main nav p section summary caption"
  ).split(" "),
);

export interface Extracted {
  readonly title: string;
  readonly content: string;
}

/** @param url where the page stands, for its links */
export async function extract(html: string, url: string, format: "markdown" | "text"): Promise<Extracted> {
  const reader = new PageReader(url, new Writer(format));
  const rewriter = new HTMLRewriter()
    .on("*", { element: (element) => reader.open(element) })
    .onDocument({ text: ({ text, lastInTextNode }) => reader.text(text, lastInTextNode) });
  const page = new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
  // The rewriter works while its output is read; the output itself is of no use here.
  const output = rewriter.transform(page).body;
  if (output !== null) for await (const _ of output);
  return reader.finish();
}

/**
 * End tags that a page leaves out (`</li>`, `</td>`, `</p>`) are reported only when an element around them ends: lists,
 * rows and cells therefore end where the next begins.
 */
class PageReader {
  #base: string;
  #title = "";
  #inTitle = false;
  #dropping = false;
  /** Text comes in pieces that may end within a character reference. */
  #pending = "";
  readonly #writer: Writer;

  constructor(url: string, writer: Writer) {
    this.#base = url;
    this.#writer = writer;
  }

  text(piece: string, isLast: boolean): void {
    if (this.#dropping) return;
    this.#pending += piece;
    if (!isLast) return;
    const text = decodeEntities(this.#pending);
    this.#pending = "";
    if (this.#inTitle) this.#title += text;
    else this.#writer.text(text);
  }

  open(element: Element): void {
    if (this.#dropping) return;
    const name = element.tagName;
    if (BLOCKS.has(name)) this.#writer.boundary();
    if (DROPPED.has(name)) this.#drop(element);
    else if (name === "title") this.#openTitle(element);
    else {
      this.#openPlace(element, name);
      this.#openElement(element, name);
    }
  }

  finish(): Extracted {
    return { title: this.#title.replace(/\s+/g, " ").trim(), content: this.#writer.finish() };
  }

  #drop(element: Element): void {
    this.#dropping = onEnd(element, () => {
      this.#dropping = false;
    });
  }

  #openTitle(element: Element): void {
    if (this.#title !== "") this.#drop(element);
    else {
      this.#inTitle = onEnd(element, () => {
        this.#inTitle = false;
      });
    }
  }

  /** An article within the main part is a part of it; a form within it is not what the page is about. */
  #openPlace(element: Element, name: string): void {
    const writer = this.#writer;
    const outer = writer.place;
    let place: Place | undefined;
    if (name === "main" || element.getAttribute("role") === "main") place = "main";
    else if (name === "form") place = "form";
    else if (name === "article" && outer !== "main") place = "article";
    if (place === undefined) return;
    writer.boundary();
    const ends = onEnd(element, () => {
      writer.boundary();
      writer.place = outer;
    });
    if (ends) writer.place = place;
  }

  #openElement(element: Element, name: string): void {
    const writer = this.#writer;
    if (/^h[1-6]$/.test(name)) {
      if (onEnd(element, () => writer.closeHeading())) writer.openHeading(Number(name[1]));
      return;
    }
    switch (name) {
      case "ul":
      case "ol":
      case "menu":
        if (onEnd(element, () => writer.closeList())) writer.openList(name === "ol");
        break;
      case "li":
        writer.item();
        break;
      case "br":
        writer.lineBreak();
        break;
      case "a":
        this.#openLink(element);
        break;
      case "img":
        this.#image(element);
        break;
      case "pre":
      case "listing":
        if (onEnd(element, () => writer.closePre())) writer.openPre(languageOf(element));
        break;
      case "code":
      case "kbd":
      case "samp":
        writer.nameLanguage(languageOf(element));
        if (onEnd(element, () => writer.closeCode())) writer.openCode();
        break;
      case "blockquote":
        if (onEnd(element, () => this.#quote(-1))) this.#quote(1);
        break;
      case "table":
        if (onEnd(element, () => writer.closeTable())) writer.openTable();
        break;
      case "tr":
        writer.row();
        break;
      case "td":
      case "th":
        writer.cell();
        break;
      case "base":
        this.#base = this.#absolute(element.getAttribute("href")) ?? this.#base;
        break;
      default:
        if (BLOCKS.has(name)) onEnd(element, () => writer.boundary());
    }
  }

  #openLink(element: Element): void {
    const href = element.getAttribute("href");
    // A link into the page itself leads nowhere for who reads it here.
    const target = href?.startsWith("#") ? undefined : this.#absolute(href);
    if (target === undefined) return;
    if (onEnd(element, () => this.#writer.closeLink())) this.#writer.openLink(target);
  }

  #image(element: Element): void {
    const alt = decodeEntities(element.getAttribute("alt") ?? "").trim();
    if (alt === "") return;
    const source = this.#writer.inLink ? undefined : this.#absolute(element.getAttribute("src"));
    this.#writer.image(alt, source);
  }

  #quote(by: 1 | -1): void {
    this.#writer.boundary();
    this.#writer.quotes += by;
  }

  /** Only where it leads to a place on the web: no `javascript:`, no image inside its own address. */
  #absolute(address: string | null): string | undefined {
    if (address === null) return undefined;
    const url = URL.parse(decodeEntities(address).trim(), this.#base);
    if (url === null || !["http:", "https:", "mailto:"].includes(url.protocol)) return undefined;
    // Parentheses would end the address in markdown.
    return url.href.replaceAll("(", "%28").replaceAll(")", "%29");
  }
}

/** @returns false for an element that has no end, whose content is nothing */
function onEnd(element: Element, run: () => void): boolean {
  try {
    element.onEndTag(run);
    return true;
  } catch {
    return false;
  }
}

/** `<code class="language-ts">`, as HTML's own examples write it. */
function languageOf(element: Element): string {
  return /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/.exec(element.getAttribute("class") ?? "")?.[1] ?? "";
}
