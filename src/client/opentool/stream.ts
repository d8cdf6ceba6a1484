/** Reads the response to `POST /streamCall`: a stream of events, or from some servers a single JSON-RPC response. */
import type { OpenResponse } from "../lib/http.ts";
import { isRecord, parseJson } from "../lib/json.ts";
import type { Redact } from "../lib/redact.ts";
import { type SseEvent, SseParser } from "../lib/sse.ts";
import { OpenToolServerNoAccessException, ResponseNullException } from "./exceptions.ts";
import { type FunctionCall, ToolReturn } from "./model.ts";
import { errorOf, resultOf } from "./response.ts";

export interface StreamEvent {
  /**
   * - `data`: a result, or a part of it. Most servers send one.
   * - `start`, `done`: the call begins and has ended. Not every server sends them.
   * - any other name that the server may have
   */
  readonly event: "start" | "data" | "done" | (string & {});
  /** `result` is what the server sent: for `start` and `done` usually the name of the function. */
  readonly toolReturn: ToolReturn;
}

/** A response that has not been read, with its address. */
export interface Opened extends OpenResponse {
  readonly url: string;
  readonly redact: Redact;
}

/** The events of a response with the status 200. @throws {OpenToolException} like a call */
export async function* eventsOf(
  { url, status, redact, chunks }: Opened,
  { id }: FunctionCall,
): AsyncGenerator<StreamEvent, void, void> {
  const parser = new SseParser();
  let hasResult = false;
  const read = ({ event: name, data }: SseEvent): StreamEvent => {
    const event = name.trim() === "message" ? "data" : name.trim();
    if (event === "error") throw errorIn(data, status, redact);
    const result = event === "data" ? resultOf({ url, status, redact, text: data }) : payloadOf(data);
    hasResult ||= event === "data" || event === "done";
    return { event, toolReturn: new ToolReturn(id, result) };
  };

  let text = "";
  let isStream: boolean | undefined;
  for await (const chunk of chunks()) {
    // Blanks at the beginning mean nothing. To search them again with each chunk could take minutes.
    text = isStream === undefined ? (text + chunk).trimStart() : text + chunk;
    isStream ??= looksLikeStream(text);
    if (!isStream) continue;
    for (const event of parser.push(text)) {
      const next = read(event);
      yield next;
      if (next.event === "done") return;
    }
    text = "";
  }
  if (isStream === undefined) throw new ResponseNullException(status);
  if (!isStream)
    return yield { event: "data", toolReturn: new ToolReturn(id, resultOf({ url, status, redact, text })) };
  for (const event of parser.end()) yield read(event);
  if (hasResult) return;
  const cause = new Error(`The stream of ${url} ended without a result`);
  throw new OpenToolServerNoAccessException({ reason: "cut", status, cause });
}

/**
 * Decides by the first character, because servers send both with any content type. Lines of a stream begin with the name
 * of a field (event, data, id, retry) or a colon; JSON begins with none of these characters.
 *
 * @param text without blanks at its beginning
 * @returns undefined if nothing has arrived
 */
function looksLikeStream(text: string): boolean | undefined {
  const first = text[0];
  return first === undefined ? undefined : "edir:".includes(first);
}

/** In an `error` event, the Dart SDK sends either a whole JSON-RPC response or only its `error`. */
function errorIn(data: string, status: number, redact: Redact): Error {
  const json = parseJson(data) ?? data;
  return errorOf(isRecord(json) && "error" in json ? json.error : json, status, redact);
}

function payloadOf(data: string): Readonly<Record<string, unknown>> {
  const json = parseJson(data) ?? data;
  return isRecord(json) ? json : { value: json };
}
