/**
 * Turns links that open an application into links to https:// that do the same, because GitHub and others remove the
 * former from a README. docs/connect.md has the public source of each.
 */

/** @returns the https:// link that opens the same application; the given one if there is none */
export function webLink(href: string): string {
  if (href.startsWith("vscode:")) return `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(href)}`;
  return href
    .replace(/^cursor:\/\/anysphere\.cursor-deeplink\/mcp\/install(?=\?)/, "https://cursor.com/en/install-mcp")
    .replace(/^lmstudio:\/\/add_mcp(?=\?)/, "https://lmstudio.ai/install-mcp");
}
