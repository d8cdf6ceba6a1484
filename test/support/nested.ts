/** Creates JSON that is nested too deeply. */

/** JSON text of `levels` nested arrays, for which JSON.stringify would overflow the stack. */
export function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}
