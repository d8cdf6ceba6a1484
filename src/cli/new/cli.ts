/** `npm run new -- weather/forecast`: writes a tool, or what else can be in tools/, and a test that passes. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import { article } from "../../build/read/paths.ts";
import { helpOf, readArguments, runScript, type Script } from "../lib/arguments.ts";
import { ROOT } from "../lib/config.ts";
import { Mistake } from "../lib/mistake.ts";
import { nextSteps, USAGE } from "./messages.ts";
import { eventTestText, eventText, promptTestText, promptText, resourceTestText, resourceText } from "./offer-text.ts";
import { skillTarget, skillText } from "./skill.ts";
import { type Made, type Needs, readNeeds, readTarget, type Target } from "./target.ts";
import { toolTestText, toolText } from "./tool-text.ts";
import { viewTarget, viewTestText, viewText } from "./view.ts";

const SCRIPT = {
  name: "new",
  options: {
    secret: { type: "string" },
    authorization: { type: "string" },
    session: { type: "boolean" },
    prompt: { type: "boolean" },
    resource: { type: "boolean" },
    event: { type: "boolean" },
    view: { type: "boolean" },
    skill: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
  swallowed: ["secret", "authorization", "session", "prompt", "resource", "event", "view", "skill"],
} as const satisfies Script<ParseArgsOptionsConfig>;

await runScript(main);

async function main(): Promise<void> {
  const { values, positionals } = readArguments(SCRIPT);
  const [path, ...rest] = positionals;
  if (values.help || path === undefined) return console.log(USAGE);
  if (rest.length > 0) throw new Mistake(`new takes one TOOLKIT/NAME: ${helpOf("new")}.`);
  const { prompt, resource, event, view, skill, ...needed } = values;
  const kinds = Object.entries({ prompt, resource, event, view, skill }).flatMap(([name, isAsked]) =>
    isAsked ? [name as Made] : [],
  );
  const [kind = "tool"] = kinds;
  if (kinds.length > 1) {
    throw new Mistake("A file has only one of these: write --prompt, --resource, --event, --view or --skill.");
  }
  const target = await targetOf(path, kind);
  refuseNeeds(target, Object.keys(needed)[0]);
  const needs = readNeeds(needed);
  const texts = await textsOf(target, needs);
  for (const [file, text] of texts) {
    mkdirSync(dirname(join(ROOT, file)), { recursive: true });
    writeFileSync(join(ROOT, file), text, { flag: "wx" });
  }
  const written = texts.map(([file]) => file);
  format(written);
  console.log(nextSteps(target, needs, written));
  discover();
}

async function targetOf(path: string, kind: Made): Promise<Target> {
  if (kind === "view") return viewTarget(path, ROOT);
  return kind === "skill" ? skillTarget(path, ROOT) : readTarget(path, kind, ROOT);
}

/** @throws {Mistake} if no tool is written that could need anything */
function refuseNeeds({ kind, toolkit, name, tool }: Target, need: string | undefined): void {
  if (need === undefined || kind === "tool" || tool) return;
  const refused = `${article(kind)} ${kind} takes no --${need}: ${helpOf("new")}.`;
  if (kind === "view") throw new Mistake(`tools/${toolkit}/${name}.ts is there already, and ${refused}`);
  throw new Mistake(refused.replace(/^a/, "A"));
}

async function textsOf(target: Target, needs: Needs): Promise<(readonly [file: string, text: string])[]> {
  const { kind, file, test, tool } = target;
  const texts = {
    tool: () => [toolText(needs), toolTestText(target, needs)],
    prompt: () => [promptText(), promptTestText(target)],
    resource: () => [resourceText(target), resourceTestText(target)],
    event: () => [eventText(target), eventTestText(target)],
    view: () => [viewText(target, needs), viewTestText(target)],
    skill: async () => [await skillText(target, ROOT)],
  };
  const [text = "", testText = ""] = await texts[kind]();
  const own = [[file, text] as const, ...(test === undefined ? [] : [[test, testText] as const])];
  return [...(tool ? await textsOf(tool, needs) : []), ...own];
}

/** By the rules of this fork, which may have changed them. */
function format(files: readonly string[]): void {
  const biome = join(ROOT, "node_modules/@biomejs/biome/bin/biome");
  if (!existsSync(biome) || !existsSync(join(ROOT, "biome.json"))) return;
  spawnSync(process.execPath, [biome, "check", "--write", ...files], { cwd: ROOT, stdio: "ignore" });
}

/** So that the editor knows the new tool's types at once. Shows the mistakes of other files, if there are any. */
function discover(): void {
  const { status } = spawnSync(process.execPath, ["src/build/cli.ts"], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  process.exitCode = status ?? 1;
}
