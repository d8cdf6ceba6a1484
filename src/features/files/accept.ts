/** Which files a page takes, as the `accept` of an HTML input says: `text/csv`, `image/*`, `.csv`. */

const EXTENSION = /^\.[\w.+-]+$/;
const TYPE = /^[\w!#$&^.+-]+\/(\*|[\w!#$&^.+-]+)$/;

export function isAccept(entry: unknown): entry is string {
  return typeof entry === "string" && (EXTENSION.test(entry) || TYPE.test(entry));
}

/** @param accept none for any file */
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

/** For a person: `CSV, images`. */
export function acceptInWords(accept: readonly string[]): string {
  const words = accept.map((entry) => {
    const lower = entry.toLowerCase();
    // A longer subtype, such as that of a spreadsheet, is no word.
    return KINDS[lower] ?? /^(?:\.|[a-z]+\/)([a-z0-9]{1,5})$/.exec(lower)?.[1]?.toUpperCase() ?? entry;
  });
  return [...new Set(words)].join(", ");
}

/** For a person: `95 MB`. @param bytes counted as disks are, in thousands */
export function sizeInWords(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB"];
  let at = 0;
  let size = bytes;
  for (; size >= 1_000 && at < units.length - 1; at++) size /= 1_000;
  return `${Number(size.toFixed(at === 0 || size >= 100 ? 0 : 1))} ${units[at]}`;
}
