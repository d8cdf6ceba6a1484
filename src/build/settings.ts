/** What discovery reads of wrangler.toml: settings that would close a server, or open it, without a word. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Problem } from "./problem.ts";

const FILE = "wrangler.toml";

/** @returns the text of a project's wrangler.toml; undefined where there is no deployment */
function settingsIn(project: string): string | undefined {
  const path = join(project, FILE);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** The rate limiters that a deployment has, by the number in their name; undefined where there is no deployment. */
export function limitersIn(project: string): ReadonlySet<number> | undefined {
  const text = settingsIn(project);
  if (text === undefined) return undefined;
  const names = text.matchAll(/^\s*name\s*=\s*["']RATE_(\d+)["']/gm);
  return new Set(Array.from(names, ([, limit]) => Number(limit)));
}

export function wrongSettings(project: string): Problem[] {
  const text = settingsIn(project);
  if (text === undefined) return [];
  const limiters = limitersIn(project) ?? new Set();
  const problems: Problem[] = [];
  let table = "";
  for (const [at, line] of text.split("\n").entries()) {
    table = /^\s*\[\[?\s*([^\]]+?)\s*\]/.exec(line)?.[1] ?? table;
    if (setsHost(table, line)) problems.push(hostProblem(at + 1));
    const rate = /^[^#]*\bRATE_PER_MINUTE["']?\s*=\s*["']?([^"'\s,}#]*)/.exec(line)?.[1];
    if (rate && !limiters.has(Number(rate))) problems.push(rateProblem(at + 1, rate, limiters));
  }
  return problems;
}

/** In the table itself, as `dev.host = …`, or as `dev = { host = … }`. */
function setsHost(table: string, line: string): boolean {
  if (table === "dev") return /^\s*["']?host["']?\s*=/.test(line);
  return table === "" && /^\s*["']?dev["']?\s*(\.\s*["']?|=\s*\{([^#]*[\s,"'])?)host["']?\s*=/.test(line);
}

/** wrangler then tells the Worker this host and origin, whichever a request really came with. */
function hostProblem(line: number): Problem {
  return {
    file: `${FILE}:${line}`,
    problem:
      "the host of [dev] hides from the server which name and page a request came from: any web page could call it",
    fix: "remove the line",
  };
}

/** A request that cannot be counted is refused. */
function rateProblem(line: number, rate: string, limiters: ReadonlySet<number>): Problem {
  const others = [...limiters].map((limit) => `"${limit}", `).join("");
  return {
    file: `${FILE}:${line}`,
    problem: `RATE_PER_MINUTE is "${rate}", and there is no rate limiter RATE_${rate}: every request would be refused`,
    fix: `write ${others}or "" for no limit, or add [[ratelimits]] with name = "RATE_${rate}"`,
  };
}
