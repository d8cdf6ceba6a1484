/** Keeps a Map or a Set that is used as a cache within its bound: drops the oldest entry if there are more than `max`. */
export function dropOldest(entries: Map<string, unknown> | Set<string>, max: number): void {
  const [oldest] = entries.keys();
  if (entries.size > max && oldest !== undefined) entries.delete(oldest);
}
