/** Reads wrangler.toml, once for all of discovery: its configurations, and its text for the lines in messages. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Unstable_Config as Config } from "wrangler";
import { type Problem, problemIn } from "../read/problem.ts";

/** Its name in messages. */
export const FILE = "wrangler.toml";

/** The top level of wrangler.toml, or one of its environments. */
export interface Environment {
  readonly config: Config;
  /** The heading of its variables: `[vars]` or `[env.staging.vars]`. */
  readonly vars: string;
}

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
  // Loaded lazily: loading wrangler takes longer than everything else in discovery.
  const { unstable_readConfig: read } = await import("wrangler");
  const configOf = (env: string) => read({ config: path, env }, { hideWarnings: true });
  try {
    const top = configOf("");
    const others = (top.definedEnvironments ?? []).map((name: string) => ({
      config: configOf(name),
      vars: `[env.${name}.vars]`,
    }));
    const environments = [{ config: top, vars: "[vars]" }, ...others];
    return { project, text: readFileSync(path, "utf8"), environments };
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
export function lineOf(name: string, text: string, heading?: string): number | undefined {
  const lines = text.split("\n").map((line) => line.trim());
  const start = heading === undefined ? 0 : lines.findIndex((line) => line.replace(/\s*#.*$/, "") === heading) + 1;
  if (heading !== undefined && start === 0) return undefined;
  const length = lines.slice(start).findIndex((line) => heading !== undefined && line.startsWith("["));
  const table = lines.slice(start, length < 0 ? undefined : start + length);
  const at = table.findIndex((line) => /^"?([^"\s=]+)"?\s*=/.exec(line)?.[1] === name);
  return at === -1 ? undefined : start + at + 1;
}
