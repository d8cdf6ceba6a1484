/** Finds the media type of a skill's file by the end of its name. */
import { getMimeType, mimes } from "hono/utils/mime";

/** Without a prototype, so that no ending is found that is a member of every object, such as `constructor`. */
const TYPES: Readonly<Record<string, string>> = Object.assign(Object.create(null), mimes, {
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  md: "text/markdown",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  py: "text/x-python",
  sh: "application/x-sh",
  toml: "application/toml",
  // TypeScript, not a video.
  ts: "",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  yaml: "application/yaml",
  yml: "application/yaml",
});

/** @param isText whether the file is UTF-8 */
export function mediaType(path: string, isText: boolean): string {
  const [known = ""] = getMimeType(path, TYPES)?.split(";") ?? [];
  return known || (isText ? "text/plain" : "application/octet-stream");
}
