/** Evaluates the suite's results and formats them. The same results give the same text. */
import { type Check, type Ran, type Revision, SKILLS } from "./suite.ts";

/** Whether the scenario is one of the optional extension for tasks, which Trivet has. */
function isOfTasks({ name }: Ran): boolean {
  return name.startsWith("tasks-");
}

/** Whether the scenario is one of the optional extension for skills, which Trivet has, too. */
function isOfSkills({ name }: Ran): boolean {
  return SKILLS.some((skill) => skill === name);
}

/**
 * Scenarios that the suite itself always skips, because its client cannot listen yet. So a skipped check of theirs says
 * nothing about the server, whose own tests are in test/features/tasks/mcp/subscriptions.node.test.ts.
 */
const ALWAYS_SKIPPED = ["tasks-status-notifications"];

/** Whether at least one check succeeded, and none failed. */
export function hasPassed({ checks }: Ran): boolean {
  return count(checks, "SUCCESS") > 0 && count(checks, "FAILURE") === 0;
}

/** Whether it passed without warnings and without skipped checks. */
export function isClean(ran: Ran): boolean {
  return hasPassed(ran) && count(ran.checks, "WARNING") === 0 && count(ran.checks, "SKIPPED") === 0;
}

/** Whether the suite has not run it, whatever the server. */
export function isAlwaysSkipped({ name, checks }: Ran): boolean {
  return ALWAYS_SKIPPED.includes(name) && checks.length > 0 && checks.every(({ status }) => status === "SKIPPED");
}

/** Whether no scenario is missing: each group must be as large as in the pinned suite. */
export function isComplete(all: readonly Ran[]): boolean {
  return groups(all).every(({ of, size }) => of.length === size);
}

function count(checks: readonly Check[], status: Check["status"]): number {
  return checks.filter((check) => check.status === status).length;
}

export function problemsOf(ran: Ran): string[] {
  const { name, revision, checks } = ran;
  if (isAlwaysSkipped(ran)) return [];
  if (checks.length === 0) return [`${revision} ${name}: the suite left no result`];
  return checks
    .filter(({ status }) => status === "FAILURE" || status === "WARNING" || status === "SKIPPED")
    .map(({ status, id, description, errorMessage, details }) =>
      [
        `${revision} ${name}: ${status} ${id}`,
        `  ${description}`,
        ...(errorMessage === undefined ? [] : [`  ${errorMessage}`]),
        ...(details === undefined ? [] : [`  ${JSON.stringify(details)}`]),
      ].join("\n"),
    );
}

export function summary(all: readonly Ran[]): string {
  const rows = groups(all).map(({ title, of }) => {
    const passed = of.filter(hasPassed).length;
    const clean = of.filter(isClean).length;
    return `| ${title} | ${of.length} | ${passed} | ${clean} |`;
  });
  return ["| | scenarios | passed | clean |", "|---|---:|---:|---:|", ...rows].join("\n");
}

export function results(all: readonly Ran[], version: string): string {
  const skipped = [...new Set(all.filter(isAlwaysSkipped).map(({ name }) => `\`${name}\``))].join(", ");
  return [
    "# What the official suite finds",
    "",
    "Written by `npm run conformance`; not to be edited. The suite is",
    `\`@modelcontextprotocol/conformance\` ${version}; the server is the built Worker with the tools of`,
    "[tools/](tools/). *Clean*: no recommendation is missed either, and nothing is skipped. The last columns",
    "count checks.",
    "",
    summary(all),
    "",
    `The suite itself skips ${skipped}, whatever the server, until it has been rewritten for`,
    "`subscriptions/listen`. Trivet's own tests of these notifications are in",
    "[subscriptions.node.test.ts](../features/tasks/mcp/subscriptions.node.test.ts).",
    "",
    ...groups(all).flatMap(({ title, of }) => [`## ${title}`, "", ...table(of), ""]),
  ].join("\n");
}

function groups(all: readonly Ran[]): { title: string; size: number; of: Ran[] }[] {
  const required = (revision: Revision) => all.filter((ran) => ran.revision === revision && ran.unscored === undefined);
  return [
    { title: "Required by 2025-11-25", size: 30, of: required("2025-11-25") },
    { title: "Required by 2026-07-28", size: 37, of: required("2026-07-28") },
    { title: "Of the extension for tasks", size: 10, of: all.filter(isOfTasks) },
    { title: "Of the extension for skills", size: SKILLS.length, of: all.filter(isOfSkills) },
    { title: "Run beside them", size: 6, of: all.filter(isBeside) },
  ];
}

function isBeside(ran: Ran): boolean {
  return ran.unscored !== undefined && !isOfTasks(ran) && !isOfSkills(ran);
}

function table(of: readonly Ran[]): string[] {
  const rows = of.map((ran) => {
    const { name, revision, unscored, checks } = ran;
    const about = unscored === undefined ? name : `${name} (${revision}, ${unscored})`;
    const failed = isAlwaysSkipped(ran) ? "skipped" : "**failed**";
    const verdict = isClean(ran) ? "clean" : hasPassed(ran) ? "passed" : failed;
    const numbers = (["SUCCESS", "FAILURE", "WARNING", "SKIPPED"] as const).map((status) => count(checks, status));
    return `| ${about} | ${verdict} | ${numbers.join(" | ")} |`;
  });
  return ["| scenario | | passed | failed | warned | skipped |", "|---|---|---:|---:|---:|---:|", ...rows];
}
