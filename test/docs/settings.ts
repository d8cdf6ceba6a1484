/** Merges the `toml` blocks of the documentation into a wrangler.toml, as their reader would. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unstable_readConfig as readConfig } from "wrangler";
import { readAllSettings } from "../../src/discovery/settings/all-settings.ts";
import type { Fork } from "../support/node/fork.ts";
import { blocksIn, ROOT } from "./blocks.ts";

/**
 * Adds a block to the text of a wrangler.toml. A line with a value replaces the line of that name, or is added where it
 * belongs: names in capitals under [vars], others at the top. Tables that are not there are added at the end.
 */
export function merged(toml: string, block: string): string {
  let text = toml;
  // Each table begins with its heading; lines before the first belong to none.
  const parts = block.split(/^(?=\[)/m);
  const tables = parts.filter((part) => part.startsWith("["));
  const head = parts.find((part) => !part.startsWith("[")) ?? "";
  for (const [, line = "", name = ""] of head.matchAll(/^((\w+) = .*)$/gm)) text = set(text, name, line);
  for (const table of tables) text = withTable(text, table.trim());
  return text;
}

function withTable(toml: string, table: string): string {
  const [heading = "", ...lines] = table.split("\n");
  if (toml.includes(table)) return toml;
  if (heading.startsWith("[[") || !toml.includes(`\n${heading}\n`)) return `${toml}\n${table}\n`;
  // A name may be in a table only once.
  const names = lines.flatMap((line) => /^(\w+) = /.exec(line)?.[1] ?? []);
  const rest = names.reduce((text, name) => text.replace(new RegExp(`^${name} = .*\n`, "m"), ""), toml);
  return rest.replace(`\n${heading}\n`, () => `\n${table}\n`);
}

function set(toml: string, name: string, line: string): string {
  const there = new RegExp(`^${name} = .*$`, "m");
  if (there.test(toml)) return toml.replace(there, () => line);
  const isVariable = name === name.toUpperCase();
  return isVariable ? toml.replace("[vars]\n", () => `[vars]\n${line}\n`) : `${line}\n${toml}`;
}

const LOCAL =
  /^\[+(kv_namespaces|d1_databases|r2_buckets|triggers|ratelimits|workflows|durable_objects\.bindings|migrations|queues\.\w+)\]/;
const OF_ACCOUNT = /^\[+(ai|browser|images|vectorize|hyperdrive)\]/;

/** Whether a block only adds triggers and bindings: then the tools of all pages can have them. */
export function isAdditive(block: string): boolean {
  const headings = block.split("\n").filter((line) => line.startsWith("["));
  return block.startsWith("[") && headings.every((heading) => LOCAL.test(heading) || OF_ACCOUNT.test(heading));
}

/** Whether a block adds what is only there with an account: tools with it are built, and not called. */
export const needsAccount = (block: string) => isAdditive(block) && OF_ACCOUNT.test(block);

/** Where names of variables are: the settings, and the tools of the documentation. */
const KNOWN = [
  ...["src/settings.ts", ...["tasks", "files", "outbox"].map((room) => `src/features/${room}/settings.ts`)].map(
    (path) => readFileSync(join(ROOT, path), "utf8"),
  ),
  ...blocksIn("ts").map(({ text }) => text),
];

/** @returns what wrangler and our own settings say against a wrangler.toml: errors, unknown names, unusable values */
export function complaints(fork: Fork, toml: string): string[] {
  const config = join(fork.root, "wrangler.checked.toml");
  writeFileSync(config, toml);
  const said: string[] = [];
  const { warn } = console;
  // wrangler warns of names that it does not know, and ignores them.
  console.warn = (...words: unknown[]) => said.push(words.join(" "));
  try {
    const { vars } = readConfig({ config });
    const unknown = Object.keys(vars).filter((name) => !KNOWN.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
    said.push(...unknown.map((name) => `no setting and no tool of the documentation is named ${name}`));
    said.push(...readAllSettings(vars).mistakes.map(({ problem, fix }) => `${problem}: ${fix}`));
  } catch (error) {
    said.push((error as Error).message);
  } finally {
    console.warn = warn;
  }
  return said;
}
