/** Gets a page's text: over the guarded fetch, no more of it than allowed, in the characters that it is written in. */
import { ToolError } from "#tool";

export const MAX_BYTES = 2 * 1024 * 1024;

/** Below the tool's own limit, so that the caller hears what was slow. */
const TIMEOUT_MS = 18_000;

/** Where a page that does not say it in its headers must name its character encoding (HTML, "charset"). */
const PRESCAN_BYTES = 1_024;

const HTML = new Set(["text/html", "application/xhtml+xml"]);
const AS_IS = new Set(["text/plain", "text/markdown", "text/x-markdown", "application/json"]);

export interface Fetched {
  /** After redirects. */
  readonly url: string;
  readonly isHtml: boolean;
  readonly text: string;
  /** Whether the page goes on where `text` ends. */
  readonly cut: boolean;
}

interface Caller {
  readonly fetch: (url: URL, init: RequestInit) => Promise<Response>;
  readonly signal: AbortSignal;
}

export async function fetchPage(address: URL, ctx: Caller): Promise<Fetched> {
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const headers = {
    accept: "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/json;q=0.8",
    // Many sites turn away whoever does not name itself.
    "user-agent": "Mozilla/5.0 (compatible; Trivet-Web.ReadPage/1.0)",
  };
  try {
    const response = await ctx.fetch(address, { headers, signal });
    if (!response.ok) throw await refused(response);
    const type = response.headers.get("content-type") ?? "";
    const isHtml = await readableType(response, type);
    const { bytes, cut } = await readUpTo(response, MAX_BYTES, signal);
    return { url: response.url || address.href, isHtml, text: decode(bytes, type, isHtml), cut };
  } catch (error) {
    throw error instanceof ToolError ? error : unreachable(error);
  }
}

async function refused(response: Response): Promise<ToolError> {
  const { status } = response;
  await response.body?.cancel();
  const canRetry = status === 429 || status >= 500;
  const meaning = MEANINGS[status] ?? (status >= 500 ? "the site failed" : "the site refused");
  return new ToolError(`The page could not be read: ${meaning} (HTTP ${status})`, {
    canRetry,
    retryAfterMs: canRetry ? retryAfterMs(response) : undefined,
  });
}

const MEANINGS: Record<number, string> = {
  401: "it asks for a login",
  403: "the site does not let this server in",
  404: "it does not exist",
  410: "it is gone",
  429: "the site takes no more requests for now",
};

/** Whether the page is HTML; false for text that is taken as it is. */
async function readableType(response: Response, type: string): Promise<boolean> {
  const essence = type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (HTML.has(essence)) return true;
  if (AS_IS.has(essence) || /^application\/[\w.-]+\+json$/.test(essence)) return false;
  await response.body?.cancel();
  const what = /^[\w.+/-]{1,80}$/.test(essence) ? essence : "of no named type";
  throw new ToolError(`The address leads to something that is not a page of text: it is ${what}`);
}

/** Asks for no more once it has enough: a page may be endless. */
async function readUpTo(response: Response, limit: number, signal: AbortSignal) {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body !== null) {
    // Leaving the loop cancels the stream.
    for await (const chunk of response.body) {
      signal.throwIfAborted();
      chunks.push(chunk);
      size += chunk.byteLength;
      if (size > limit) break;
    }
  }
  const bytes = new Uint8Array(Math.min(size, limit));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, limit - at), at);
    at += chunk.byteLength;
  }
  return { bytes, cut: size > limit };
}

/** The header goes before the page's own word (HTML, "Determining the character encoding"); a byte order mark before both. */
function decode(bytes: Uint8Array, type: string, isHtml: boolean): string {
  const named = /charset\s*=\s*["']?\s*([^\s"';,]+)/i.exec(type)?.[1];
  const label = markOf(bytes) ?? named ?? (isHtml ? metaCharset(bytes) : undefined) ?? "utf-8";
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("windows-1252").decode(bytes.subarray(0, PRESCAN_BYTES));
  const label = /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start)?.[1];
  // What could be read so far is no UTF-16, whatever it says of itself.
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function retryAfterMs(response: Response): number | undefined {
  const value = response.headers.get("retry-after");
  if (value === null) return undefined;
  const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return wait > 0 ? wait : undefined;
}

function unreachable(error: unknown): ToolError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  if (name === "AddressRefused") {
    return new ToolError("This address may not be read: only http and https addresses on the public internet are", {
      developerMessage: message,
      cause: error,
    });
  }
  if (name === "TimeoutError") {
    return new ToolError(`The page took longer than ${TIMEOUT_MS / 1_000} seconds`, { canRetry: true, cause: error });
  }
  return new ToolError("The page could not be reached", { developerMessage: message, canRetry: true, cause: error });
}
