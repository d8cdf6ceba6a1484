/** Reads the command line of an npm script, and ends the script with one sentence if its user made a mistake. */
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import type { Io } from "./io.ts";
import { Mistake } from "./mistake.ts";

/** An npm script: `npm run NAME -- …`. */
export interface Script<Options extends ParseArgsOptionsConfig> {
  readonly name: string;
  readonly options: Options;
  /** Options that npm takes for itself if `--` is missing, as in `npm run keys create a --remote`. */
  readonly swallowed: readonly (keyof Options & string)[];
}

/** Says where the usage is: the end of a sentence. */
export const helpOf = (script: string) => `see \`npm run ${script} -- --help\``;

/**
 * Runs what a script does. A {@link Mistake} is printed as its sentence; anything else is a bug of ours.
 *
 * @param ofMistake the exit code for a mistake
 * @returns the exit code: that of `body`, and 0 without one
 */
export async function exitCodeOf(
  { console }: Io,
  body: () => Promise<number | undefined>,
  ofMistake = 1,
): Promise<number> {
  try {
    return (await body()) ?? 0;
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    console.error(error.message);
    return ofMistake;
  }
}

/** @throws {Mistake} if an option is unknown, lacks its value, or was taken by npm */
export function readArguments<const Options extends ParseArgsOptionsConfig>(
  script: Script<Options>,
  argv: readonly string[],
  env: Io["env"],
) {
  refuseSwallowed(script, argv, env);
  try {
    return parseArgs({ args: [...argv], options: script.options, allowPositionals: true });
  } catch (error) {
    const [sentence = ""] = (error as Error).message.split(/\. |\n/);
    throw new Mistake(`${sentence.replace(/\.$/, "")}: ${helpOf(script.name)}.`);
  }
}

/**
 * Fails if npm took one of our options for its own. Without its options, the script would do something else, such as
 * create a key for all tools that never expires.
 */
function refuseSwallowed<Options extends ParseArgsOptionsConfig>(
  { name, options, swallowed }: Script<Options>,
  argv: readonly string[],
  env: Io["env"],
): void {
  for (const [variable, value] of Object.entries(env)) {
    const setting = /^npm_config_(.+)$/i.exec(variable)?.[1]?.toLowerCase().replaceAll("_", "-");
    // Four letters are compared, so that misspelled options are found.
    // For --no-account, npm sets `account` to an empty text.
    const option = swallowed.find((one) => setting?.startsWith(one.replace(/^no-/, "").slice(0, 4)));
    if (setting === undefined || option === undefined || isOfNpm(setting, value)) continue;
    const words = argv.map((word) => (/^[\w/-]+$/.test(word) ? word : JSON.stringify(word)));
    const rest = options[option]?.type === "boolean" ? "" : " …";
    const kept = option.startsWith("no-") ? `no-${setting}` : setting;
    throw new Mistake(
      `npm kept --${kept} for itself: ` +
        `write \`npm run ${name} -- ${[...words, `--${option}`].join(" ")}${rest}\`, ${helpOf(name)}.`,
    );
  }
}

/**
 * Whether the setting is npm's own, such as a `scope` that begins with "@", which may be in the user's .npmrc, or
 * `viewer`, which begins like our `--view`.
 */
function isOfNpm(setting: string, value: string | undefined): boolean {
  return setting === "auth-type" || setting === "viewer" || (setting === "scope" && value?.startsWith("@") === true);
}
