/** Says how two transcripts differ: which exchange, and which of its lines, with - as recorded and + as it is now. */

const named = (text: string) =>
  new Map(
    text
      .split(/^(?=### )/m)
      .filter((block) => block.trim() !== "")
      .map((block) => [block.slice(4, block.indexOf("\n")), block.trimEnd().split("\n")] as const),
  );

/** @returns undefined if they are equal */
export function differenceOf(transcript: string, recorded: string, now: string): string | undefined {
  if (recorded === now) return undefined;
  const [before, after] = [named(recorded), named(now)];
  const parts: string[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(name), after.get(name)];
    if (was === undefined) parts.push(`${transcript}: "${name}" is new`);
    else if (is === undefined) parts.push(`${transcript}: "${name}" is missing`);
    else if (was.join("\n") !== is.join("\n"))
      parts.push(`${transcript}: "${name}"\n  ${was[1]}\n${changedLines(was.slice(1), is.slice(1))}`);
  }
  return parts.join("\n\n") || `${transcript}: the order of the exchanges has changed`;
}

/** How many equal lines are shown before and after those that differ. */
const CONTEXT = 2;

/** The lines that differ, each with a few equal ones around it. */
function changedLines(was: readonly string[], is: readonly string[]): string {
  const lines = marked(was, is);
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => !line.startsWith(" ")),
  );
  return lines
    .map((line, at) => (isNear[at] ? `  ${line}\n` : isNear[at - 1] ? "  …\n" : ""))
    .join("")
    .trimEnd();
}

/** All lines, those that only one of the two has with its sign. */
function marked(was: readonly string[], is: readonly string[]): string[] {
  let from = 0;
  while (from < was.length && was[from] === is[from]) from++;
  let [wasTo, isTo] = [was.length, is.length];
  while (wasTo > from && isTo > from && was[wasTo - 1] === is[isTo - 1]) [wasTo, isTo] = [wasTo - 1, isTo - 1];
  const [old, now] = [was.slice(from, wasTo), is.slice(from, isTo)];
  // The longest common part of what remains, by the lengths of the common parts of all ends.
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const length = (a: number, b: number) => common[a]?.[b] ?? 0;
  for (let a = old.length - 1; a >= 0; a--) {
    for (let b = now.length - 1; b >= 0; b--) {
      const longest = old[a] === now[b] ? length(a + 1, b + 1) + 1 : Math.max(length(a + 1, b), length(a, b + 1));
      (common[a] as Uint16Array)[b] = longest;
    }
  }
  const middle: string[] = [];
  for (let [a, b] = [0, 0]; a < old.length || b < now.length; ) {
    if (a < old.length && b < now.length && old[a] === now[b]) {
      middle.push(`  ${old[a++]}`);
      b++;
    } else if (a < old.length && (b === now.length || length(a + 1, b) >= length(a, b + 1)))
      middle.push(`- ${old[a++]}`);
    else middle.push(`+ ${now[b++]}`);
  }
  const equal = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  return [...equal(was.slice(0, from)), ...middle, ...equal(was.slice(wasTo))];
}
