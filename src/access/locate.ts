/** Finds the toolkit in a request's path. */
import type { Located } from "../http/toolkit-router.ts";
import { isMetadataPath, METADATA_PATH } from "./protected-resource.ts";

/** Splits the toolkit's name from the front of a path. A first segment that is not a toolkit stays in the path. */
export function locate(fullPath: string, toolkits: ReadonlySet<string>): Located {
  // People often write an address with a trailing slash.
  const hasSlash = fullPath.length > 1 && fullPath.endsWith("/") && !fullPath.endsWith("//");
  const path = hasSlash ? fullPath.slice(0, -1) : fullPath;
  const end = path.indexOf("/", 1);
  if (end < 0) return { path, toolkit: undefined };
  const toolkit = path.slice(1, end);
  const rest = path.slice(end);
  // The metadata is public. Served only under the names of existing toolkits, it would reveal which ones exist.
  if (toolkits.has(toolkit) && rest !== METADATA_PATH) return { path: rest, toolkit };
  return { path: isMetadataPath(path) ? METADATA_PATH : path, toolkit: undefined };
}
