/** The extension by which clients say that they can show views (io.modelcontextprotocol/ui, 2026-01-26). */
import { isRecord } from "../../core/lib/json.ts";
import { VIEW_TYPE } from "../../core/model/primitives.ts";

export const VIEWS_EXTENSION = "io.modelcontextprotocol/ui";

/** What ChatGPT calls itself. It shows views, and does not declare it (observed in July 2026). */
const CHATGPT = "openai-mcp";

/** Whether a client declares that it shows views of our type ("Client (Host) Capabilities"), or is known to. */
export function canShowViews(capabilities: unknown, clientInfo: unknown): boolean {
  if (isRecord(clientInfo) && clientInfo.name === CHATGPT) return true;
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  const extension = isRecord(extensions) ? extensions[VIEWS_EXTENSION] : undefined;
  return isRecord(extension) && Array.isArray(extension.mimeTypes) && extension.mimeTypes.includes(VIEW_TYPE);
}
