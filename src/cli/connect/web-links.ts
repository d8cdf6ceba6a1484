/**
 * Links to https:// that do the same as links which open an application. GitHub and others remove the latter from a
 * README. docs/connect.md has the public source of each.
 */

/** The beginnings of links, and what takes their place. */
const PAGES: readonly (readonly [application: string, page: string])[] = [
  ["cursor://anysphere.cursor-deeplink/mcp/install?", "https://cursor.com/en/install-mcp?"],
  ["lmstudio://add_mcp?", "https://lmstudio.ai/install-mcp?"],
];

/** @returns the link itself if its host has no such page */
export function webLink(href: string): string {
  if (href.startsWith("vscode:")) return `https://insiders.vscode.dev/redirect?url=${encodeURIComponent(href)}`;
  const found = PAGES.find(([application]) => href.startsWith(application));
  return found === undefined ? href : found[1] + href.slice(found[0].length);
}
