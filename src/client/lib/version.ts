/** Compares versions of tools. */

/**
 * Versions are three integers (OXP 1.0, ToolDefinition): 1.10.0 is later than 1.9.0.
 *
 * @returns a number above 0 if `a` is later, below 0 if `b` is, and otherwise 0
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let part = 0; part < 3; part++) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
