/** Finds what tools/ needs and the settings or src/features lack: bindings, limiters, a workflow, an outbox. */
import { readFileSync } from "node:fs";
import type { Manifest } from "../../features/manifest.ts";
import { MANIFESTS } from "../../features/manifests.ts";
import { unknownNames } from "../bindings/bindings.ts";
import { lineOfMember } from "../lib/member-line.ts";
import { element } from "../lib/settings-format.ts";
import { someOf } from "../lib/some-of.ts";
import type { Candidate } from "../read/inspected.ts";
import type { PrimitiveFile } from "../read/paths.ts";
import { type Complaint, type Problem, problemIn } from "../read/problem.ts";
import { type Available, outboxLines } from "./available.ts";
import { isReserved, reservedNames } from "./reserved-names.ts";

/**
 * Finds definitions that need what the settings do not have: a binding, which would be undefined when the tool runs, or
 * the limiter of their rate. Without the limiter, calls could not be counted, so all would fail. What several
 * definitions need is reported once, at the first.
 */
export function missingIn(primitives: readonly Candidate[], available: Available | undefined): Problem[] {
  if (available === undefined) return [];
  const { file: settings, limiters, bindings } = available;
  const other = limiters.size > 0 ? `write a rate of ${[...limiters].join(", ")}` : "leave the rate out";
  const all = primitives.flatMap(({ file, inspected: { tool, prompt, resource } }) => {
    const { rate, env } = (tool ?? prompt ?? resource)?.options ?? {};
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

/** Finds definitions that name a binding, setting or secret which is reserved for Trivet. */
export function reservedIn(primitives: readonly Candidate[]): Problem[] {
  return primitives.flatMap(({ file, inspected: { tool, prompt, resource } }) => {
    const { env, requirements } = (tool ?? prompt ?? resource)?.options ?? {};
    return reservedNames(env, requirements).map((complaint) => problemAt(file, complaint));
  });
}

/** What a definition may be or have, and the feature without which it would have no effect. */
const NEEDED: readonly (readonly [what: string, feature: string, isSo: (candidate: Candidate) => unknown])[] = [
  ["is an event", "outbox", ({ file }) => file.kind === "event"],
  ["is long", "tasks", ({ inspected }) => inspected.tool?.options.long],
  ["takes attachments", "attachments", ({ inspected }) => inspected.tool?.options.attachments],
  ["has a view", "views", ({ inspected }) => inspected.tool?.view],
  ["is a prompt", "prompts", ({ file }) => file.kind === "prompt"],
  ["is a resource", "resources", ({ file }) => file.kind === "resource"],
  ["has operators in its URI", "uri-templates", ({ inspected }) => inspected.resource?.pattern],
];

/** Finds definitions that need a feature which was removed from src/features. */
export function missingFeatures(
  primitives: readonly Candidate[],
  manifests: readonly Pick<Manifest, "name">[] = MANIFESTS,
): Problem[] {
  const missing = NEEDED.filter(([, feature]) => !manifests.some(({ name }) => name === feature));
  const all = missing.flatMap(([what, feature, isSo]) => {
    const problem = `it ${what}, and src/features/manifests.ts has no feature ${feature}`;
    const fix = "add the feature's folder and line again, or remove what needs it";
    return primitives.filter(isSo).map(({ file }) => problemAt(file, { problem, fix }));
  });
  return once(all);
}

/** Finds long tools if any environment lacks what runs them as tasks. */
export function missingForLong(primitives: readonly Candidate[], available: Available | undefined): Problem[] {
  if (available === undefined || available.lackingForLong === undefined) return [];
  const { file, lackingForLong } = available;
  const { names, lines } = lackingForLong;
  const problem = `it is long, and ${file} lacks what runs it: ${names}`;
  const fix = `add these lines to ${file} (docs/tasks.md):\n${lines}`;
  const long = primitives.filter(({ inspected: { tool } }) => tool?.options.long);
  return once(long.map(({ file }) => problemAt(file, { problem, fix, member: "long" })));
}

/** Finds events if the deployment has no outbox, which keeps and delivers them. */
export function missingForEvents(primitives: readonly Candidate[], available: Available | undefined): Problem[] {
  const { bound } = available?.forFeatures ?? {};
  // Without the feature, its binding does not count, and missingFeatures says what to do.
  if (bound === undefined || bound.has("OUTBOX") || !MANIFESTS.some(({ name }) => name === "outbox")) return [];
  const { file: settings } = available as Available;
  const problem = `it is an event, and ${settings} has no outbox to keep it in`;
  const fix = `add these lines to ${settings} (docs/events.md):\n${outboxLines(settings)}`;
  const events = primitives.filter(({ file }) => file.kind === "event");
  return once(events.map(({ file }) => problemAt(file, { problem, fix })));
}

/** How many other files a problem names. */
const MAX_NAMED = 3;

/** Merges equal problems into one for the first file, which names some of the other files. */
function once(problems: readonly Problem[]): Problem[] {
  const groups = Map.groupBy(problems, ({ problem, fix }) => `${problem}\0${fix}`);
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? [];
    const files = others.map(({ file }) => file.replace(/:\d+$/, ""));
    return { ...first, problem: `${first.problem}; the same goes for ${someOf(files, MAX_NAMED)}` };
  });
}

/** Adds the line of the member that the complaint is about. */
function problemAt({ file, path }: PrimitiveFile, complaint: Complaint): Problem {
  const { member } = complaint;
  const line = member === undefined ? undefined : lineOfMember(readFileSync(path, "utf8"), member);
  return problemIn(file, { line, ...complaint });
}
