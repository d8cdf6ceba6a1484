/** Checks what callers give for a header, such as a key. */

/**
 * Checked here, because the errors of `fetch` repeat the value.
 *
 * @param name for the error
 * @returns the value
 * @throws {TypeError} if it is not visible ASCII. It may end in a line break if it comes from a file
 */
export function headerValue(name: string, value: string): string {
  if (typeof value === "string" && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new TypeError(`${name} must be visible ASCII characters, without spaces and line breaks`);
}
