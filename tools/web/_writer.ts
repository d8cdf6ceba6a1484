/**
 * Writes a page down, block by block, as markdown or as plain text. Knows no HTML: `_extract.ts` calls it in the
 * page's order. White space is collapsed as a browser would.
 */

/** Where on a page a block stands, which says whether it is what the page is about. */
export type Place = "main" | "article" | "body" | "form";

interface Block {
  readonly place: Place;
  readonly text: string;
  /** The list or table that it is a part of: its parts stand on consecutive lines. */
  readonly group: number | undefined;
  readonly quoted: boolean;
}

interface List {
  readonly ordered: boolean;
  count: number;
  /** What the lines below an item's first are indented by. */
  indent: string;
}

export class Writer {
  place: Place = "body";
  quotes = 0;
  heading = 0;
  readonly #markdown: boolean;
  readonly #blocks: Block[] = [];
  readonly #lists: List[] = [];
  #line = "";
  /** What begins the next block of a list: "- " for an item's first. */
  #marker: string | undefined;
  #link: { readonly href: string; start: number } | undefined;
  #codeStart: number | undefined;
  #pre: { text: string; language: string } | undefined;
  #cells: string[] | undefined;
  #inCell = false;
  #firstRow = false;
  #groups = 0;

  constructor(format: "markdown" | "text") {
    this.#markdown = format === "markdown";
  }

  text(text: string): void {
    if (this.#pre) {
      this.#pre.text += text;
      return;
    }
    // Soft hyphens and zero-width spaces are places to break a line at, and nothing to read.
    const flat = text.replace(/[\u00ad\u200b]/g, "").replace(/\s+/g, " ");
    this.#line += this.#line === "" || /[ \n]$/.test(this.#line) ? flat.trimStart() : flat;
  }

