/** Reads the settings file, once for all of discovery: its configurations, and its text for the lines in messages. */
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Problem, problemIn } from "../read/problem.ts";
import { conflictingFile, settingsPath } from "./find-settings-file.ts";
import { type Environment, parseSettings } from "./parse.ts";

export interface SettingsFile {
  /** The folder of the file. */
  readonly project: string;
  /** Its name in messages: `wrangler.toml`, `wrangler.jsonc` or `wrangler.json`. */
  readonly name: string;
  /** Empty if there is no such file, or wrangler cannot read it. */
  readonly text: string;
  /** The top level first; empty if there is no such file, or wrangler cannot read it. */
  readonly environments: readonly Environment[];
  /** Why wrangler cannot read it, or why it may read another. */
  readonly unreadable?: Problem | undefined;
}

/** @param project its folder. Never rejects: a file that is not valid is a problem */
export async function readSettingsFile(project: string): Promise<SettingsFile> {
  const path = settingsPath(project);
  const nothing = { project, name: basename(path), text: "", environments: [] };
  const conflict = conflictingFile(project);
  if (conflict || !existsSync(path)) return { ...nothing, unreadable: conflict };
  try {
    const text = readFileSync(path, "utf8");
    return { ...nothing, text, environments: await parseSettings(path, text) };
  } catch (error) {
    return { ...nothing, unreadable: unreadable(nothing.name, error as ConfigError) };
  }
}

/** An error that wrangler throws. */
interface ConfigError extends Error {
  /** Where the file breaks the syntax of its format. The first line is 1. */
  readonly location?: { readonly line?: number };
}

function unreadable(file: string, { message, location }: ConfigError): Problem {
  const [problem = "", ...more] = message.trim().split("\n");
  const details = more.map((line) => line.trim()).filter((line) => line !== "");
  const site = file.endsWith(".toml") ? " (toml.io shows the syntax)" : "";
  return problemIn(file, {
    problem: [problem, ...details].join(" "),
    fix: location === undefined ? "correct what the message names" : `correct this line${site}`,
    line: location?.line,
  });
}
