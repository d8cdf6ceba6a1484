/** Shows code and JSON, with a button that copies it. */
import { copyButton } from "./copy.ts";
import { type Child, h } from "./dom.ts";

/** Longer JSON is shown in one colour: thousands of elements would make the page slow. */
const MOST_COLOURED = 20_000;
/** Matches names of members, other texts, words and numbers. */
const JSON_PARTS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** A browser takes seconds to lay out a longer text. */
const MOST_SHOWN = 200_000;

/** @param name of what is shown, for its copy button: "the command" */
export function codeBlock(name: string, text: string, language = ""): HTMLElement {
  const shown = text.slice(0, MOST_SHOWN);
  const isColoured = language === "json" && text.length <= MOST_COLOURED;
  const code = h("code", isColoured ? coloured(text) : shown);
  // It has a tabindex, because keyboards scroll only what has the focus.
  const pre = h("pre", { tabindex: "0", role: "region", "aria-label": name }, code);
  const all = text.length.toLocaleString("en");
  const note = `The first ${MOST_SHOWN.toLocaleString("en")} of ${all} characters. "Copy" copies all.`;
  return h(
    "div.code",
    pre,
    copyButton(name, () => text),
    shown !== text && h("p.quiet-text", note),
  );
}

/** JSON in lines, or the text as it is if it is not JSON. */
export function prettyJson(text: string): { readonly text: string; readonly isJson: boolean } {
  try {
    return { text: JSON.stringify(JSON.parse(text), undefined, 2), isJson: true };
  } catch {
    return { text, isJson: false };
  }
}

function coloured(text: string): Child[] {
  const children: Child[] = [];
  let end = 0;
  for (const match of text.matchAll(JSON_PARTS)) {
    const [whole, quoted, colon = ""] = match;
    children.push(text.slice(end, match.index));
    const kind = quoted === undefined ? "literal" : colon ? "key" : "text";
    children.push(h("span", { class: kind }, quoted ?? whole), colon);
    end = match.index + whole.length;
  }
  return [...children, text.slice(end)];
}
