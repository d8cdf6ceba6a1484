/** JSON that is deeper than it may be. */

/** `levels` arrays in each other, as JSON text: JSON.stringify would overflow the stack. */
export function nested(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}
