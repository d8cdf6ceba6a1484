/**
 * The one place where a tool is run: find, permit, parse, claim, run, check, settle. Returns how the call ended and
 * never throws for what a caller or a tool did. Knows no protocol and no store.
 */
import { audit } from "./audit.ts";
import type { Call } from "./call.ts";
import type { CatalogEntry } from "./catalog.ts";
import type { Ending } from "./ending.ts";
import type { Host } from "./host.ts";
import { toIssues } from "./issues.ts";
import { isRecord } from "./json.ts";
import { type KeyedRun, once } from "./once.ts";
import type { Issue, Outcome, Refusal } from "./outcome.ts";
import { permit } from "./permit.ts";
import { type Met, meet } from "./requirements.ts";
import { ourFault } from "./run.ts";
import { judge, type StandardSchema, type Validated } from "./schema.ts";
import { after, attempt, type Soon } from "./soon.ts";
import { ToolRun } from "./tool-run.ts";

/** @returns at once for a tool that does, and that nothing has to be asked for */
export function execute(call: Call, host: Host): Soon<Ending> {
  return after(carryOut(call, host), (ending) => {
    audit(host, call, ending.entry, ending.outcome, ending.durationMs, ending.replayed);
    return ending;
  });
}

function carryOut(call: Call, host: Host): Soon<Ending> {
  const found = host.catalog.find(call.tool, call.toolkit);
  if ("refusal" in found) return refused(found.refusal);
  const { entry } = found;
  return after(permit(entry, call.principal, host), (refusal) =>
    refusal ? refused(refusal, entry) : prepare(call, entry, host),
  );
}

function prepare(call: Call, entry: CatalogEntry, host: Host): Soon<Ending> {
  const requirements = meet(entry.traits.requirements, call.context, host.secret);
  if ("missing" in requirements) {
    return refused({ reason: "requirements", name: entry.name, missing: requirements.missing }, entry);
  }
  const { met } = requirements;
  const broken = (message: string, error: unknown) => ended(ourFault(call, entry, host, message, error), entry);
  return attempt(
    () => host.catalog.definition(entry),
    (definition) =>
      attempt(
        () => parse(definition.input, call.input),
        (parsed) => {
          if ("issues" in parsed) return ended({ kind: "invalid", issues: parsed.issues }, entry);
          const run = (storeKey?: string) =>
            new ToolRun(definition, parsed.input, met, call, entry, host, storeKey).carryOut();
          return perform(run, met, call, entry, host);
        },
        (error) => broken("The tool's input check failed.", error),
      ),
    (error) => broken("The tool could not be loaded.", error),
  );
}

function perform(
  run: (storeKey?: string) => Soon<KeyedRun>,
  met: Met,
  call: Call,
  entry: CatalogEntry,
  host: Host,
): Soon<Ending> {
  const { key } = call;
  if (key === undefined) return after(run(), ({ outcome, durationMs }) => ended(outcome, entry, durationMs));
  const claimed = async (storeKey: string): Promise<KeyedRun> => {
    // Nobody waits for it any more: it has not run, and need not.
    if (call.client?.signal.aborted) return { outcome: { kind: "cancelled" }, durationMs: 0, sawSession: () => false };
    return run(storeKey);
  };
  return once({ ...call, key }, entry, met, host, claimed);
}

function ended(outcome: Outcome, entry: CatalogEntry | undefined, durationMs = 0): Ending {
  return { outcome, durationMs, entry };
}

function refused(refusal: Refusal, entry?: CatalogEntry): Ending {
  return ended({ kind: "refused", refusal }, entry);
}

type Parsed = { readonly input: unknown } | { readonly issues: Issue[] };

function parse(schema: StandardSchema | undefined, raw: unknown): Soon<Parsed> {
  const input = raw === undefined ? {} : raw;
  if (!isRecord(input)) return { issues: [{ path: "", message: "Must be an object of parameters" }] };
  if (schema === undefined) return { input: {} };
  // Validators ask with `in`: a parameter called "constructor" must not be found where none was sent.
  const own = Object.assign(Object.create(null), input);
  return after(judge(schema, own), judged);
}

function judged(verdict: Validated<unknown>): Parsed {
  return verdict.issues ? { issues: toIssues(verdict.issues) } : { input: verdict.value };
}