  lineBreak(): void {
    if (this.#pre) this.#pre.text += "\n";
    else if (this.#cells) this.text(" ");
    else this.#line = `${this.#line.trimEnd()}\n`;
  }

  /** Ends a block and starts another; within a row of a table there is but one line. */
  boundary(): void {
    if (this.#pre) return;
    if (this.#cells) this.text(" ");
    else this.#flush();
  }

  openHeading(level: number): void {
    this.#endRow();
    this.#flush();
    this.heading = level;
  }

  closeHeading(): void {
    this.boundary();
    this.heading = 0;
  }

  openList(ordered: boolean): void {
    this.boundary();
    if (this.#lists.length === 0) this.#groups++;
    this.#lists.push({ ordered, count: 0, indent: ordered ? "   " : "  " });
  }

  closeList(): void {
    this.boundary();
    this.#lists.pop();
    this.#marker = undefined;
  }

  item(): void {
    this.boundary();
    const list = this.#lists.at(-1);
    if (list === undefined || this.#cells) return;
    list.count++;
    this.#marker = list.ordered ? `${list.count}. ` : "- ";
    list.indent = " ".repeat(this.#marker.length);
  }

  openLink(href: string): void {
    this.closeLink();
    this.#link = { href, start: this.#line.length };
  }

  closeLink(): void {
    this.#endLink();
    this.#link = undefined;
  }

  get inLink(): boolean {
    return this.#link !== undefined;
  }

  image(alt: string, source: string | undefined): void {
    const isPicture = this.#markdown && source !== undefined && this.#codeStart === undefined && !this.#pre;
    this.text(isPicture ? `![${alt}](${source})` : alt);
  }

  openCode(): void {
    this.#codeStart ??= this.#line.length;
  }

  closeCode(): void {
    if (this.#codeStart === undefined) return;
    this.#wrap(this.#codeStart, (code) => (code.includes("`") ? `\`\` ${code} \`\`` : `\`${code}\``));
    this.#codeStart = undefined;
  }

  openPre(language: string): void {
    this.#endRow();
    this.#flush();
    this.#pre = { text: "", language };
  }

  /** The language of the block of code that is open, where only something inside it says so. */
  nameLanguage(language: string): void {
    if (this.#pre && !this.#pre.language) this.#pre.language = language;
  }

  closePre(): void {
    if (!this.#pre) return;
    const { text, language } = this.#pre;
    this.#pre = undefined;
    // HTML, "pre": a newline right after the start tag is not part of the text.
    const code = text.replace(/\r\n?/g, "\n").replace(/^\n/, "").trimEnd();
    if (code.trim() === "") return;
    const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map((run) => run.length));
    const fence = "`".repeat(longest + 1);
    this.#push(this.#markdown ? `${fence}${language}\n${code}\n${fence}` : code);
  }

  openTable(): void {
    this.#endRow();
    this.#flush();
    this.#groups++;
    this.#firstRow = true;
  }

  row(): void {
    this.#endRow();
    this.#flush();
    this.#cells = [];
  }

  cell(): void {
    if (!this.#cells) this.row();
    const before = this.#take();
    if (this.#inCell) this.#cells?.push(before);
    this.#inCell = true;
  }

  closeTable(): void {
    this.#endRow();
    this.#firstRow = false;
  }

  /** All that was written, or what of it the page is about. */
  finish(): string {
    this.closePre();
    this.#endRow();
    this.#flush();
    const blocks = this.#content();
    return blocks.map((block, index) => separator(blocks[index - 1], block) + block.text).join("");
  }

  #content(): Block[] {
    const at = (...places: Place[]) => this.#blocks.filter(({ place }) => places.includes(place));
    const length = (blocks: Block[]) => blocks.reduce((sum, { text }) => sum + text.length, 0);
    for (const place of ["main", "article"] as const) if (at(place).length > 0) return at(place);
    // Some frameworks put a whole page into one form: there it is no search field or login.
    return length(at("form")) > 2 * length(at("body")) ? at("body", "form") : at("body");
  }

  #flush(): void {
    const line = this.#take();
    if (line === "") return;
    const inline = this.heading > 0 ? line.replaceAll("\n", " ") : line;
    this.#push(this.#markdown && this.heading > 0 ? `${"#".repeat(this.heading)} ${inline}` : inline);
  }

  #endRow(): void {
    if (!this.#cells) return;
    const last = this.#take();
    const cells = this.#inCell ? [...this.#cells, last] : this.#cells;
    this.#cells = undefined;
    this.#inCell = false;
    const filled = cells.filter((cell) => cell !== "");
    // A row with one text is a layout, not data.
    if (filled.length < 2) {
      for (const text of filled) this.#push(text);
      return;
    }
    const written = cells.map((cell) => (this.#markdown ? cell.replaceAll("|", "\\|") : cell));
    const line = this.#markdown ? `| ${written.join(" | ")} |` : written.join(" | ");
    const rule = this.#markdown && this.#firstRow ? `\n|${" --- |".repeat(cells.length)}` : "";
    this.#firstRow = false;
    this.#push(line + rule, this.#groups);
  }

  /** What is on the line, which is empty afterwards; a link that goes on is closed here and open again. */
  #take(): string {
    this.#endLink();
    this.#codeStart = undefined;
    const line = this.#line.trim();
    this.#line = "";
    if (this.#link) this.#link.start = 0;
    return line;
  }

  #endLink(): void {
    // Markdown in a code span is no markdown.
    if (!this.#link || !this.#markdown || this.#codeStart !== undefined) return;
    const { href, start } = this.#link;
    this.#wrap(start, (text) => `[${text.replaceAll("\n", " ")}](${href})`);
  }

  /** Puts something around the line's end, not around the space at its edges. */
  #wrap(start: number, around: (text: string) => string): void {
    const text = this.#line.slice(start);
    const inner = text.trim();
    if (inner === "" || !this.#markdown) return;
    const [before, after] = [/^\s/.test(text) ? " " : "", /\s$/.test(text) ? " " : ""];
    this.#line = this.#line.slice(0, start) + before + around(inner) + after;
  }

  #push(text: string, group = this.#lists.length > 0 ? this.#groups : undefined): void {
    const outer = this.#lists.slice(0, -1).map(({ indent }) => indent);
    const rest = outer.join("") + (this.#lists.at(-1)?.indent ?? "");
    const first = this.#marker === undefined ? rest : outer.join("") + this.#marker;
    this.#marker = undefined;
    const quote = this.#markdown ? "> ".repeat(this.quotes) : "";
    const lines = text.split("\n").map((line, index) => quote + (index === 0 ? first : rest) + line);
    this.#blocks.push({ place: this.place, text: lines.join("\n"), group, quoted: quote !== "" });
  }
}

function separator(before: Block | undefined, block: Block): string {
  if (before === undefined) return "";
  if (block.group !== undefined && block.group === before.group) return "\n";
  return before.quoted && block.quoted ? "\n>\n" : "\n\n";
}
