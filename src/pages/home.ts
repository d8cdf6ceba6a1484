/** The page at `/`: what this is and where its endpoints are, for a person or an agent that came by. */
import type { ServerInfo } from "../protocols/http.ts";

export function home({ name, version }: ServerInfo, origin: string): Response {
  const text = `${name} ${version}: tools over three protocols.

OXP       GET  ${origin}/tools
          POST ${origin}/tools/call
MCP       POST ${origin}/mcp
OpenTool  GET  ${origin}/opentool/load
          POST ${origin}/opentool/call

Each path exists under /<toolkit>/ as well, with the tools of that toolkit only.
`;
  return new Response(text, {
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  });
}
