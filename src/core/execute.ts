/**
 * The one place where a tool is run: find, permit, parse, claim, run, check, settle. Returns how the call ended and
 * never throws for what a caller or a tool did. Knows no protocol and no store. Every call comes through here, and most
 * wait for nothing: promises have functions of their own, and no other path pays for their closures.
 */
import { audit } from "./audit.ts";
import type { Call } from "./call.ts";
import type { CatalogEntry } from "./catalog.ts";
import type { ToolDefinition } from "./definition.ts";
import type { Ending } from "./ending.ts";
import type { Host } from "./host.ts";
import { once } from "./once.ts";
import type { Issue, Outcome, Refusal } from "./outcome.ts";
import { permit } from "./permit.ts";
import { type Met, meet } from "./requirements.ts";
import { ourFault } from "./run.ts";
import { after, type Soon } from "./soon.ts";
import { type Carried, ToolRun } from "./tool-run.ts";

/** @returns at once for a tool that does, and that nothing has to be asked for */
export function execute(call: Call, host: Host): Soon<Ending> {
  return after(carryOut(call, host), told, call, host);
}

function told(ending: Ending, call: Call, host: Host): Ending {
  audit(host, call, ending.entry, ending.outcome, ending.durationMs, ending.replayed);
  return ending;
}

function carryOut(call: Call, host: Host): Soon<Ending> {
  const found = host.catalog.find(call.tool, call.toolkit);
  if ("refusal" in found) return refused(found.refusal);
  const { entry } = found;
  return after(permit(entry, call.principal, host), prepare, call, entry, host);
}

function prepare(refusal: Refusal | undefined, call: Call, entry: CatalogEntry, host: Host): Soon<Ending> {
  if (refusal) return refused(refusal, entry);
  const requirements = meet(entry.traits.requirements, call.context, host.secret);
  if ("missing" in requirements) {
    return refused({ reason: "requirements", name: entry.name, missing: requirements.missing }, entry);
  }
  const definition = host.catalog.definition(entry);
  return definition instanceof Promise
    ? load(definition, requirements.met, call, entry, host)
    : check(new ToolRun(definition, requirements.met, call, entry, host));
}

function load(
  definition: Promise<ToolDefinition>,
  met: Met,
  call: Call,
  entry: CatalogEntry,
  host: Host,
): Promise<Ending> {
  return definition.then(
    (loaded) => check(new ToolRun(loaded, met, call, entry, host)),
    (error) => ended(ourFault(call, entry, host, "The tool could not be loaded.", error), entry),
  );
}

function check(run: ToolRun): Soon<Ending> {
  let issues: Soon<Issue[] | undefined>;
  try {
    issues = run.parse();
  } catch (error) {
    return unchecked(error, run);
  }
  return issues instanceof Promise ? checkLater(issues, run) : perform(issues, run);
}

function checkLater(issues: Promise<Issue[] | undefined>, run: ToolRun): Promise<Ending> {
  return issues.then(
    (found) => perform(found, run),
    (error) => unchecked(error, run),
  );
}

function unchecked(error: unknown, { caller, offer, host }: ToolRun): Ending {
  return ended(ourFault(caller, offer, host, "The tool's input check failed.", error), offer);
}

function perform(issues: Issue[] | undefined, run: ToolRun): Soon<Ending> {
  const { caller, offer } = run;
  if (issues) return ended({ kind: "invalid", issues }, offer);
  if (caller.key !== undefined) return once(run, caller.key);
  return after(run.carryOut(), endingOf, offer);
}

function endingOf({ outcome, durationMs }: Carried, entry: CatalogEntry): Ending {
  return ended(outcome, entry, durationMs);
}

function ended(outcome: Outcome, entry: CatalogEntry | undefined, durationMs = 0): Ending {
  return { outcome, durationMs, entry };
}

function refused(refusal: Refusal, entry?: CatalogEntry): Ending {
  return ended({ kind: "refused", refusal }, entry);
}
