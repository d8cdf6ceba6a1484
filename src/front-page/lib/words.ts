/** Says numbers in words. */

/** `1 tool`, `1,200 tools`, `2 entries` */
export function count(number: number, noun: string): string {
  const nouns = number === 1 ? noun : `${noun.replace(/y$/, "ie")}s`;
  return `${number.toLocaleString("en")} ${nouns}`;
}
