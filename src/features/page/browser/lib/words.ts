/** Counts, durations and sizes for a person. */

/** `1 tool`, `1,200 tools`, `2 entries` */
export function count(number: number, noun: string): string {
  const nouns = number === 1 ? noun : `${noun.replace(/y$/, "ie")}s`;
  return `${number.toLocaleString("en")} ${nouns}`;
}

/** `12 ms`, `1.4 s` */
export function durationText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** `12 bytes`, `1.4 KB`, `4 MB`: rounded down, so that a limit is never said to be more than it is. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return count(bytes, "byte");
  const [unit, name] = bytes < 1_000_000 ? [1_000, "KB"] : [1_000_000, "MB"];
  return `${Math.floor((bytes / unit) * 10) / 10} ${name}`;
}
