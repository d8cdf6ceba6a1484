/** The page at `/`: what this is and where its endpoints are, for a person or an agent that came by. */
import type { ServerInfo } from "../http/request-context.ts";

export function home({ name, version }: ServerInfo): string {
  return `${name} ${version}: tools over OXP (/tools), MCP (/mcp) and OpenTool (/opentool/load)\n`;
}
