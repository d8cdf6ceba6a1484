/** Discovery's own guard: build/ imports nothing of the core but types. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
