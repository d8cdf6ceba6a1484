/** `npm run copy`: writes the settings of a second Worker, for staging say, that shares nothing with the first. */
import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import { formatProblems, problemIn } from "../../build/read/problem.ts";
import { readWranglerToml } from "../../build/settings/read.ts";
import { exitCodeOf, helpOf, readArguments, type Script } from "../lib/arguments.ts";
import { COPY_HEAD, configOf, isCopy, readRawConfig } from "../lib/config.ts";
import type { Io } from "../lib/io.ts";
import { Mistake } from "../lib/mistake.ts";
import { lineAbout } from "./lines.ts";
import { unsafe } from "./members.ts";
import { type Separated, separate, shareable, type Table, type Unseparable } from "./separate.ts";
import { taken } from "./taken.ts";

const SCRIPT = {
  name: "copy",
  options: {
    share: { type: "string", multiple: true },
    help: { type: "boolean", short: "h" },
  },
  swallowed: ["share"],
} as const satisfies Script<ParseArgsOptionsConfig>;
const USAGE = `Writes the settings of a second Worker, with resources of its own, from wrangler.toml.

npm run copy -- staging      writes wrangler.staging.jsonc, for the Worker NAME-staging
    --share NAME             the binding of something that both Workers share; may be repeated

Deploy it with: npm run deploy -- --config wrangler.staging.jsonc`;
/** The longest label of a host name (RFC 1035, section 2.3.4). */
const MAX_NAME = 63;

/** @returns the exit code */
export function main(argv: readonly string[], io: Io): Promise<number> {
  return exitCodeOf(io, () => run(argv, io));
}

async function run(argv: readonly string[], io: Io): Promise<undefined> {
  const { root, console } = io;
  const { values, positionals } = readArguments(SCRIPT, argv, io.env);
  const [suffix, ...rest] = positionals;
  if (values.help) return void console.log(USAGE);
  if (suffix === undefined || rest.length > 0) throw new Mistake(`copy takes one name: ${helpOf("copy")}.`);
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(suffix)) {
    throw new Mistake(`"${suffix}" cannot be part of an address: write lower-case letters, digits and single dashes.`);
  }
  const config = configOf(undefined, io);
  const { unreadable } = await readWranglerToml(root);
  if (unreadable) throw new Mistake(formatProblems([unreadable]));
  const raw: Table = await readRawConfig(config);
  if (typeof raw.name !== "string") throw new Mistake('wrangler.toml has no name: write name = "my-tools".');
  const name = `${raw.name}-${suffix}`;
  if (name.length > MAX_NAME)
    throw new Mistake(`"${name}" is longer than ${MAX_NAME} characters: write a shorter one.`);
  const share = new Set(values.share);
  const unknown = [...share].find((one) => !shareable(raw).includes(one));
  if (unknown !== undefined) {
    const known = shareable(raw).join(", ") || "nothing that could be shared";
    throw new Mistake(`--share: wrangler.toml has no "${unknown}"; it has ${known}.`);
  }
  const separated = separate(raw, suffix, share);
  const refused = [...separated.refused, ...unsafe(raw), ...taken(raw, separated.settings, suffix, share)];
  if (refused.length > 0) throw new Mistake(refusal(refused, readFileSync(config, "utf8")));
  const file = `wrangler.${suffix}.jsonc`;
  const path = join(root, file);
  // Neither a folder, nor a link, which would be followed.
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !(found.isFile() && isCopy(path))) {
    throw new Mistake(`${file} exists, and \`npm run copy\` did not make it: rename it, or choose another name.`);
  }
  const words = [suffix, ...[...share].map((one) => `--share ${inOneWord(one)}`)].join(" ");
  const head = `${COPY_HEAD} -- ${words}\`, which replaces it: change wrangler.toml instead.`;
  writeFileSync(path, `${head}\n${JSON.stringify(separated.settings, undefined, 2)}\n`);
  console.log(announce(separated, raw.name, name, file));
}

/** @param text of wrangler.toml */
function refusal(refused: readonly Unseparable[], text: string): string {
  return formatProblems(
    refused.map(({ key, name, member, why, fix }) => {
      const line = lineAbout(text, { key, name, member });
      return problemIn("wrangler.toml", { problem: `${inOneWord(name)} (${key}) ${why}`, fix, line });
    }),
  );
}

/** TOML allows a line break in a name, which would end the comment. */
function inOneWord(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : JSON.stringify(name);
}

function announce(separated: Separated, worker: string, name: string, file: string): string {
  const { own, shared, leftOut, create, isExposed, closed } = separated;
  const section = (title: string, words: readonly string[]) =>
    words.length > 0 ? [`${title}: ${words.join(", ")}.`] : [];
  return [
    `Wrote ${file}: the Worker ${name}.`,
    ...section("Its own", own),
    ...section(`Shared with ${worker}`, shared),
    ...section("Left out", leftOut),
    ...(isExposed
      ? [
          `${name} is at workers.dev, where ${worker} is not: what guards your domain, such as Cloudflare Access, does not guard it.`,
        ]
      : []),
    ...closed.map(
      (one) => `So ${one} is "false" in the copy. To let everyone call it, add to the deployment: --var ${one}:true`,
    ),
    ...(create.length > 0 ? ["Before the first deployment:", ...create.map((line) => `  ${line}`)] : []),
    `To deploy: npm run deploy -- --config ${file}`,
  ].join("\n");
}
