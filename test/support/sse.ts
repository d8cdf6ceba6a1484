/**
 * Reads event streams event by event, while they are open (WHATWG HTML, section 9.2.6). It is as strict as the strictest
 * clients: an event with data must be named "message", and no line may have what Unicode takes for the end of one.
 */

export interface StreamEvent {
  readonly id?: string;
  readonly retry?: string;
  /** Parsed; undefined if the event has no data. */
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  readonly data?: any;
}

export interface Stream {
  readonly response: Response;
  /** Returns the next event that is not a comment; undefined at the end. Throws after some seconds without one. */
  next(): Promise<StreamEvent | undefined>;
  /** Returns the data of the next event that has data. */
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  nextData(): Promise<any>;
  /** Returns all remaining events. */
  rest(): Promise<StreamEvent[]>;
  /** Whether nothing arrives within these milliseconds. Later reads still get what arrives. */
  isSilent(ms: number): Promise<boolean>;
  close(): Promise<void>;
}

const PATIENCE_MS = 5_000;

/** Reads a response. `patienceMs` is how long to wait for an event. */
export function streamOf(response: Response, patienceMs = PATIENCE_MS): Stream {
  if (response.headers.get("content-type") !== "text/event-stream" || response.body === null) {
    throw new Error(`no event stream, but ${response.status} ${response.headers.get("content-type")}`);
  }
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const events: StreamEvent[] = [];
  let text = "";
  let last = "";
  let pending: Promise<boolean> | undefined;
  /** Returns whether the stream goes on. */
  const read = async (): Promise<boolean> => {
    const { done, value } = await reader.read();
    const chunk = decoder.decode(value, { stream: !done });
    // An event of megabytes comes in hundreds of chunks: only the new one is searched for its end.
    const isWhole = (last + chunk).includes("\n\n");
    text += chunk;
    last = chunk.at(-1) ?? last;
    if (!isWhole) return !done;
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = parse(block);
      if (event) events.push(event);
    }
    return !done;
  };
  /** Reads one chunk at a time: a read that timed out is awaited again. */
  const more = () => {
    pending ??= read().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const next = async () => {
    while (events.length === 0) {
      const goesOn = await Promise.race([more(), late(patienceMs)]);
      if (goesOn === "late") throw new Error("the stream is silent");
      if (!goesOn) break;
    }
    return events.shift();
  };
  return {
    response,
    next,
    async nextData() {
      for (;;) {
        const event = await next();
        if (event === undefined || event.data !== undefined) return event?.data;
      }
    },
    async rest() {
      const all: StreamEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) all.push(event);
      return all;
    },
    async isSilent(ms) {
      const until = Date.now() + ms;
      while (events.length === 0 && Date.now() < until) {
        const goesOn = await Promise.race([more(), late(until - Date.now())]);
        if (goesOn === "late" || !goesOn) break;
      }
      return events.length === 0;
    },
    close: () => reader.cancel(),
  };
}

function late(ms: number): Promise<"late"> {
  return new Promise((resolve) => setTimeout(() => resolve("late"), ms));
}

function parse(block: string): StreamEvent | undefined {
  const event: { id?: string; retry?: string; data?: unknown } = {};
  if (/[\u0085\u2028\u2029]/.test(block)) throw new Error(`a client would split this: ${JSON.stringify(block)}`);
  if (/^data: ./m.test(block) && !/^event: message$/m.test(block)) throw new Error(`an event without a name: ${block}`);
  for (const line of block.split("\n")) {
    const [, field, value = ""] = /^([a-z]*): ?(.*)$/.exec(line) ?? [];
    if (field === "id" || field === "retry") event[field] = value;
    if (field === "data" && value !== "") event.data = JSON.parse(value);
  }
  return Object.keys(event).length > 0 ? event : undefined;
}
