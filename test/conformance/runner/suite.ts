/** Runs the official suite against a server and parses its results. Does not evaluate them. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { execFile } from "../../support/node/processes.ts";

const SUITE = resolve(import.meta.dirname, "../../../node_modules/@modelcontextprotocol/conformance");

export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];

/** The scenarios of the extension for skills (SEP-2640), which the suite runs only by name. */
export const SKILLS = ["sep-2640-skills-enumeration", "sep-2640-skills-manifest", "sep-2640-skills-directory"] as const;

export interface Check {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
  readonly details?: unknown;
}

export interface Scenario {
  readonly name: string;
  readonly revision: Revision;
  /** Why the scenario runs without being required; absent if the revision requires it. */
  readonly unscored?: string;
}

export interface Ran extends Scenario {
  /** Empty if the suite left no result. */
  readonly checks: readonly Check[];
}

export function suiteVersion(): string {
  return JSON.parse(readFileSync(join(SUITE, "package.json"), "utf8")).version;
}

/** The server scenarios of a revision: the frozen list of required ones, then the additional ones. */
export function scenariosOf(revision: Revision): Scenario[] {
  const list = readFileSync(join(SUITE, "requirements", `${revision}.yaml`), "utf8");
  const [, required = ""] = /^server:\n((?: {2}.*\n|\n)*)/m.exec(list) ?? [];
  const scored = Array.from(required.matchAll(/^ {2}- (\S+)$/gm), ([, name = ""]) => ({ name, revision }));
  const others = Array.from(
    list.matchAll(/^ {2}- scenario: (\S+)\n {4}leg: server\n {4}reason: (\S+)$/gm),
    ([, name = "", unscored = ""]) => ({ name, revision, unscored }),
  );
  return [...scored, ...others];
}

/** Runs all server scenarios of a revision, in that revision's protocol. */
export async function runAll(url: string, revision: Revision): Promise<Ran[]> {
  return within(async (folder) => {
    await run("--url", url, "--requirements", revision, "-o", folder);
    return scenariosOf(revision).map((scenario) => ({ ...scenario, checks: readChecks(folder, scenario.name) }));
  });
}

export async function runOne(url: string, name: string, revision: Revision): Promise<Ran> {
  return within(async (folder) => {
    await run("--url", url, "--scenario", name, "--spec-version", revision, "--force", "-o", folder);
    return { name, revision, checks: readChecks(folder, name) };
  });
}

async function within<Made>(make: (folder: string) => Promise<Made>): Promise<Made> {
  const folder = mkdtempSync(join(tmpdir(), "trivet-conformance-"));
  try {
    return await make(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ignores the exit code: the result files say more. */
function run(...args: string[]): Promise<void> {
  return new Promise((ended) => {
    const command = [join(SUITE, "dist/index.js"), "server", ...args];
    execFile(process.execPath, command, { maxBuffer: Number.POSITIVE_INFINITY }, () => ended());
  });
}

/** The suite names a result's folder after the scenario and the time. */
function readChecks(folder: string, name: string): Check[] {
  const found = readdirSync(folder).find(
    (entry) => entry.replace(/-\d{4}-\d\d-\d\dT[\dZ-]+$/, "") === `server-${name}`,
  );
  if (found === undefined) return [];
  try {
    return JSON.parse(readFileSync(join(folder, found, "checks.json"), "utf8"));
  } catch {
    return [];
  }
}
