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
      parts.push(`${transcript}: "${name}"\n  ${was[1]}\n${changedLines(was, is)}`);
  }
  return parts.join("\n\n") || `${transcript}: the order of the exchanges has changed`;
}

/** The lines between those that are equal at the beginning and at the end, with one line around them. */
function changedLines(was: readonly string[], is: readonly string[]): string {
  let from = 0;
  while (from < was.length && was[from] === is[from]) from++;
  let [wasTo, isTo] = [was.length, is.length];
  while (wasTo > from && isTo > from && was[wasTo - 1] === is[isTo - 1]) [wasTo, isTo] = [wasTo - 1, isTo - 1];
  const lines = (sign: string, all: readonly string[], to: number) =>
    all.slice(from, to).map((line) => `  ${sign} ${line}`);
  return [
    `    ${was[from - 1] ?? ""}`,
    ...lines("-", was, wasTo),
    ...lines("+", is, isTo),
    `    ${was[wasTo] ?? ""}`,
  ].join("\n");
}
