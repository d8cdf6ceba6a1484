/** `npm run new -- weather/forecast`: writes a tool, or what else can be in tools/, and a test that passes. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import { article } from "../../discovery/lib/article.ts";
import { exitCodeOf, helpOf, readArguments, type Script } from "../lib/arguments.ts";
import type { Io } from "../lib/io.ts";
import { Mistake } from "../lib/mistake.ts";
import { nextSteps, USAGE } from "./messages.ts";
import {
  eventTestText,
  eventText,
  PROMPT_TEXT,
  promptTestText,
  resourceTestText,
  resourceText,
} from "./primitive-text.ts";
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

const KINDS = ["prompt", "resource", "event", "view", "skill"] as const;
const NEEDS = ["secret", "authorization", "session"] as const;

/** @returns the exit code */
export function main(argv: readonly string[], io: Io): Promise<number> {
  return exitCodeOf(io, () => run(argv, io));
}

async function run(argv: readonly string[], io: Io): Promise<number | undefined> {
  const { console, root } = io;
  const { values, positionals } = readArguments(SCRIPT, argv, io.env);
  const [path, ...rest] = positionals;
  if (values.help || path === undefined) return void console.log(USAGE);
  if (rest.length > 0) throw new Mistake(`new takes one TOOLKIT/NAME: ${helpOf("new")}.`);
  const kinds = KINDS.filter((kind) => values[kind]);
  const [kind = "tool"] = kinds;
  if (kinds.length > 1) {
    throw new Mistake("A file has only one of these: write --prompt, --resource, --event, --view or --skill.");
  }
  const target = await targetOf(path, kind, root);
  const need = NEEDS.find((name) => name in values);
  if (need !== undefined) refuseNeed(target, need);
  const needs = readNeeds(values);
  const texts = await textsOf(target, needs, root);
  for (const [file, text] of texts) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text, { flag: "wx" });
  }
  const written = texts.map(([file]) => file);
  await format(written, io);
  console.log(nextSteps(target, needs, written));
  return discover(io);
}

async function targetOf(path: string, kind: Made, root: string): Promise<Target> {
  if (kind === "view") return viewTarget(path, root);
  return kind === "skill" ? skillTarget(path, root) : readTarget(path, kind, root);
}

/** @throws {Mistake} if no tool is written that could need anything */
function refuseNeed({ kind, toolkit, name, tool }: Target, need: string): void {
  if (kind === "tool" || tool) return;
  const refused = `${article(kind)} ${kind} takes no --${need}: ${helpOf("new")}.`;
  if (kind === "view") throw new Mistake(`tools/${toolkit}/${name}.ts is there already, and ${refused}`);
  throw new Mistake(refused.replace(/^a/, "A"));
}

async function textsOf(target: Target, needs: Needs, root: string): Promise<(readonly [file: string, text: string])[]> {
  const { kind, file, test, tool } = target;
  const texts = {
    tool: () => [toolText(needs), toolTestText(target, needs)],
    prompt: () => [PROMPT_TEXT, promptTestText(target)],
    resource: () => [resourceText(target), resourceTestText(target)],
    event: () => [eventText(target), eventTestText(target)],
    view: () => [viewText(target, needs), viewTestText(target)],
    skill: async () => [await skillText(target, root)],
  };
  const [text = "", testText = ""] = await texts[kind]();
  const own = [[file, text] as const, ...(test === undefined ? [] : [[test, testText] as const])];
  return [...(tool ? await textsOf(tool, needs, root) : []), ...own];
}

/** Formats by the fork's own rules, which may differ from Trivet's. */
async function format(files: readonly string[], { root, node }: Io): Promise<void> {
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  if (!existsSync(biome) || !existsSync(join(root, "biome.json"))) return;
  await node([biome, "check", "--write", ...files], { cwd: root });
}

/** Runs discovery, so that the editor knows the new tool's types at once. Shows mistakes in other files. */
async function discover({ root, node, console }: Io): Promise<number> {
  const { status, stderr } = await node(["src/discovery/cli.ts"], { cwd: root });
  if (stderr !== "") console.error(stderr.trimEnd());
  return status ?? 1;
}
