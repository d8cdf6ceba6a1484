/** What `npm start` says once it serves: the tools, the addresses of the page and each protocol, and how to connect. */

export interface Served {
  /** Whether the page at / is turned on. */
  readonly hasPage: boolean;
  /** Where the preview page is; undefined if there are no views. */
  readonly views: string | undefined;
  /** The key, if the internet reaches the server. */
  readonly key: string | undefined;
}

/**
 * @param url   where the server is, such as `http://127.0.0.1:8787`
 * @param found what discovery found, as lines of text
 */
export function banner(url: string, found: string, { hasPage, views, key }: Served): string {
  const last =
    key === undefined
      ? "  Open to this machine, without credentials:           docs/access.md\n" +
        "  Breakpoints, stacks and common mistakes:             docs/debugging.md"
      : "  The key allows all tools, for a day:                 docs/connect.md";
  return `
${found.trimEnd()}

${hasPage ? `  Page      ${url}/\n` : ""}  OXP       ${url}/tools
  MCP       ${url}/mcp
  OpenTool  ${url}/opentool/load
${views === undefined ? "" : `${viewsLine(views)}\n`}${key === undefined ? "" : `  Key       ${key}\n`}
  Connect Claude, ChatGPT, Cursor, VS Code and others: npm run connect
${last}
`;
}

/** @param views where the preview page is */
export function viewsLine(views: string): string {
  return `  Views     ${views}/`;
}
