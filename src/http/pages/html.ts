/** HTML templates. Values are escaped unless they come from a template. */

/** HTML that is safe to insert as it is. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[] | undefined | false;

/** Template tag: escapes strings and numbers, inserts `Html` as it is, and leaves out undefined and false. */
export function html({ raw }: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(raw.map((text, at) => text + (at < parts.length ? textOf(parts[at]) : "")).join(""));
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(({ text }) => text).join("");
  return String(part).replace(/[&<>"'`]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

/**
 * Makes an untrusted name safe to show: on one line, without invisible characters (some change the direction of the
 * text that follows), and at most `most` characters long. Empty if nothing is left.
 */
export function displayName(name: string, most = 80): string {
  const letters = [
    ...name
      .replace(/\s+/g, " ")
      .replace(/[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]/gu, "")
      .trim(),
  ];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("");
}
