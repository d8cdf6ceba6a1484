/** Checks what callers give for a header, such as a key. */

/**
 * Checks a value before it is sent in a header: the error of `fetch` would repeat the value, which may be a secret.
 *
 * @param name what the error calls the value
 * @returns the value
 * @throws {TypeError} if the value is not visible ASCII, such as a key from a file that ends in a line break
 */
export function headerValue(name: string, value: string): string {
  if (typeof value === "string" && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new TypeError(`${name} must be visible ASCII characters, without spaces and line breaks`);
}
