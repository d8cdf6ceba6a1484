/** Request headers repeat what the body says, for whoever reads headers only: both must say the same. */

import { isRecord } from "../../../../core/lib/json.ts";
import type { CatalogEntry } from "../../../../core/model/catalog-entry.ts";
import type { Unclaimed } from "../../transport/era.ts";
import type { MethodReply } from "../../transport/exchange.ts";
import { unclaimed } from "../../transport/refuse.ts";
import { CODE, error } from "../../wire/codes.ts";

/** Which parameter `Mcp-Name` repeats (Streamable HTTP, Standard Request Headers). */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** Streamable HTTP, Server Validation: headers that are missing, malformed or different from the body. */
export function wrongStandardHeader(headers: Headers, method: string, params: unknown): Unclaimed | undefined {
  const said = headers.get("mcp-method")?.trim();
  if (said !== method) return mismatch("Mcp-Method", said, method);
  const member = NAMED_BY.get(method);
  const value = member !== undefined && isRecord(params) ? params[member] : undefined;
  // A call without a name is answered by its method: there is nothing here to compare with.
  if (typeof value !== "string") return undefined;
  const raw = headers.get("mcp-name")?.trim();
  const name = raw === undefined ? undefined : decodeHeaderValue(raw);
  if (name === value) return undefined;
  return mismatch("Mcp-Name", raw, value, name === undefined ? "is malformed" : DIFFERS);
}

const DIFFERS = "differs from the body";

/** @param raw undefined for a header that was not sent; @param wrong what is wrong with one that was */
export function mismatch(header: string, raw: string | undefined, expected: string, wrong = DIFFERS): Unclaimed {
  const problem = raw === undefined ? "is missing" : wrong;
  return unclaimed(CODE.headerMismatch, `The header ${header} ${problem}`, { header, expected });
}

/**
 * Streamable HTTP, Server Behavior for Custom Headers: a header that a tool's schema names must say what the body says.
 */
export function wrongParameterHeader(
  { traits }: CatalogEntry,
  headers: Headers,
  input: Record<string, unknown>,
): MethodReply | undefined {
  for (const { header, path } of traits.headers ?? []) {
    const name = `mcp-param-${header.toLowerCase()}`;
    const value = path.reduce<unknown>((within, key) => (isRecord(within) ? within[key] : undefined), input);
    const problem = headerProblem(headers.get(name), value ?? undefined);
    if (problem) return { ...error(CODE.headerMismatch, `The header ${name} ${problem}`), status: 400 };
  }
  return undefined;
}

/** @param value of the parameter; undefined for one that was not sent, whose header must not be there either */
function headerProblem(raw: string | null, value: unknown): string | undefined {
  if (raw === null) return value === undefined ? undefined : "is missing";
  const said = decodeHeaderValue(raw);
  if (said === undefined) return "is malformed";
  return value !== undefined && says(said, value) ? undefined : "differs from the body";
}

function says(text: string, value: unknown): boolean {
  // Integers are compared as numbers: 42.0 is 42.
  return typeof value === "number" ? text.trim() !== "" && Number(text) === value : text === String(value);
}

/** Visible ASCII, blank and tab (RFC 9110, section 5.5). */
const VALUE = /^[\t\x20-\x7e]*$/;
const SENTINEL = /^=\?base64\?(.*)\?=$/;

/**
 * Value Encoding.
 *
 * @returns undefined where the value has invalid characters, or says that it is Base64 and is not, or is no UTF-8
 */
function decodeHeaderValue(raw: string): string | undefined {
  if (!VALUE.test(raw)) return undefined;
  const encoded = SENTINEL.exec(raw)?.[1];
  if (encoded === undefined) return raw;
  // The decoder skips blanks, which are no letters of Base64.
  if (/\s/.test(encoded)) return undefined;
  try {
    const bytes = Uint8Array.fromBase64(encoded, { lastChunkHandling: "strict" });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
