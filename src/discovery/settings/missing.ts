/** Finds what tools/ needs and the settings lack: bindings, limiters, a workflow, an outbox. */
import { readFileSync } from "node:fs";
import { unknownNames } from "../bindings/bindings.ts";
import { lineOfMember } from "../lib/member-line.ts";
import { element } from "../lib/settings-format.ts";
import { someOf } from "../lib/some-of.ts";
import type { Candidate } from "../read/inspected.ts";
import type { OfferFile } from "../read/paths.ts";
import { type Complaint, type Problem, problemIn } from "../read/problem.ts";
import { type Available, outboxLines } from "./available.ts";
import { isReserved, reservedNames } from "./reserved-names.ts";

/**
 * Finds definitions that need what the settings do not have: a binding, which would be undefined when the tool runs,
 * or the limiter of their rate. Without it, their calls could not be counted, so all would fail. What several need is
 * said once, at the first.
 */
export function missingIn(offers: readonly Candidate[], available: Available | undefined): Problem[] {
  if (available === undefined) return [];
  const { file: settings, limiters, bindings } = available;
  const other = limiters.size > 0 ? `write a rate of ${[...limiters].join(", ")}` : "leave the rate out";
  const all = offers.flatMap(({ file, inspected: { tool, prompt, resource } }) => {
    const { rate, env } = (tool ?? prompt ?? resource)?.traits ?? {};
    const complaints = unknownNames(
      env?.filter((name) => !isReserved(name)),
      bindings,
      settings,
    );
    if (rate !== undefined && !limiters.has(rate)) {
      const problem = `its rate is ${rate}, and ${settings} has no rate limiter RATE_${rate}`;
      const fix = `${other}, or add ${element(settings, ["ratelimits"], { name: `RATE_${rate}` })}`;
      complaints.push({ problem, fix, member: "rate" });
    }
    return complaints.map((complaint) => problemAt(file, complaint));
  });
  return once(all);
}

/** Definitions that would get what is reserved for Trivet. */
export function reservedIn(offers: readonly Candidate[]): Problem[] {
  return offers.flatMap(({ file, inspected: { tool, prompt, resource } }) => {
    const { env, requirements } = (tool ?? prompt ?? resource)?.traits ?? {};
    return reservedNames(env, requirements).map((complaint) => problemAt(file, complaint));
  });
}

/** Long tools of a deployment without what runs them as tasks, in all environments. */
export function missingForLong(offers: readonly Candidate[], available: Available | undefined): Problem[] {
  if (available === undefined || available.lackingForLong === undefined) return [];
  const { file, lackingForLong } = available;
  const { names, lines } = lackingForLong;
  const problem = `it is long, and ${file} lacks what runs it: ${names}`;
  const fix = `add these lines to ${file} (docs/tasks.md):\n${lines}`;
  const long = offers.filter(({ inspected: { tool } }) => tool?.traits.long);
  return once(long.map(({ file }) => problemAt(file, { problem, fix, member: "long" })));
}

/** Events of a deployment without the objects that keep and deliver them. */
export function missingForEvents(offers: readonly Candidate[], available: Available | undefined): Problem[] {
  if (available === undefined || available.forFeatures.bound.has("OUTBOX")) return [];
  const { file: settings } = available;
  const problem = `it is an event, and ${settings} has no outbox to keep it in`;
  const fix = `add these lines to ${settings} (docs/events.md):\n${outboxLines(settings)}`;
  const events = offers.filter(({ file }) => file.kind === "event");
  return once(events.map(({ file }) => problemAt(file, { problem, fix })));
}

/** How many other files a problem names. */
const MAX_NAMED = 3;

/** One problem for all files that have the same, which names some of them. */
function once(problems: readonly Problem[]): Problem[] {
  const groups = Map.groupBy(problems, ({ problem, fix }) => `${problem}\0${fix}`);
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? [];
    const files = others.map(({ file }) => file.replace(/:\d+$/, ""));
    return { ...first, problem: `${first.problem}; the same goes for ${someOf(files, MAX_NAMED)}` };
  });
}

/** With the line of the member that the complaint is about. */
function problemAt({ file, path }: OfferFile, complaint: Complaint): Problem {
  const { member } = complaint;
  const line = member === undefined ? undefined : lineOfMember(readFileSync(path, "utf8"), member);
  return problemIn(file, { line, ...complaint });
}
