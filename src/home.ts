/** Responds to requests for `/` with the names of the server and its endpoints, for an agent or a person. */
import type { Home } from "./deployment.ts";

/** A line of plain text. With features/page, people get a page instead. */
export const home: Home = ({ server: { name, title = name, version } }, c) => {
  const text = `${title} ${version}: tools over OXP (/tools), MCP (/mcp) and OpenTool (/opentool/load)\n`;
  return c.text(text, 200, { "x-content-type-options": "nosniff" });
};
