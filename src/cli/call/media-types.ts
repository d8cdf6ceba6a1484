/** Maps file extensions to media types and back, for the usual ones. */

const TYPES: Readonly<Record<string, string>> = {
  ".txt": "text/plain",
  ".csv": "text/csv",
  ".html": "text/html",
  ".md": "text/markdown",
  ".xml": "application/xml",
  ".json": "application/json",
  ".pdf": "application/pdf",
  ".zip": "application/zip",
  ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".mp3": "audio/mpeg",
  ".wav": "audio/wav",
  ".ogg": "audio/ogg",
  ".mp4": "video/mp4",
};

/** @param extension such as ".csv" */
export function mediaTypeOf(extension: string): string {
  return TYPES[extension.toLowerCase()] ?? "application/octet-stream";
}

/** @returns such as ".csv"; ".bin" for a type that is not known */
export function extensionOf(type: string | undefined): string {
  const [plain = ""] = (type ?? "").toLowerCase().split(";");
  return Object.keys(TYPES).find((extension) => TYPES[extension] === plain.trim()) ?? ".bin";
}
