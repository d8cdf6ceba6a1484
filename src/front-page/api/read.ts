/** Reads members of JSON that a server sent, whose form is not known. */

export type Members = Readonly<Record<string, unknown>>;

/** @returns `otherwise` for anything but a text */
export function textOr(value: unknown): string | undefined;
export function textOr(value: unknown, otherwise: string): string;
export function textOr(value: unknown, otherwise?: string): string | undefined {
  return typeof value === "string" ? value : otherwise;
}

export function numberOr(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** @returns the texts in a list; none if it is no list */
export function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}
