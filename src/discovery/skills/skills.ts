/** Reads and checks all skills of `tools/`, and finds the scopes that reading them takes. */
import type { Described } from "../../core/model/tool-description.ts";
import type { DiscoveredSkill } from "../read/discovery.ts";
import type { Candidate } from "../read/inspected.ts";
import type { Problem } from "../read/problem.ts";
import { findSkills } from "./find-skills.ts";

type Unscoped = Omit<DiscoveredSkill, "options">;

/**
 * @param root   the folder of tools
 * @param others the resources, and other primitives, whose URIs a skill's file might have
 */
export async function readSkills(
  root: string,
  others: readonly Candidate[],
): Promise<{ read: readonly Unscoped[]; problems: readonly Problem[] }> {
  const { skills, problems } = findSkills(root);
  const read: Unscoped[] = [];
  if (skills.length === 0) return { read, problems };
  // Loaded here because it brings a YAML parser, for which forks without skills need not wait.
  const { readSkill } = await import("./read-skill.ts");
  const all = [...problems];
  for (const folder of skills) {
    const result = readSkill(folder);
    if ("problems" in result) all.push(...result.problems);
    else read.push(result.skill);
  }
  const uris = new Map(read.flatMap(({ files }) => files.map(({ uri, path }) => [uri, path] as const)));
  for (const { file, inspected } of others) {
    const uri = inspected.resource?.uri;
    if (uri === undefined || !uris.has(uri)) continue;
    const problem = `it is the resource ${uri}, and so is ${uris.get(uri)} of a skill`;
    all.push({ file: file.file, problem, fix: "give it another uri" });
  }
  return { read, problems: all };
}

/** A caller who may call no tool of a toolkit cannot use its skills: they demand the scopes that all its tools demand. */
export function withScopes(skills: readonly Unscoped[], tools: readonly Described[]): DiscoveredSkill[] {
  return skills.map((skill) => {
    const [first, ...rest] = tools
      .filter(({ toolkit }) => toolkit === skill.toolkit)
      .map(({ options }) => options.scopes ?? []);
    const scopes = (first ?? []).filter((scope) => rest.every((other) => other.includes(scope)));
    return { ...skill, options: scopes.length > 0 ? { scopes } : {} };
  });
}
