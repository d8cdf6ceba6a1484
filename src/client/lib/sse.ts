/** Reads server-sent events from text that arrives in pieces (WHATWG HTML, section 9.2.6). Knows no protocol. */

export interface SseEvent {
  /** "message" if the server names none. */
  readonly event: string;
  /** The lines of data, joined with "\n". */
  readonly data: string;
}

/**
 * Takes pieces of a stream, cut anywhere, and returns the events that are complete. Lines may end with LF, CR or CRLF,
 * and the space after a colon may be missing. Skips comments, ids, reconnection times, and events without data.
 */
export class SseParser {
  /** The beginning of a line whose end has not arrived. */
  #line = "";
  /** The last piece ended with CR: a LF at the start of the next is the same line end. */
  #isAfterCr = false;
  #event = "";
  #data: string[] = [];

  push(piece: string): SseEvent[] {
    if (piece === "") return [];
    // Only the new piece is searched for line ends: a long line may arrive in many pieces.
    const fresh = this.#isAfterCr && piece.startsWith("\n") ? piece.slice(1) : piece;
    const [first = "", ...others] = fresh.split(LINE_END);
    this.#isAfterCr = piece.endsWith("\r");
    const lines = [this.#line + first, ...others];
    this.#line = lines.pop() ?? "";
    return lines.flatMap((line) => this.#read(line));
  }

  /** Call it after the last piece. Returns the last event even without its empty line; the standard would drop it. */
  end(): SseEvent[] {
    return [...this.#read(this.#line), ...this.#read("")];
  }

  #read(line: string): SseEvent[] {
    if (line === "") return this.#dispatch();
    const [, field, value = ""] = FIELD.exec(line) ?? [];
    if (field === "event") this.#event = value;
    if (field === "data") this.#data.push(value);
    return [];
  }

  #dispatch(): SseEvent[] {
    const event = { event: this.#event || "message", data: this.#data.join("\n") };
    const isEmpty = this.#data.length === 0;
    this.#event = "";
    this.#data = [];
    return isEmpty ? [] : [event];
  }
}

const LINE_END = /\r\n|\n|\r/;
/** A name, a colon, at most one space, and a value. A comment has an empty name. */
const FIELD = /^([^:]*)(?:: ?([\s\S]*))?$/;
