/**
 * Finds crons that Cloudflare refuses. wrangler does not check them, so a deployment would upload the Worker and then
 * fail (developers.cloudflare.com/workers/configuration/cron-triggers, "Supported cron expressions").
 */
import type { Unstable_Config as Config } from "wrangler";
import { lineOfValue } from "../lib/settings-format.ts";
import type { Complaint } from "../read/problem.ts";

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names that stand for a number: `MON`. */
  readonly words?: RegExp;
  /** Other values that the field may have. */
  readonly special?: RegExp;
}

const MONTHS = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)$/i;
const DAYS = /^(sun|mon|tue|wed|thu|fri|sat)$/i;

const FIELDS: readonly Field[] = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  // `L` is the last day, `LW` the last weekday, and `15W` the weekday nearest to the 15th.
  { name: "day of the month", least: 1, most: 31, special: /^(\?|L(-\d+)?|LW|\d+W)$/i },
  { name: "month", least: 1, most: 12, words: MONTHS },
  // `6L` is the last Friday, and `6#2` the second.
  { name: "day of the week", least: 1, most: 7, words: DAYS, special: /^(\?|L|\w+L|\w+#[1-5])$/i },
];

const EXAMPLE = '"0 9 * * MON-FRI"';

/**
 * @param configs of one file: environments inherit crons
 * @param text    of that file
 */
export function wrongCrons(configs: readonly Pick<Config, "triggers" | "workflows">[], text: string): Complaint[] {
  const all = configs.flatMap(({ triggers, workflows }) => [
    ...(triggers.crons ?? []),
    ...workflows.flatMap(({ schedules = [] }) => schedules),
  ]);
  return [...new Set(all)].flatMap((cron) => {
    const wrong = mistakeIn(cron);
    if (wrong === undefined) return [];
    return [{ ...wrong, problem: `${wrong.problem}: Cloudflare refuses it`, line: lineOfValue(cron, text) }];
  });
}

function mistakeIn(cron: string): Complaint | undefined {
  const parts = cron.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    const problem = `the cron "${cron}" has ${parts.length} field${parts.length === 1 ? "" : "s"}`;
    return { problem, fix: `write five: ${FIELDS.map(({ name }) => name).join(", ")}, in UTC, such as ${EXAMPLE}` };
  }
  for (const [at, field] of FIELDS.entries()) {
    const { name, least, most, words } = field;
    const wrong = parts[at]?.split(",").find((one) => !fits(one, field));
    if (wrong === undefined) continue;
    const range = words === DAYS ? "1 (Sunday) to 7 (Saturday), or SUN to SAT" : `${least} to ${most}`;
    const problem = `the cron "${cron}" has "${wrong}" as its ${name}`;
    return { problem, fix: `write ${range}, *, or a range, list or step of them` };
  }
  return undefined;
}

function fits(text: string, { least, most, words, special }: Field): boolean {
  const isValue = (one = "") => (/^\d+$/.test(one) ? Number(one) >= least && Number(one) <= most : words?.test(one));
  const [, range = "", step = "1"] = /^([^/]*)(?:\/(\d+))?$/.exec(text) ?? [];
  const ends = range.split("-");
  const isRange = range === "*" || (ends.length <= 2 && ends.every(isValue));
  return (isRange && Number(step) > 0) || (special?.test(text) ?? false);
}
