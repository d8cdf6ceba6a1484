/** Checks that headers that repeat parts of the body agree with it, because proxies may read only the headers. */

import { isRecord } from "../../../core/lib/json.ts";
import type { CatalogEntry } from "../../../core/model/catalog-entry.ts";
import type { NoEra } from "../transport/era.ts";
import { noEra } from "../transport/error-response.ts";
import type { MethodReply } from "../transport/exchange.ts";
import { CODE, error } from "../wire/codes.ts";

/** The parameter that `Mcp-Name` repeats, by method (Streamable HTTP, Standard Request Headers). */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** Rejects headers that are missing, malformed or different from the body (Streamable HTTP, Server Validation). */
export function wrongStandardHeader(headers: Headers, method: string, params: unknown): NoEra | undefined {
  const sent = headers.get("mcp-method")?.trim();
  if (sent !== method) return mismatch("Mcp-Method", sent, method);
  const member = NAMED_BY.get(method);
  const value = member !== undefined && isRecord(params) ? params[member] : undefined;
  // Without a name in the body, there is nothing to compare. The method will reject the request.
  if (typeof value !== "string") return undefined;
  const raw = headers.get("mcp-name")?.trim();
  const name = raw === undefined ? undefined : decodeHeaderValue(raw);
  if (name === value) return undefined;
  return mismatch("Mcp-Name", raw, value, name === undefined ? "is malformed" : DIFFERS);
}

const DIFFERS = "differs from the body";

/** @param raw undefined if the header is missing; @param wrong describes what is wrong with a header that was sent */
export function mismatch(header: string, raw: string | undefined, expected: string, wrong = DIFFERS): NoEra {
  const problem = raw === undefined ? "is missing" : wrong;
  return noEra(CODE.headerMismatch, `The header ${header} ${problem}`, { header, expected });
}

/** Rejects headers that differ from their parameters (Streamable HTTP, Server Behavior for Custom Headers). */
export function wrongParameterHeader(
  { options }: CatalogEntry,
  headers: Headers,
  input: Record<string, unknown>,
): MethodReply | undefined {
  for (const { header, path } of options.headers ?? []) {
    const name = `mcp-param-${header.toLowerCase()}`;
    const value = path.reduce<unknown>((parent, key) => (isRecord(parent) ? parent[key] : undefined), input);
    const problem = headerProblem(headers.get(name), value ?? undefined);
    if (problem) return { ...error(CODE.headerMismatch, `The header ${name} ${problem}`), status: 400 };
  }
  return undefined;
}

/** @param value of the parameter; undefined if it was not sent, in which case the header must also be missing */
function headerProblem(raw: string | null, value: unknown): string | undefined {
  if (raw === null) return value === undefined ? undefined : "is missing";
  const text = decodeHeaderValue(raw);
  if (text === undefined) return "is malformed";
  return value !== undefined && matches(text, value) ? undefined : "differs from the body";
}

/** Plain decimal numbers: proxies may read "0x2a", "042" or "4.2e1" differently. */
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

function matches(text: string, value: unknown): boolean {
  // Integers are compared as numbers: 42.0 is 42.
  return typeof value === "number" ? DECIMAL.test(text) && Number(text) === value : text === String(value);
}

/** Visible ASCII, space and tab (RFC 9110, section 5.5). */
const VALUE = /^[\t\x20-\x7e]*$/;
const SENTINEL = /^=\?base64\?(.*)\?=$/;

/**
 * Decodes a header value (Streamable HTTP, Value Encoding).
 *
 * @returns undefined if it has invalid characters, invalid Base64, or Base64 of invalid UTF-8
 */
export function decodeHeaderValue(raw: string): string | undefined {
  if (!VALUE.test(raw)) return undefined;
  const encoded = SENTINEL.exec(raw)?.[1];
  if (encoded === undefined) return raw;
  // The decoder would skip whitespace, which is not valid here.
  if (/\s/.test(encoded)) return undefined;
  try {
    const bytes = Uint8Array.fromBase64(encoded, { lastChunkHandling: "strict" });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
