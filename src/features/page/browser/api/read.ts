/** Reads members of JSON that a server sent, whose form is not known. */

export type Members = Readonly<Record<string, unknown>>;

/** @returns `otherwise` for anything but a text */
export function textOr(value: unknown): string | undefined;
export function textOr(value: unknown, otherwise: string): string;
export function textOr(value: unknown, otherwise?: string): string | undefined {
  return typeof value === "string" ? value : otherwise;
}

/** @returns undefined for anything but a finite number: JSON has 1e400, which is read as Infinity */
export function numberOr(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** @returns the text with U+FFFD for halves of surrogate pairs, which no address can have */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Base64. Browsers of 2023 encode it only from strings. */
export function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** @returns the texts in a list; none if it is not a list */
export function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}
