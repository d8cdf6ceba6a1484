/**
 * Which era does a message belong to? Decided once, at the door, from headers and body alone; returns values and never
 * throws. Method names decide nothing: clients send modern headers on legacy traffic, and the reverse.
 */
import { isRecord } from "../../../core/lib/json.ts";
import { keepMap } from "../../../core/lib/v8-maps.ts";
import type { RpcError } from "../wire/codes.ts";
import { CODE } from "../wire/codes.ts";
import { decodeHeaderValue } from "../wire/header-values.ts";
import { META } from "../wire/meta.ts";
import { isLegacyRevision, type LegacyRevision, MODERN_REVISION, SUPPORTED_REVISIONS } from "../wire/revisions.ts";

export type Era =
  | { readonly era: "modern"; readonly capabilities: Readonly<Record<string, unknown>> }
  /** `revision` as a header names it; a session may know it where the header does not. */
  | { readonly era: "legacy"; readonly revision: LegacyRevision | undefined }
  | { readonly era: "refused"; readonly status: number; readonly error: RpcError };

/** What of a message the decision needs. */
export interface Opening {
  readonly method: string | undefined;
  readonly params: unknown;
  /** Notifications and responses: no header rules are defined for them. */
  readonly isRequest: boolean;
}

export function eraOf(headers: Headers, { method, params, isRequest }: Opening): Era {
  const header = headers.get("mcp-protocol-version")?.trim();
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
  const named = meta?.[META.protocolVersion] ?? undefined;

  if (named === undefined) {
    if (header === undefined) return { era: "legacy", revision: undefined };
    if (isLegacyRevision(header)) return { era: "legacy", revision: header };
    // Versioning: a request without the metadata that its own version requires is malformed, and a 400.
    if (header !== MODERN_REVISION) return unsupported(header);
    if (!isRequest) return { era: "modern", capabilities: {} };
    return refused(CODE.invalidParams, `params._meta must have "${META.protocolVersion}"`);
  }
  if (typeof named !== "string") {
    return refused(CODE.invalidParams, `params._meta["${META.protocolVersion}"] must be a string`);
  }
  if (!isRequest) return { era: "modern", capabilities: {} };
  const capabilities = meta?.[META.clientCapabilities];
  if (named === MODERN_REVISION && !isRecord(capabilities)) {
    return refused(CODE.invalidParams, `params._meta must have "${META.clientCapabilities}", an object`);
  }
  // Streamable HTTP, Protocol Version Header: "The header value MUST match".
  if (header !== named) return mismatch("MCP-Protocol-Version", header, named);
  if (isLegacyRevision(named)) return { era: "legacy", revision: named };
  if (named !== MODERN_REVISION) return unsupported(named);
  const wrong = wrongHeader(headers, method ?? "", params);
  return wrong ?? { era: "modern", capabilities: capabilities as Record<string, unknown> };
}

/** Which parameter `Mcp-Name` repeats (Streamable HTTP, Standard Request Headers). */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
]);

/** Streamable HTTP, Server Validation: headers that are missing, malformed or different from the body. */
function wrongHeader(headers: Headers, method: string, params: unknown): Era | undefined {
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
function mismatch(header: string, raw: string | undefined, expected: string, wrong = DIFFERS): Era {
  const problem = raw === undefined ? "is missing" : wrong;
  return refused(CODE.headerMismatch, `The header ${header} ${problem}`, { header, expected });
}

function unsupported(requested: string): Era {
  return refused(CODE.unsupportedVersion, "Unsupported protocol version", {
    supported: SUPPORTED_REVISIONS,
    requested,
  });
}

function refused(code: number, message: string, data?: unknown): Era {
  return { era: "refused", status: 400, error: data === undefined ? { code, message } : { code, message, data } };
}

/** In the order of the specification's examples (2026-07-28, basic/index, `_meta`). */
const MODERN_META = `{"${META.protocolVersion}":"","io.modelcontextprotocol/clientInfo":{},"${META.clientCapabilities}":{}}`;

for (const params of [
  '{"name":"","arguments":{}}',
  `{"name":"","arguments":{},"_meta":${MODERN_META}}`,
  `{"_meta":${MODERN_META}}`,
]) {
  // As the specification's examples write a message, and as the official SDKs do.
  keepMap(JSON.parse(`{"jsonrpc":"2.0","id":1,"method":"","params":${params}}`));
  keepMap(JSON.parse(`{"method":"","params":${params},"jsonrpc":"2.0","id":1}`));
}
