/** The text at `/`: names the server and its endpoints, for an agent or a person who opens it. */
import type { Context } from "hono";
import type { ServerInfo } from "./http/request-context.ts";

/** What is told of the server at `/`. */
export interface HomeParts {
  readonly server: ServerInfo;
  readonly documentSettings: { readonly description: string | undefined };
}

/** @returns a line of plain text. With the page at `/`, `front-page.ts` answers in place of this */
export function home({ server: { name, title = name, version } }: HomeParts, c: Context): Response {
  const text = `${title} ${version}: tools over OXP (/tools), MCP (/mcp) and OpenTool (/opentool/load)\n`;
  return c.text(text, 200, { "x-content-type-options": "nosniff" });
}
