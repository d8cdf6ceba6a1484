/** `npm run copy`: writes the settings of a second Worker, for staging say, that shares nothing with the first. */
import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { assignment } from "../../discovery/lib/settings-format.ts";
import { formatProblems, problemIn } from "../../discovery/read/problem.ts";
import { readSettingsFile } from "../../discovery/settings/read-settings-file.ts";
import { exitCodeOf, helpOf, readArguments } from "../lib/arguments.ts";
import { configOf, copyHead, isCopy, readRawConfig } from "../lib/config.ts";
import type { Io } from "../lib/io.ts";
import { lineOf } from "../lib/lines.ts";
import { Mistake } from "../lib/mistake.ts";
import { type Refused, separate } from "./separate.ts";

const OPTIONS = { share: { type: "string", multiple: true }, help: { type: "boolean", short: "h" } } as const;
const USAGE = `Writes the settings of a second Worker, with resources of its own, from those of this one.

npm run copy -- staging      writes wrangler.staging.jsonc, for the Worker NAME-staging
    --share NAME             the binding of something that both Workers share; may be repeated`;
/** Why the copy then sets the variables that let everyone in to "false". */
const UNGUARDED = "What guards your domain, such as Cloudflare Access, does not guard it.";

/** @returns the exit code */
export function main(argv: readonly string[], io: Io): Promise<number> {
  return exitCodeOf(io, () => run(argv, io));
}

async function run(argv: readonly string[], io: Io): Promise<undefined> {
  const { values, positionals } = readArguments({ name: "copy", options: OPTIONS, swallowed: ["share"] }, argv, io.env);
  const [suffix, ...rest] = positionals;
  if (values.help) return void io.console.log(USAGE);
  if (suffix === undefined || rest.length > 0) throw new Mistake(`copy takes one name: ${helpOf("copy")}.`);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(suffix)) {
    throw new Mistake(`"${suffix}" cannot be part of an address: write lower-case letters, digits and single dashes.`);
  }
  const { unreadable } = await readSettingsFile(io.root);
  if (unreadable) throw new Mistake(formatProblems([unreadable]));
  const config = configOf(undefined, io);
  const source = basename(config);
  const raw = await readRawConfig(config);
  if (typeof raw.name !== "string")
    throw new Mistake(`${source} has no name: write ${assignment(source, "name", "my-tools")}.`);
  const share = new Set(values.share);
  const made = separate(raw, suffix, share);
  const unknown = [...share].find((one) => !made.shareable.has(one));
  if (unknown !== undefined) {
    throw new Mistake(`--share: ${source} has no "${unknown}" to share, but ${[...made.shareable].join(", ")}.`);
  }
  if (made.refused.length > 0) throw new Mistake(refusal(made.refused, source, readFileSync(config, "utf8")));
  const file = `wrangler.${suffix}.jsonc`;
  const path = join(io.root, file);
  // A folder or a link is not replaced either: a link would be followed.
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !(found.isFile() && isCopy(path))) {
    throw new Mistake(`${file} exists, and \`npm run copy\` did not make it: rename it, or choose another name.`);
  }
  const words = [suffix, ...[...share].map((one) => `--share ${inOneWord(one)}`)].join(" ");
  const head = `${copyHead(source)} -- ${words}\`, which replaces it: change ${source} instead.\n`;
  writeFileSync(path, `${head}${JSON.stringify(made.settings, undefined, 2)}\n`);
  io.console.log(announce(made, raw.name, file));
}

/**
 * @param source name of the settings file
 * @param text   text of the settings file
 */
function refusal(refused: readonly Refused[], source: string, text: string): string {
  const problems = refused.map(({ path, name, member, why, fix }) => {
    const [quoted, inner] = [RegExp.escape(name), RegExp.escape(member ?? "")];
    const table = lineOf(text, new RegExp(`^\\s*\\[*\\s*["']?${path.split(".")[0]}["']?\\s*[.=:\\]]`));
    const entry = lineOf(text, new RegExp(`^[^#]*(["']${quoted}["']|\\[.*\\b${quoted}\\b)`), table) ?? table;
    const line = lineOf(text, new RegExp(`^[^#]*\\b${inner}["']?\\s*[=:\\]]`), entry);
    const at = member === undefined ? entry : (line ?? entry);
    return problemIn(source, { problem: `${inOneWord(name)} (${path}) ${why}`, fix, line: at });
  });
  return formatProblems(problems);
}

/** The name, in quotes if it needs them: TOML allows a line break in it, which would end the comment. */
function inOneWord(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}

function announce(made: ReturnType<typeof separate>, original: string, file: string): string {
  const { worker, own, shared, leftOut, create, isExposed, closed } = made;
  const section = (title: string, words: Iterable<string>, found = [...words].join(", ")) =>
    found && `${title}: ${found}.`;
  const lines = [
    `Wrote ${file}: the Worker ${worker}.`,
    section("Its own", own),
    section(`Shared with ${original}`, shared),
    section("Left out", leftOut),
    isExposed && `${worker} is at workers.dev, where ${original} is not. ${UNGUARDED}`,
    ...closed.map((one) => `So ${one} is "false" in the copy. To let everyone call it, deploy with --var ${one}:true`),
    create.size > 0 && ["Before the first deployment:", ...create].join("\n  "),
    `To deploy: npm run deploy -- --config ${file}`,
  ];
  return lines.filter(Boolean).join("\n");
}
