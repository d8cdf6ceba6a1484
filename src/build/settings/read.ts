/** Reads wrangler.toml, once for all of discovery: its configurations, and its text for the lines in messages. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Problem, problemIn } from "../read/problem.ts";
import { type Environment, parseWranglerToml } from "./parse.ts";

/** Its name in messages. */
export const FILE = "wrangler.toml";

export interface WranglerToml {
  /** The folder that it is in. */
  readonly project: string;
  /** Empty if there is no wrangler.toml, or wrangler cannot read it. */
  readonly text: string;
  /** The top level first; empty if there is no wrangler.toml, or wrangler cannot read it. */
  readonly environments: readonly Environment[];
  /** Why wrangler cannot read it. */
  readonly unreadable?: Problem;
}

/** @param project the folder of wrangler.toml. Never rejects: a file that is not valid is a problem */
export async function readWranglerToml(project: string): Promise<WranglerToml> {
  const path = join(project, FILE);
  if (!existsSync(path)) return { project, text: "", environments: [] };
  try {
    const text = readFileSync(path, "utf8");
    return { project, text, environments: await parseWranglerToml(path, text) };
  } catch (error) {
    return { project, text: "", environments: [], unreadable: unreadable(error as ConfigError) };
  }
}

/** An error of wrangler's. */
interface ConfigError extends Error {
  /** Where the file is no TOML. The first line is 1. */
  readonly location?: { readonly line?: number };
}

function unreadable({ message, location }: ConfigError): Problem {
  const [problem = "", ...more] = message.trim().split("\n");
  const details = more.map((line) => line.trim()).filter((line) => line !== "");
  return problemIn(FILE, {
    problem: [problem, ...details].join(" "),
    fix: location === undefined ? "correct what the message names" : "correct this line (toml.io shows the syntax)",
    line: location?.line,
  });
}

/**
 * @param heading the table that the name is in, if it is in one: `[vars]`
 * @returns the line that sets the name; undefined if it is written in a way that needs a parser
 */
export function lineOfSetting(name: string, text: string, heading?: string): number | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const start = heading === undefined ? 0 : lines.findIndex((line) => line.replace(/\s*#.*$/, "") === heading) + 1;
  if (heading !== undefined && start === 0) return undefined;
  const length = lines.slice(start).findIndex((line) => heading !== undefined && line.startsWith("["));
  const table = lines.slice(start, length < 0 ? undefined : start + length);
  const at = table.findIndex((line) => /^"?([^"\s=]+)"?\s*=/.exec(line)?.[1] === name);
  return at === -1 ? undefined : start + at + 1;
}

/** @returns the first line that has the value in quotes */
export function lineOfValue(value: string, text: string): number | undefined {
  const at = text.split("\n").findIndex((line) => line.includes(`"${value}"`) || line.includes(`'${value}'`));
  return at === -1 ? undefined : at + 1;
}
