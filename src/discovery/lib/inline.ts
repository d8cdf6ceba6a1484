/** What HTML files with code inside have in common: the browsers that they are for, and code that ends no element. */

/** Browsers of autumn 2023 and later: from then on, all have the ARIA properties of elements that forms use. */
export const BROWSERS = ["chrome117", "firefox119", "safari17"];

/** The text of a script element. A comment could hide its end (HTML, Restrictions for contents of script elements). */
export function scriptText(text: string): string {
  return withoutEnd(text).replaceAll("<!--", "\\x3c!--");
}

/** The text of a style element. */
export function styleText(text: string): string {
  return withoutEnd(text);
}

/** A text that has the end of its element would be parsed as HTML from there on. esbuild escapes it too. */
function withoutEnd(text: string): string {
  return text.replace(/<(?=\/(script|style))/gi, "<\\");
}
