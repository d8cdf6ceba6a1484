/** One transcript in the making: sends requests to a Worker, and writes down what came back, masked. */

import { until } from "../support/node/fork.ts";
import { Mask } from "./mask.ts";
import type { Golden } from "./workers.ts";

/** Headers of an answer that say nothing about Trivet. */
const OF_THE_TRANSPORT = new Set(["date", "connection", "keep-alive", "transfer-encoding", "content-length"]);

/** An event with data, whole. The first event of a stream may be without, so that it can be resumed. */
const FIRST_DATA = /^data: ?\S.*\n\n/m;

/** Far longer than any answer takes: what is sent to a stream that stays open would wait for the end of the test. */
const ENDS_WITHIN_MS = 60_000;

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, bytes too, and anything else as JSON. */
  readonly body?: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
type Body = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON, or that of the last event of a stream. */
  readonly body: Body;
}

export class Transcript {
  readonly #blocks: string[] = [];
  readonly #names = new Set<string>();
  readonly #mask: Mask;
  readonly #golden: Golden;
  #question: string | undefined;
  /** Requests whose answers have not ended. */
  #open = 0;
  /** What was logged, if it does not matter by which exchange. */
  readonly #gathered: string[] | undefined;

  /**
   * @param fixed  values that are masked by a name
   * @param gather whether what is logged is written at the end: for what goes on by itself, after its request
   */
  constructor(golden: Golden, fixed: Readonly<Record<string, string>> = {}, gather = false) {
    this.#golden = golden;
    this.#gathered = gather ? [] : undefined;
    const { host } = new URL(golden.url);
    this.#mask = new Mask({ ...fixed, origin: golden.url, host, "host, escaped": encodeURIComponent(host) });
  }

  get url(): string {
    return this.#golden.url;
  }

  /** How many exchanges it has. */
  get count(): number {
    return this.#blocks.length;
  }

  toString(): string {
    return `${this.#blocks.join("\n\n")}\n`;
  }

  /** Sends a request, and waits for the end of its answer. */
  async send(name: string, path: string, sent: Sent = {}): Promise<Answer> {
    const response = await this.#fetch(path, sent);
    const text = await endOf(response);
    if (text === undefined) throw new Error(`${name}: the answer does not end. Use listen() for an open stream`);
    return this.#write(name, path, sent, response, textOf(response, text), text);
  }

