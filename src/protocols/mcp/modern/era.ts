/** Serves 2026-07-28, which is stateless: each request names its revision and is independent of earlier ones. */
import { isRecord } from "../../../core/lib/json.ts";
import { empty } from "../../../http/response.ts";
import type { Extended } from "../methods/extension.ts";
import { dispatch } from "../transport/dispatch.ts";
import type { Era, EraMatch, NoEra, Opening } from "../transport/era.ts";
import { noEra } from "../transport/error-response.ts";
import { CODE } from "../wire/codes.ts";
import { modernDialect } from "./dialect.ts";
import { mismatch, wrongStandardHeader } from "./header-checks.ts";
import { META } from "./meta.ts";
import { subscribe } from "./subscriptions.ts";

const REVISION = "2026-07-28";
export const MODERN = [REVISION] as const;

/** @param supported the supported revisions of all eras */
export function modernEra(mcp: Extended, supported: readonly string[]): Era {
  const dialect = modernDialect(mcp, supported);
  return {
    name: "modern",
    match(header, opening, headers) {
      const found = match(header, opening, headers);
      return found === undefined || found.era === "refused" ? found : (mcp.wrongHeader(opening, headers) ?? found);
    },
    post(context, message, { capabilities, clientInfo }) {
      if (message.kind !== "request") return empty(202);
      const can = mcp.capabilitiesOf(capabilities, clientInfo);
      const facts = mcp.factsOf({ context, dialect, session: undefined, capabilities: can });
      const stream = mcp.streams.get(message.method);
      if (stream) return stream(facts, message);
      if (message.method === "subscriptions/listen") return subscribe(facts.context, message);
      return dispatch(message, facts);
    },
  };
}

function match(
  header: string | undefined,
  { method, params, isRequest }: Opening,
  headers: Headers,
): EraMatch | NoEra | undefined {
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : undefined;
  const named = meta?.[META.protocolVersion] ?? undefined;

  if (named === undefined) {
    if (header !== REVISION) return undefined;
    // Versioning: a request that lacks the metadata required by its own version is malformed (400).
    if (isRequest) return noEra(CODE.invalidParams, `params._meta must have "${META.protocolVersion}"`);
    return { era: "modern", capabilities: {} };
  }
  if (typeof named !== "string") {
    return noEra(CODE.invalidParams, `params._meta["${META.protocolVersion}"] must be a string`);
  }
  if (!isRequest) return { era: "modern", capabilities: {} };
  const capabilities = meta?.[META.clientCapabilities];
  if (named === REVISION && !isRecord(capabilities)) {
    return noEra(CODE.invalidParams, `params._meta must have "${META.clientCapabilities}", an object`);
  }
  // Streamable HTTP, Protocol Version Header: "The header value MUST match".
  if (header !== named) return mismatch("MCP-Protocol-Version", header, named);
  if (named !== REVISION) return undefined;
  return (
    wrongStandardHeader(headers, method ?? "", params) ?? {
      era: "modern",
      capabilities,
      clientInfo: meta?.[META.clientInfo],
    }
  );
}
