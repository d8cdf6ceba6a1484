/** The text at `/`: names the server and its endpoints, for an agent or a person who opens it. */
import type { Home } from "./deployment.ts";

/** A line of plain text. With the page at `/`, people get that in its place (features/page). */
export const home: Home = ({ server: { name, title = name, version } }, c) => {
  const text = `${title} ${version}: tools over OXP (/tools), MCP (/mcp) and OpenTool (/opentool/load)\n`;
  return c.text(text, 200, { "x-content-type-options": "nosniff" });
};
