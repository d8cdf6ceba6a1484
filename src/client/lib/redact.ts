/** Removes secrets from texts that a server wrote. */

/** Shorter secrets occur in ordinary words. */
const MIN_SECRET = 4;

export interface RedactOptions {
  /** Takes the place of a secret. Default: `[redacted]`. */
  readonly mask?: string;
  /** Also removes shorter secrets, where they are a whole text of JSON: `"pw"`. Default: false. */
  readonly wholeTexts?: boolean;
}

/** @returns a function that replaces each secret by the mask, both as it is and as JSON escapes it */
export function redactor(
  secrets: readonly string[],
  { mask = "[redacted]", wholeTexts = false }: RedactOptions = {},
): (text: string) => string {
  const spellings = secrets.flatMap((secret) => {
    const inJson = JSON.stringify(secret);
    const long = [inJson.slice(1, -1), secret].filter(({ length }) => length >= MIN_SECRET);
    const all = long.map((spelling) => [spelling, mask] as const);
    return wholeTexts && secret !== "" ? [...all, [inJson, JSON.stringify(mask)] as const] : all;
  });
  // The longest first: one may contain another.
  spellings.sort(([a], [b]) => b.length - a.length);
  return (text) => spellings.reduce((rest, [spelling, shown]) => rest.replaceAll(spelling, shown), text);
}
