/** Reads which skill `npm run new` was asked to write, and makes its text. */
import { join } from "node:path";
import { SKILL, SKILLS } from "../../discovery/read/paths.ts";
import { findSkills, nameProblems } from "../../discovery/skills/find-skills.ts";
import { SKILL_DESCRIPTION } from "../lib/examples.ts";
import { Mistake } from "../lib/mistake.ts";
import { namesOf, refuseExisting, refuseToolkit, type Target, toolsIn } from "./target.ts";
import { titleOf } from "./tool-text.ts";

/**
 * @param text `weather/storm-check`, or `weather` for the toolkit's own; also a path in tools/, as a shell completes it
 * @throws {Mistake} if discovery would refuse the name, or there is a skill of that name
 */
export function skillTarget(text: string, root: string): Target {
  const path = text
    .replace(/^(\.\/)?tools\//, "")
    .replace(`/${SKILL}`, "")
    .replace(`/${SKILLS}/`, "/");
  const [toolkit = "", own, ...rest] = path.replace(/\/$/, "").split("/");
  if (toolkit === "" || own === "" || rest.length > 0) {
    const how = "as in `npm run new -- weather/storm-check --skill`";
    throw new Mistake(`"${text}" is neither TOOLKIT/NAME nor TOOLKIT, whose own skill has its name: ${how}.`);
  }
  refuseToolkit(toolkit, text);
  const name = own ?? toolkit;
  const folder = own === undefined ? `tools/${toolkit}` : `tools/${toolkit}/${SKILLS}/${own}`;
  const [wrong] = nameProblems(name, folder);
  if (wrong) throw new Mistake(`${wrong.problem}: ${wrong.fix}.`);
  const file = `${folder}/${SKILL}`;
  refuseExisting([file], root);
  const twin = findSkills(join(root, "tools")).skills.find((skill) => skill.name === name);
  if (twin) throw new Mistake(`${twin.label}/${SKILL} is the skill ${name} already: choose another name.`);
  return { kind: "skill", toolkit, name, ...namesOf(toolkit, name, root), file };
}

/** Names the tools of the toolkit as models know them. */
export async function skillText({ toolkit, name }: Target, root: string): Promise<string> {
  const tools = Array.from((await toolsIn(toolkit, root)).values(), (tool) => `\`${tool}\``);
  return `---
name: ${name}
description: ${SKILL_DESCRIPTION}
---

# ${titleOf(name)}

1. Ask for what is missing, in one question.
2. Call the tools ${tools.length > 0 ? `that the job takes: ${tools.join(", ")}` : "of this server that the job takes"}.
3. Answer in one sentence, and then say what the answer rests on.
`;
}
