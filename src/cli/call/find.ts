/** Finds the tool that a person means. Pure. */
import { compareVersions } from "../../client/lib/version.ts";
import { closest } from "../../discovery/lib/spelling.ts";
import { Mistake } from "../lib/mistake.ts";
import type { Tool } from "./protocols/connection.ts";

/**
 * @param wanted `Calculator.Add`, `Calculator_Add`, `calculator/add`, each with a version (`@1.0.0`, `@1`) or without
 * @returns the tool, in its latest version if none is wanted
 * @throws {Mistake} if there is no such tool or version
 */
export function findTool(wanted: string, tools: readonly Tool[]): Tool {
  const [, name = wanted, version] = /^(.+?)(?:@(\d[\w.]*))?$/.exec(wanted) ?? [];
  const exact = tools.filter((tool) => tool.id === name || tool.name === name);
  const found = exact.length > 0 ? exact : tools.filter((tool) => plainName(tool.name) === plainName(name));
  if (found.length === 0) throw new Mistake(`There is no tool "${name}"${suggestion(name, tools)}`);
  const sorted = found.toSorted((a, b) => compareVersions(b.version ?? "", a.version ?? ""));
  if (version === undefined) return sorted[0] as Tool;
  const [first] = sorted;
  if (first?.version === undefined) {
    throw new Mistake(`This protocol has no versions: leave out @${version}, or add --protocol oxp.`);
  }
  // A single number means its first version: `@1` is 1.0.0 (OXP 1.0, Tool Version Resolution).
  const full = version.includes(".") ? version : `${version}.0.0`;
  const match = sorted.find((tool) => tool.version === full);
  if (match) return match;
  throw new Mistake(`${first.id} has no version ${full}: there is ${sorted.map((tool) => tool.version).join(", ")}.`);
}

/** Letters and digits only: `calculator/add`, `two-words/say-hello` and `TwoWords_SayHello` are alike. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function suggestion(name: string, tools: readonly Tool[]): string {
  const ids = [...new Set(tools.map(({ id }) => id))];
  // A part of an id is often all that a person knows: `add`.
  const parts = name.length >= 3 ? ids.filter((id) => plainName(id).includes(plainName(name))) : [];
  const meant = parts.length > 0 ? parts.slice(0, 3) : [closest(name, ids)].filter((id) => id !== undefined);
  const isOxp = tools.some(({ version }) => version !== undefined);
  if (meant.length > 0) return `: did you mean ${meant.join(" or ")}?`;
  if (ids.length === 0) return ": this server lists none.";
  // A tool that was taken over from an OpenTool server keeps its name over this protocol. OXP lists it under another.
  return isOxp
    ? ": `npm run call` lists those that there are."
    : " over this protocol: list its names with the same --protocol, or leave out --protocol.";
}
