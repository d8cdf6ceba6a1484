/** HTML as a template: what is put in is escaped, unless a template made it. */

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[] | undefined | false;

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
 * A name that someone else chose, on one line and of a length that leaves ours readable: without line ends, and without
 * invisible letters, of which some turn the direction of what follows. Empty for a name of nothing else.
 */
export function shown(name: string, most = 80): string {
  const letters = [
    ...name
      .replace(/\s+/g, " ")
      .replace(/[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]/gu, "")
      .trim(),
  ];
  return letters.length > most ? `${letters.slice(0, most - 1).join("")}…` : letters.join("");
}
