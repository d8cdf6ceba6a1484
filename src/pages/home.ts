/** The page at `/`: names the server and its endpoints, for a person or an agent who opens it. */
import type { ServerInfo } from "../http/request-context.ts";

/** @returns plain text */
export function home({ name, title = name, version }: ServerInfo): string {
  return `${title} ${version}: tools over OXP (/tools), MCP (/mcp) and OpenTool (/opentool/load)\n`;
}
