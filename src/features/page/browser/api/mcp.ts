/** A client of MCP 2026-07-28: sends requests, reads their answers as JSON or as a stream, and answers questions. */
import { NoResponse, type OpenResponse, openRequest } from "../../../../client/lib/http.ts";
import { isRecord, parseJson } from "../../../../client/lib/json.ts";
import { SseParser } from "../../../../client/lib/sse.ts";
import type { Access } from "./access.ts";
import { type Block, readBlock, resourceBlock } from "./blocks.ts";
import { type Fetch, failureOf, RpcFailure, statusFailure, Unreachable, unreadable } from "./failures.ts";
import { base64, type Members, numberOr, textOr, textsIn } from "./read.ts";

export type Question =
  /** `schema` is that of an object whose members are texts, numbers, booleans and choices. */
  | { readonly kind: "form"; readonly message: string; readonly schema: Members }
  | { readonly kind: "page"; readonly message: string; readonly url: string };

export interface Answer {
  readonly action: "accept" | "decline" | "cancel";
  /** What a form was filled in with. */
  readonly content?: Members;
}

/** Asks the person. The signal fires when the answer is no longer wanted. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer>;

export interface Progress {
  /** What the tool does, in its words. */
  readonly message?: string | undefined;
  readonly progress?: number | undefined;
  readonly total?: number | undefined;
}

/** A message of a prompt. */
export interface Message {
  readonly role: string;
  /** Empty for content of a type that this page does not know. */
  readonly content: readonly Block[];
}

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Time to the last byte. Default: no limit. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly extensions?: Readonly<Record<string, object>> | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly ask?: Ask | undefined;
  /** Whether to send it even if another caller has taken over: to end what this one has begun. */
  readonly isLate?: boolean;
}

export interface Reply {
  readonly result: Members;
  readonly headers: Headers;
}

/** With this extension, a server also has the tools that only views may call (MCP Apps, Client Capabilities). */
export const VIEWS = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } as const;

const VERSION = "2026-07-28";
const META = "io.modelcontextprotocol/";
const TOO_OLD = "This server does not speak MCP 2026-07-28, which this page needs.";
export const LISTING_MS = 30_000;
const MAX_PAGES = 100;
/** The most rounds of questions of one request. */
const MAX_TURNS = 100;
/** 2026-07-28, basic/index, Error Codes. */
const UNSUPPORTED_VERSION = -32_022;
const UNKNOWN_METHOD = -32_601;

export class Mcp {
  readonly #url: string;
  readonly #fetch: Fetch;
  readonly #fetchLate: Fetch;
  #lastId = 0;

  /**
   * Sends requests for the present caller only.
   *
   * @param send the `fetch` of a recorder, to show what goes over the wire
   */
  constructor(access: Access, send?: Fetch) {
    this.#url = `${access.origin}/mcp`;
    this.#fetch = access.sender(send);
    this.#fetchLate = access.sender(send, true);
  }

  /**
   * Sends one request.
   *
   * @throws {RpcFailure | NeedsCredential | Refused | Unreachable | CallerChanged} and the signal's reason once aborted
   */
  async request(method: string, params: Members = {}, options: RequestOptions = {}): Promise<Reply> {
    const { signal, timeoutMs = Number.POSITIVE_INFINITY, extensions, onProgress, ask, isLate } = options;
    const id = ++this.#lastId;
    const _meta = {
      [`${META}protocolVersion`]: VERSION,
      [`${META}clientInfo`]: { name: "trivet-page", version: "1.0.0" },
      [`${META}clientCapabilities`]: {
        ...(ask && { elicitation: { form: {}, url: {} } }),
        ...(extensions && { extensions }),
      },
      ...(onProgress && { progressToken: id }),
    };
    const name = params.name ?? params.uri ?? params.taskId;
    const init = {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
        "mcp-method": method,
        ...(typeof name === "string" && { "mcp-name": headerText(name) }),
        ...options.headers,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } }),
    };
    try {
      const send = isLate ? this.#fetchLate : this.#fetch;
      const response = await openRequest(this.#url, init, { timeoutMs, signal, fetch: send });
      const { headers } = response;
      const message = /^text\/event-stream\b/i.test(headers.get("content-type") ?? "")
        ? await lastOf(response, id, onProgress)
        : await readWhole(response);
      return { result: resultIn(message), headers };
    } catch (error) {
      throw signal?.aborted ? signal.reason : failureOf(error);
    }
  }

  /**
   * Sends a request that may be answered with questions (2026-07-28, basic/patterns/mrtr), and repeats it with the
   * answers until it is done.
   *
   * @throws as {@link request} does
   */
  async requestAsking(method: string, params: Members, options: RequestOptions = {}): Promise<Reply> {
    let more: Members = {};
    for (let turn = 0; turn < MAX_TURNS; turn++) {
      const reply = await this.request(method, { ...params, ...more }, options);
      const { resultType, inputRequests = {}, requestState } = reply.result;
      if (resultType !== "input_required") return reply;
      if (!isRecord(inputRequests)) unreadable("it has no questions");
      const inputResponses = await answersTo(inputRequests, options);
      more = { inputResponses, ...(requestState !== undefined && { requestState }) };
    }
    return unreadable("it never stops asking");
  }

  /** All pages of a listing (2026-07-28, server/utilities/pagination). @throws as {@link request} does */
  async list(method: string, member: string, extensions?: RequestOptions["extensions"]): Promise<readonly Members[]> {
    const all: Members[] = [];
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const { result } = await this.request(method, params, { timeoutMs: LISTING_MS, extensions });
      const items = result[member];
      if (!Array.isArray(items)) unreadable(`it has no ${member}`);
      all.push(...items.filter(isRecord));
      if (typeof result.nextCursor !== "string" || result.nextCursor === cursor) return all;
      cursor = result.nextCursor;
    }
    return all;
  }

  /** @returns the messages of a prompt. @throws as {@link request} does */
  async getPrompt(name: string, args: Readonly<Record<string, string>>): Promise<readonly Message[]> {
    const { result } = await this.requestAsking("prompts/get", { name, arguments: args });
    const { messages } = result;
    if (!Array.isArray(messages)) return unreadable("it has no messages");
    return messages
      .filter(isRecord)
      .map(({ role, content }) => ({ role: textOr(role, ""), content: readBlock(content) }));
  }

  /** @returns the contents of a resource. @throws as {@link request} does */
  async readResource(uri: string): Promise<readonly Block[]> {
    const { result } = await this.requestAsking("resources/read", { uri });
    const { contents } = result;
    return Array.isArray(contents) ? contents.flatMap(resourceBlock) : unreadable("it has no contents");
  }

  /**
   * Suggests values for an argument of a prompt, or a variable of a resource template.
   *
   * @param of the prompt's name, or the template's `uriTemplate`
   * @param filledIn the other arguments that are known: suggestions may depend on them
   * @returns nothing if the server has no suggestions
   */
  async complete(
    of: { readonly prompt: string } | { readonly template: string },
    argument: { readonly name: string; readonly value: string },
    filledIn: Members = {},
  ): Promise<readonly string[]> {
    const ref = "prompt" in of ? { type: "ref/prompt", name: of.prompt } : { type: "ref/resource", uri: of.template };
    const { [argument.name]: _, ...others } = filledIn;
    const params = { ref, argument, context: { arguments: others } };
    try {
      const { result } = await this.request("completion/complete", params, { timeoutMs: LISTING_MS });
      return isRecord(result.completion) ? textsIn(result.completion.values) : [];
    } catch (error) {
      // The server says that there is nothing to complete.
      if (error instanceof RpcFailure) return [];
      throw error;
    }
  }
}

