/** What `npm start` says once it serves: the tools, the addresses of the page and each protocol, and how to connect. */

/**
 * @param url   where the server is, such as `http://127.0.0.1:8787`
 * @param found what discovery found, in words and lines
 * @param hasPage whether the page at / is turned on
 * @param views where the preview page is; undefined if there are no views
 */
export function banner(url: string, found: string, hasPage: boolean, views: string | undefined): string {
  return `
${found.trimEnd()}

${hasPage ? `  Page      ${url}/\n` : ""}  OXP       ${url}/tools
  MCP       ${url}/mcp
  OpenTool  ${url}/opentool/load
${views === undefined ? "" : `${viewsLine(views)}\n`}
  Connect Claude, ChatGPT, Cursor, VS Code and others: npm run connect
  Breakpoints, stacks and common mistakes:             docs/debugging.md
`;
}

/** @param views where the preview page is */
export function viewsLine(views: string): string {
  return `  Views     ${views}/`;
}
