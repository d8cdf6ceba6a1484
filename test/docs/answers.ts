/** Compares what a command prints with the block after it. */

/** Members that differ from call to call. */
const VARYING = /"(duration|durationMs)": ?[\d.]+/g;

/**
 * Whether an answer is the one that is written. "…" stands for any text, within a string or in place of a member's
 * value; durations are not compared.
 */
export function isAsWritten(answer: string, written: string): boolean {
  return matches(parsed(answer), parsed(written));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text.replaceAll(VARYING, '"$1":0'));
  } catch {
    return text.trim();
  }
}

function matches(value: unknown, written: unknown): boolean {
  if (written === "…") return value !== undefined;
  if (typeof written === "string" && typeof value === "string" && written.includes("…")) {
    const parts = written.split("…").map((part) => RegExp.escape(part));
    return new RegExp(`^${parts.join("[\\s\\S]*")}$`).test(value);
  }
  if (typeof written !== "object" || written === null) return value === written;
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(written)) return false;
  const names = Object.keys({ ...value, ...written });
  return names.every((name) => matches(value[name as never], written[name as never]));
}
