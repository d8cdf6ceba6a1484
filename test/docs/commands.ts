/** Reads the commands of a block, and checks those that are not run: that the script, program or option exists. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { experimental_getWranglerCommands as wranglerCommands } from "wrangler";
import { ROOT } from "./blocks.ts";

/** Scripts that are run, in the order in which they are written: they are quick, and need no account and no server. */
const QUICK = /^npm run (discover|new -- .+|connect( .+)?)$/;
/** What npm does without a script. */
const OF_NPM = ["install", "start", "test"];

/** Returns the commands of a shell block, without comments; a line that ends in a backslash goes on in the next. */
export function commandsIn(text: string): string[] {
  return text
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .flatMap((line) => (line.startsWith("curl ") ? [line] : line.split(/ && |; /)))
    .map((line) => line.replace(/(^|\s)#.*$/, "").trim())
    .filter((line) => line !== "");
}

export const isCurl = (command: string) => command.startsWith("curl ");
export const isQuick = (command: string) => QUICK.test(command);

/** @returns what is wrong with a command that is not run; undefined if nothing is */
export function mistakeIn(command: string): string | undefined {
  const [program, ...words] = command.split(/\s+/);
  if (program === "npm") return mistakeInNpm(words);
  if (program === "npx" && words[0] === "wrangler") return mistakeInWrangler(words.slice(1));
  if (program === "npx" && existsSync(join(ROOT, "node_modules/.bin", words[0] ?? ""))) return undefined;
  return "cannot be checked. Write <!-- not run: REASON --> before the block";
}

function mistakeInNpm([verb = "", script = ""]: string[]): string | undefined {
  if (OF_NPM.includes(verb)) return undefined;
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const isKnown = verb === "run" && script in scripts;
  return isKnown ? undefined : `package.json has no script for "npm ${verb} ${script}"`;
}

/** Wrangler's commands by word, as its registry nests them. */
interface Commands {
  readonly subtree: ReadonlyMap<string, Commands>;
  readonly definition?: { readonly args?: Readonly<Record<string, { readonly alias?: string | readonly string[] }>> };
}

function mistakeInWrangler(words: readonly string[]): string | undefined {
  const { registry, globalFlags } = wranglerCommands() as unknown as { registry: Commands; globalFlags: object };
  let known: Commands = registry;
  let at = 0;
  for (; known.subtree.has(words[at] ?? ""); at++) known = known.subtree.get(words[at] ?? "") as Commands;
  if (at === 0 || known.definition === undefined) return `wrangler has no command "${words[at]}"`;
  const args = known.definition.args ?? {};
  const aliases = Object.values(args).flatMap(({ alias = [] }) => alias);
  const flags = [...Object.keys({ ...args, ...globalFlags }), ...aliases];
  const unknown = words.find((word) => {
    const [, flag] = /^--?(?:no-)?([a-z][\w-]*)/.exec(word) ?? [];
    return flag !== undefined && !flags.includes(flag);
  });
  return unknown && `wrangler ${words.slice(0, at).join(" ")} has no option ${unknown}`;
}
