/** Checks what is in tools/: mistakes that discovery finds, samples, and examples that were not replaced. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { discover } from "../../discovery/discover.ts";
import type { Discovery } from "../../discovery/read/discovery.ts";
import { SKILL } from "../../discovery/read/paths.ts";
import { availableIn } from "../../discovery/settings/available.ts";
import { readSettingsFile } from "../../discovery/settings/read-settings-file.ts";
import { EXAMPLES } from "../lib/examples.ts";
import { primitivesOf } from "../lib/primitives.ts";
import { error, type Finding, placeIn, warning } from "./finding.ts";

/** A file of each sample, by toolkit. An update leaves `dns` and `web` where they are: they were samples before. */
const SAMPLES: Readonly<Record<string, string>> = {
  calculator: "add.ts",
  dns: "resolve.ts",
  doorbell: "ring.ts",
  gmail: "get-emails.ts",
  links: "check.ts",
  notes: "_notes.ts",
  sms: "send.ts",
  system: "get-timestamp@1.ts",
  web: "_extract.ts",
  words: "count.view.html",
};

/**
 * @param root the folder of the fork
 * @returns `found` is undefined if tools/ has mistakes
 */
export async function checkTools(root: string): Promise<{ found: Discovery | undefined; findings: Finding[] }> {
  const tools = join(root, "tools");
  const found = await discover(tools, availableIn(await readSettingsFile(root)));
  const samples = checkSamples(tools);
  if ("problems" in found) return { found: undefined, findings: [...found.problems.map(error), ...samples] };
  const { warnings = [] } = found;
  return { found, findings: [...warnings.map(warning), ...checkExamples(found, root), ...samples, ...checkAny(found)] };
}

function checkSamples(tools: string): Finding[] {
  const left = Object.entries(SAMPLES).flatMap(([toolkit, file]) =>
    existsSync(join(tools, toolkit, file)) ? [`tools/${toolkit}`] : [],
  );
  if (left.length === 0) return [];
  const fix = "delete those that you do not want, and tools/*.test.ts and tools/_oxp-definitions.ts with the first";
  return [warning({ file: left.join(", "), problem: "the samples would be published", fix })];
}

function* checkExamples(found: Discovery, root: string): Generator<Finding> {
  const skills = found.skills.map(({ files, description }) => ({
    path: files.find(({ path }) => path === SKILL)?.file ?? "",
    description,
  }));
  for (const { path, description } of [...primitivesOf(found), ...skills]) {
    if (!EXAMPLES.has(description)) continue;
    const file = placeIn(root, path, description);
    const fix = "say what it is for, so that models and people choose it when they should";
    yield warning({ file, problem: `its description is still that of the example: "${description}"`, fix });
  }
}

function checkAny(found: Discovery): Finding[] {
  if (primitivesOf(found).length > 0 || found.worker) return [];
  const fix = "write one: npm run new -- weather/forecast";
  return [warning({ file: "tools/", problem: "there are no tools", fix })];
}
