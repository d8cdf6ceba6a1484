/** The extension by which clients say that they can show views (io.modelcontextprotocol/ui, 2026-01-26). */
import { isRecord } from "../../core/lib/json.ts";
import type { ClientCapability } from "../../core/model/elicitation.ts";
import { SESSION_CAPABILITIES } from "../../protocols/mcp/wire/capabilities.ts";
import { VIEW_TYPE } from "./describe.ts";

export const VIEWS_EXTENSION = "io.modelcontextprotocol/ui";

/** The capabilities of a session, to which a fork with views adds one. */
export const SESSION_CAPABILITIES_WITH_VIEWS: readonly ClientCapability[] = [...SESSION_CAPABILITIES, "views"];

/** What ChatGPT calls itself. It shows views, and does not declare it (observed in July 2026). */
const CHATGPT = "openai-mcp";

type CapabilitiesOf = (capabilities: unknown, clientInfo: unknown) => ReadonlySet<ClientCapability>;

/** Wraps the function that reads the capabilities of a client. */
export function withViewCapability(inner: CapabilitiesOf): CapabilitiesOf {
  return (capabilities, clientInfo) => {
    const others = inner(capabilities, clientInfo);
    return canShowViews(capabilities, clientInfo) ? new Set([...others, "views"]) : others;
  };
}

/** Whether a client declares that it shows views of our type ("Client (Host) Capabilities"), or is known to. */
export function canShowViews(capabilities: unknown, clientInfo: unknown): boolean {
  if (isRecord(clientInfo) && clientInfo.name === CHATGPT) return true;
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  const extension = isRecord(extensions) ? extensions[VIEWS_EXTENSION] : undefined;
  return isRecord(extension) && Array.isArray(extension.mimeTypes) && extension.mimeTypes.includes(VIEW_TYPE);
}