/** @returns what `inputResponses` or `tasks/update` takes: answers by the names of their questions */
export async function answersTo(requests: Members, { ask, signal }: RequestOptions): Promise<Members> {
  const answers: Record<string, unknown> = {};
  const never = new AbortController().signal;
  // One after the other: a person reads one question at a time.
  for (const [name, request] of Object.entries(requests)) {
    if (ask === undefined) throw new RpcFailure("This asks a question, and cannot go on without an answer.", 0);
    answers[name] = await ask(readQuestion(request), signal ?? never);
    signal?.throwIfAborted();
  }
  return answers;
}

function readQuestion(request: unknown): Question {
  const params = isRecord(request) && request.method === "elicitation/create" ? request.params : undefined;
  if (!isRecord(params)) return unreadable("it asks in a way that this page did not offer");
  const { mode, url, requestedSchema } = params;
  const message = String(params.message ?? "");
  if (mode !== "url") return { kind: "form", message, schema: isRecord(requestedSchema) ? requestedSchema : {} };
  // Anything else, such as javascript:, would not be a page.
  const page = typeof url === "string" ? URL.parse(url) : null;
  if (page === null || !/^https?:$/.test(page.protocol))
    return unreadable("it asks to visit an address that is not a page");
  return { kind: "page", message, url: page.href };
}

async function readWhole(response: OpenResponse): Promise<unknown> {
  const { status, headers } = response;
  const text = await response.text();
  const message = parseJson(text);
  if (status !== 200 && !(isRecord(message) && isRecord(message.error))) {
    if ([400, 404, 405].includes(status)) throw new Unreachable(TOO_OLD, "broken");
    throw statusFailure(status, headers, undefined);
  }
  return message;
}

/** Reads a stream up to the response of the request, and reports the progress that comes before it. */
async function lastOf(response: OpenResponse, id: number, onProgress: RequestOptions["onProgress"]): Promise<unknown> {
  const parser = new SseParser();
  for await (const piece of response.chunks()) {
    for (const { data } of parser.push(piece)) {
      const message = parseJson(data);
      if (!isRecord(message)) continue;
      // Returning closes the connection.
      if (message.id === id && ("result" in message || "error" in message)) return message;
      if (message.method === "notifications/progress" && isRecord(message.params))
        onProgress?.(readProgress(message.params));
    }
  }
  throw new NoResponse("cut", "");
}

function readProgress({ message, progress, total }: Members): Progress {
  return { message: textOr(message), progress: numberOr(progress), total: numberOr(total) };
}

function resultIn(message: unknown): Members {
  if (!isRecord(message)) return unreadable("it is not JSON");
  const { result, error } = message;
  if (isRecord(result)) return result;
  if (!isRecord(error)) return unreadable("it has no result");
  const code = numberOr(error.code) ?? 0;
  if (code === UNSUPPORTED_VERSION) throw new Unreachable(TOO_OLD, "broken");
  const isOld = code === UNKNOWN_METHOD ? " It may be of an older version." : "";
  throw new RpcFailure(String(error.message ?? "The server does not say why.") + isOld, code, error.data);
}

/** Streamable HTTP, Value Encoding: what is not visible ASCII is sent as Base64 of its UTF-8. */
export function headerText(value: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?base64?")) return value;
  return `=?base64?${base64(new TextEncoder().encode(value))}?=`;
}
