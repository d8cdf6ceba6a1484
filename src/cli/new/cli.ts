/** `npm run new -- weather/forecast`: writes a tool, a prompt, a resource or an event in tools/, and a test that passes. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import type { Kind } from "../../build/read/paths.ts";
import { helpOf, readArguments, runScript, type Script } from "../lib/arguments.ts";
import { ROOT } from "../lib/config.ts";
import { Mistake } from "../lib/mistake.ts";
import { nextSteps, USAGE } from "./messages.ts";
import { eventTestText, eventText, promptTestText, promptText, resourceTestText, resourceText } from "./offer-text.ts";
import { type Needs, readNeeds, readTarget, type Target } from "./target.ts";
import { toolTestText, toolText } from "./tool-text.ts";

const SCRIPT = {
  name: "new",
  options: {
    secret: { type: "string" },
    authorization: { type: "string" },
    session: { type: "boolean" },
    prompt: { type: "boolean" },
    resource: { type: "boolean" },
    event: { type: "boolean" },
    help: { type: "boolean", short: "h" },
  },
  swallowed: ["secret", "authorization", "session", "prompt", "resource", "event"],
} as const satisfies Script<ParseArgsOptionsConfig>;

await runScript(main);

async function main(): Promise<void> {
  const { values, positionals } = readArguments(SCRIPT);
  const [path, ...rest] = positionals;
  if (values.help || path === undefined) return console.log(USAGE);
  if (rest.length > 0) throw new Mistake(`new takes one TOOLKIT/NAME: ${helpOf("new")}.`);
  const { prompt, resource, event, ...needed } = values;
  const kinds = Object.entries({ prompt, resource, event }).flatMap(([name, isAsked]) =>
    isAsked ? [name as Kind] : [],
  );
  const [kind = "tool"] = kinds;
  if (kinds.length > 1) {
    throw new Mistake("A file has only one of these: write --prompt, --resource or --event.");
  }
  const [foreign] = Object.keys(needed);
  if (kind !== "tool" && foreign)
    throw new Mistake(`${kind === "event" ? "An" : "A"} ${kind} takes no --${foreign}: ${helpOf("new")}.`);
  const needs = readNeeds(needed);
  const target = readTarget(path, kind, ROOT);
  for (const [file, text] of textsOf(target, needs)) {
    mkdirSync(dirname(join(ROOT, file)), { recursive: true });
    writeFileSync(join(ROOT, file), text, { flag: "wx" });
  }
  format([target.file, target.test]);
  console.log(nextSteps(target, needs));
  discover();
}

function textsOf(target: Target, needs: Needs): [file: string, text: string][] {
  const { file, test, kind } = target;
  const texts = {
    tool: () => [toolText(needs), toolTestText(target, needs)],
    prompt: () => [promptText(), promptTestText(target)],
    resource: () => [resourceText(target), resourceTestText(target)],
    event: () => [eventText(target), eventTestText(target)],
  };
  const [text = "", testText = ""] = texts[kind]();
  return [
    [file, text],
    [test, testText],
  ];
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
