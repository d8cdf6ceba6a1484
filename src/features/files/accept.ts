/** Checks which files an upload page takes, by an `accept` as in HTML: `text/csv`, `image/*`, `.csv`. */

const EXTENSION = /^\.[\w.+-]+$/;
const TYPE = /^[\w!#$&^.+-]+\/(\*|[\w!#$&^.+-]+)$/;

export function isAccept(entry: unknown): entry is string {
  return typeof entry === "string" && (EXTENSION.test(entry) || TYPE.test(entry));
}

/** @param accept empty if any file is accepted */
export function isAccepted(accept: readonly string[], name: string, type: string): boolean {
  const lowerName = name.toLowerCase();
  const [plain = ""] = type.toLowerCase().split(";");
  return (
    accept.length === 0 ||
    accept.some((entry) => {
      const lower = entry.toLowerCase();
      if (lower.startsWith(".")) return lowerName.endsWith(lower);
      return lower.endsWith("/*") ? plain.startsWith(lower.slice(0, -1)) : plain.trim() === lower;
    })
  );
}

const KINDS: Readonly<Record<string, string>> = {
  "image/*": "images",
  "audio/*": "sound",
  "video/*": "videos",
  "text/*": "text",
  "text/plain": "text",
};

/** Describes the accepted types for a person: `CSV, images`. */
export function acceptInWords(accept: readonly string[]): string {
  const words = accept.map((entry) => {
    const lower = entry.toLowerCase();
    // Subtypes of over 5 characters, such as a spreadsheet's, mean nothing to a person: the entry stays as it is.
    return KINDS[lower] ?? /^(?:\.|[a-z]+\/)([a-z0-9]{1,5})$/.exec(lower)?.[1]?.toUpperCase() ?? entry;
  });
  return [...new Set(words)].join(", ");
}

/** A size for a person: `95 MB`. As with disks, a kB has 1,000 bytes. */
export function sizeInWords(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  let at = 0;
  let size = bytes;
  for (; size >= 1_000 && at < units.length - 1; at++) size /= 1_000;
  return `${Number(size.toFixed(at === 0 || size >= 100 ? 0 : 1))} ${units[at]}`;
}
