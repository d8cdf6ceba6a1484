/** Finds what tools/ needs and wrangler.toml lacks: bindings, limiters, a workflow, an outbox. */
import { readFileSync } from "node:fs";
import { unknownNames } from "../bindings/bindings.ts";
import { lineOfMember } from "../lib/member-line.ts";
import type { Candidate } from "../read/inspected.ts";
import type { OfferFile } from "../read/paths.ts";
import { type Complaint, type Problem, problemIn } from "../read/problem.ts";
import { type Available, OUTBOX_LINES } from "./available.ts";

/**
 * Finds definitions that need what wrangler.toml does not have: a binding, which would be undefined when the tool runs,
 * or the limiter of their rate. Without it, their calls could not be counted, so all would fail.
 */
export function missingIn(offers: readonly Candidate[], available: Available | undefined): Problem[] {
  if (available === undefined) return [];
  const { limiters, bindings } = available;
  const other = limiters.size > 0 ? `write a rate of ${[...limiters].join(", ")}` : "leave the rate out";
  return offers.flatMap(({ file, inspected: { tool, prompt, resource } }) => {
    const { rate, env } = (tool ?? prompt ?? resource)?.traits ?? {};
    const complaints = unknownNames(env, bindings);
    if (rate !== undefined && !limiters.has(rate)) {
      const problem = `its rate is ${rate}, and wrangler.toml has no rate limiter RATE_${rate}`;
      const fix = `${other}, or add [[ratelimits]] with name = "RATE_${rate}"`;
      complaints.push({ problem, fix, member: "rate" });
    }
    return complaints.map((complaint) => problemAt(file, complaint));
  });
}

/** Long tools of a deployment without what runs them as tasks, in all environments. */
export function missingForLong(offers: readonly Candidate[], available: Available | undefined): Problem[] {
  if (available === undefined || available.lackingForLong === undefined) return [];
  const { names, lines } = available.lackingForLong;
  const problem = `it is long, and wrangler.toml lacks what runs it: ${names}`;
  const fix = `add these lines to wrangler.toml (docs/tasks.md):\n${lines}`;
  const long = offers.filter(({ inspected: { tool } }) => tool?.traits.long);
  return long.map(({ file }) => problemAt(file, { problem, fix, member: "long" }));
}

/** Events of a deployment without the objects that keep and deliver them. */
export function missingForEvents(offers: readonly Candidate[], available: Available | undefined): Problem[] {
  if (available === undefined || available.hasOutbox) return [];
  const problem = "it is an event, and wrangler.toml has no outbox to keep it in";
  const fix = `add these lines to wrangler.toml (docs/events.md):\n${OUTBOX_LINES}`;
  return offers.filter(({ file }) => file.kind === "event").map(({ file }) => problemAt(file, { problem, fix }));
}

/** With the line of the member that the complaint is about. */
function problemAt({ file, path }: OfferFile, complaint: Complaint): Problem {
  const { member } = complaint;
  const line = member === undefined ? undefined : lineOfMember(readFileSync(path, "utf8"), member);
  return problemIn(file, { line, ...complaint });
}
