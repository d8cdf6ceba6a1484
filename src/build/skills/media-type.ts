/** The media types of the files that skills have, by the ends of their names. */

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  gif: "image/gif",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  mjs: "text/javascript",
  pdf: "application/pdf",
  png: "image/png",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  py: "text/x-python",
  sh: "application/x-sh",
  svg: "image/svg+xml",
  toml: "application/toml",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

/** @param isText whether the file is UTF-8 */
export function mediaType(path: string, isText: boolean): string {
  const end = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return (Object.hasOwn(TYPES, end) && TYPES[end]) || (isText ? "text/plain" : "application/octet-stream");
}
