/** The names of toolkits and tools in a typed client (docs/clients.md), and in samples of code that use one. */

/**
 * Names that a client's members cannot have: those that every object inherits, "then", which would make it a promise,
 * and "toJSON", which `JSON.stringify` calls. They get a "_" at the end.
 */
const TAKEN: ReadonlySet<string> = new Set([...Object.getOwnPropertyNames(Object.prototype), "then", "toJSON"]);

/** `SMS` → `sms`, `XMLParser` → `xmlParser`, `Read_page` → `readPage`. Always an identifier. */
export function memberName(name: string): string {
  const [first = "", ...others] = name.split(/[^A-Za-z\d]+/).filter(Boolean);
  const start = first.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());
  const camel = start + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  if (TAKEN.has(camel)) return `${camel}_`;
  return /^[a-z]/i.test(camel) ? camel : `_${camel}`;
}
