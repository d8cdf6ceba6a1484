/** The formats of texts that the form knows (JSON Schema, `format`; `password` is OpenAPI's). */

interface Format {
  /** In words, such as "web address". */
  readonly words: string;
  /** Type of the browser's control. */
  readonly control: string;
  readonly example: string;
}

const URI: Format = { words: "web address", control: "url", example: "https://example.com/" };

const FORMATS: ReadonlyMap<unknown, Format> = new Map([
  ["email", { words: "email address", control: "email", example: "ada@example.com" }],
  ["uri", URI],
  ["url", URI],
  ["date", { words: "date", control: "date", example: "2026-01-31" }],
  ["date-time", { words: "date and time", control: "datetime-local", example: "2026-01-31T12:00:00Z" }],
  ["password", { words: "secret", control: "password", example: "…" }],
]);

/** @param name of any type, because it comes from a schema */
export function formatOf(name: unknown): Format | undefined {
  return FORMATS.get(name);
}
