/** Suggests the export of `#tool` that an author meant by a name that it does not have. */
import { closest } from "./spelling.ts";

/** Verbs that an author may write in place of "define": `createTool`. */
const BEGINNINGS = "add|build|create|make|new|register";

/** @returns `defineTool` for `definTool`, `createTool` and `tool`; undefined if nothing is similar */
export async function suggestExport(name: string): Promise<string | undefined> {
  const known = Object.keys(await import("../../tool.ts"));
  if (known.includes(name)) return name;
  const kind = name.toLowerCase().replace(new RegExp(`^(${BEGINNINGS})(?=.)`), "");
  return closest(name, known) ?? known.find((definer) => definer.toLowerCase() === `define${kind}`);
}
