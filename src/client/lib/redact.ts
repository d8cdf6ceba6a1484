/** Removes secrets from texts that a server wrote. */

/** Characters. Shorter secrets are not removed, because they occur in ordinary words. */
const MIN_SECRET = 4;

export type Redact = (text: string) => string;

/** @returns a function that replaces each secret with "[redacted]", both as it is and as JSON escapes it */
export function redactor(secrets: readonly string[]): Redact {
  const spellings = secrets.flatMap((secret) => [JSON.stringify(secret).slice(1, -1), secret]);
  // The longest first: one may contain another.
  const all = spellings.filter(({ length }) => length >= MIN_SECRET).sort((a, b) => b.length - a.length);
  return (text) => all.reduce((rest, spelling) => rest.replaceAll(spelling, "[redacted]"), text);
}