  /**
   * Sends a request, and does something as soon as the first part of its answer is there, which has to be before the end:
   * the end waits for what is done.
   */
  async stream(name: string, path: string, sent: Sent, then: () => Promise<unknown>): Promise<Answer> {
    const response = await this.#fetch(path, sent);
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    const next = async () => (await reader.read()).value;
    let first = "";
    for (let part = await next(); part !== undefined; part = await next()) {
      first += part;
      if (FIRST_DATA.test(first)) break;
    }
    this.#question = /"id":("[^"]*"|\d+)/.exec(first)?.[1];
    this.#open++;
    await then();
    this.#open--;
    let rest = "";
    for (let part = await next(); part !== undefined; part = await next()) rest += part;
    const shown = `${textOf(response, first)}\n(what follows came later)\n${textOf(response, rest)}`;
    // Two calls were under way, which may log in any order.
    const withoutIds = (line: string) => line.replace(/"time":"[^"]*","callId":"[^"]*"/, "");
    const logs = [...(await this.#logged())].sort((a, b) => (withoutIds(a) < withoutIds(b) ? -1 : 1));
    return this.#write(name, path, sent, response, shown, first + rest, logs);
  }

  /** The id of the request in the first part of the stream that is being read. */
  lastQuestion(): unknown {
    return parsed(this.#question ?? "");
  }

  /** Opens a stream, does something, reads until the text matches, and closes it. */
  async listen(name: string, path: string, sent: Sent, then: () => Promise<unknown>, wanted: RegExp): Promise<void> {
    const abort = new AbortController();
    const response = await this.#fetch(path, sent, abort.signal);
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    const doing = then();
    let text = "";
    while (!wanted.test(text)) {
      const { value, done } = await reader.read();
      if (done) break;
      text += value;
    }
    await doing;
    abort.abort();
    await this.#logged();
    await this.#write(name, path, sent, response, textOf(response, text), text, []);
  }

  /** Sends a request without writing it down, for what has to be polled. */
  async quietly(path: string, sent: Sent = {}): Promise<Body> {
    const text = await (await this.#fetch(path, sent)).text();
    // Else it might take the line of the call whose stream is open.
    if (this.#open === 0) await this.#logged();
    return parsed(text);
  }

  /** Repeats a request until its answer is as wanted, and writes down only the last one. */
  async until(name: string, path: string, sent: Sent, isWanted: (body: Body) => boolean): Promise<Answer> {
    for (let tries = 0; tries < 400; tries++) {
      const response = await this.#fetch(path, sent);
      const text = await response.text();
      if (isWanted(parsed(text))) return this.#write(name, path, sent, response, textOf(response, text), text);
      await this.#logged();
      await new Promise((resume) => setTimeout(resume, 50));
    }
    throw new Error(`${name}: the answer never got there`);
  }

  /** Writes down something that arrived elsewhere, such as at a receiver. */
  note(name: string, lines: readonly string[]): void {
    this.#expectNew(name);
    this.#blocks.push([`### ${name}`, ...lines.map((line) => this.#mask.of(line))].join("\n"));
  }

  /** Writes down what was logged by all exchanges, as soon as it is so many lines. */
  async logs(count: number): Promise<void> {
    const gathered = this.#gathered ?? [];
    await until(async () => {
      await this.#logged();
      return gathered.length >= count;
    });
    this.note("what was logged", gathered.map((line) => this.#mask.of(line)).sort());
  }

  async #logged(): Promise<readonly string[]> {
    const lines = await this.#golden.logged(this.#open);
    // A run hears seconds later that it is cancelled, so that line is not waited for.
    const isToCome = (line: string) => line.startsWith("span: ") || line.includes('"outcome":"cancelled"');
    this.#gathered?.push(...lines.filter((line) => !isToCome(line)));
    return this.#gathered ? [] : lines;
  }

  /** A difference is found by the name of its exchange, so no two may have the same. */
  #expectNew(name: string): void {
    if (this.#names.has(name)) throw new Error(`Two exchanges of a transcript are called "${name}"`);
    this.#names.add(name);
  }

  #fetch(path: string, { method, headers, body }: Sent, signal?: AbortSignal): Promise<Response> {
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    if (signal === undefined) this.#golden.sent();
    return fetch(this.#golden.url + path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
        ...(signal && { "x-test-listens": "true" }),
      },
      redirect: "manual",
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  }

  async #write(
    name: string,
    path: string,
    { method, headers = {}, body }: Sent,
    response: Response,
    shown: string,
    text: string,
    logs?: readonly string[],
  ): Promise<Answer> {
    this.#expectNew(name);
    const caused = logs ?? (await this.#logged());
    const given = [...response.headers].filter(([header]) => !OF_THE_TRANSPORT.has(header));
    const lines = [
      `### ${name}`,
      `${method ?? (body === undefined ? "GET" : "POST")} ${path}`,
      ...Object.entries(headers).map(([header, value]) => `${header}: ${value}`),
      ...(body === undefined ? [] : [typeof body === "string" ? body.slice(0, 300) : JSON.stringify(body)]),
      `=> ${response.status}`,
      ...given.map(([header, value]) => `${header}: ${value}`),
      ...(shown === "" ? [] : [shown]),
      ...caused,
    ];
    this.#blocks.push(lines.map((line) => this.#mask.of(line)).join("\n"));
    const last = text.split(/\n\n/).findLast((event) => event.includes("data:")) ?? text;
    const data = /^data: ?(.*)$/m.exec(last)?.[1] ?? text;
    return { status: response.status, headers: response.headers, text, body: parsed(data) };
  }
}

/** @returns undefined if it does not come */
async function endOf(response: Response): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resume) => {
    timer = setTimeout(() => resume(undefined), ENDS_WITHIN_MS);
  });
  const text = await Promise.race([response.text(), late]);
  clearTimeout(timer);
  return text;
}

/** JSON is written with a member a line, so that a difference is small. */
function textOf(response: Response, text: string): string {
  if (!/json/.test(response.headers.get("content-type") ?? "")) {
    return text.replace(/^data: ?(\{.*)$/gm, (_, json) => `data: ${pretty(json)}`).trimEnd();
  }
  return pretty(text);
}

function pretty(text: string): string {
  const value = parsed(text);
  return value === undefined ? text : JSON.stringify(value, null, 1);
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
