/** Shared by pages with inline code: the browsers to build for, and escapes that keep code from ending its element. */

/** Browsers of autumn 2023 and later: from then on, all have the ARIA properties of elements that forms use. */
export const BROWSERS = ["chrome117", "firefox119", "safari17"];

/**
 * Escapes the text of a script element. A comment could hide its end (HTML, Restrictions for contents of script
 * elements).
 */
export function scriptText(text: string): string {
  return withoutEnd(text).replaceAll("<!--", "\\x3c!--");
}

/** Escapes the text of a style element. */
export function styleText(text: string): string {
  return withoutEnd(text);
}

/** If the text contained the end of its element, the rest would be parsed as HTML. esbuild escapes this as well. */
function withoutEnd(text: string): string {
  return text.replace(/<(?=\/(script|style))/gi, "<\\");
}
