/**
 * The one place where a tool is run: find, permit, parse, claim, run, check, settle. Returns how the call ended and
 * never throws for what a caller or a tool did. Knows no protocol and no store.
 */
import { audit } from "./audit.ts";
import type { Call } from "./call.ts";
import type { CatalogEntry } from "./catalog.ts";
import { isRich } from "./content.ts";
import { RunContext } from "./context.ts";
import type { ToolDefinition } from "./definition.ts";
import type { Ending } from "./ending.ts";
import type { Host } from "./host.ts";
import { inOneLine, toIssues } from "./issues.ts";
import { isRecord, NotJson, toJson } from "./json.ts";
import { type KeyedRun, once } from "./once.ts";
import type { Issue, Outcome } from "./outcome.ts";
import { permit } from "./permit.ts";
import { meet } from "./requirements.ts";
import { isThenable, ourFault, type Run, runWithin } from "./run.ts";
import type { StandardSchema } from "./schema.ts";

export async function execute(call: Call, host: Host): Promise<Ending> {
  const ending = await carryOut(call, host);
  audit(host, call, ending.entry, ending.outcome, ending.durationMs, ending.replayed);
  return ending;
}

async function carryOut(call: Call, host: Host): Promise<Ending> {
  const found = host.catalog.find(call.tool, call.toolkit);
  if ("refusal" in found) return { outcome: { kind: "refused", refusal: found.refusal }, durationMs: 0 };
  const { entry } = found;
  const ended = (outcome: Outcome, durationMs = 0): Ending => ({ outcome, durationMs, entry });

  const waiting = permit(entry, call.principal, host);
  const refusal = waiting instanceof Promise ? await waiting : waiting;
  if (refusal) return ended({ kind: "refused", refusal });

  const requirements = meet(entry.traits.requirements, call.context, host.secret);
  if ("missing" in requirements) {
    const { missing } = requirements;
    return ended({ kind: "refused", refusal: { reason: "requirements", name: entry.name, missing } });
  }

  let definition: ToolDefinition;
  try {
    const loading = host.catalog.definition(entry);
    definition = loading instanceof Promise ? await loading : loading;
  } catch (error) {
    return ended(ourFault(call, entry, host, "The tool could not be loaded.", error));
  }

  let parsed: Parsed;
  try {
    const parsing = parse(definition.input, call.input);
    parsed = parsing instanceof Promise ? await parsing : parsing;
  } catch (error) {
    return ended(ourFault(call, entry, host, "The tool's input check failed.", error));
  }
  if ("issues" in parsed) return ended({ kind: "invalid", issues: parsed.issues });
  const { input } = parsed;

  const run = (idempotencyKey?: string): KeyedRun | Promise<KeyedRun> => {
    const started = host.now();
    const context = new RunContext(call, entry, requirements.met, host, idempotencyKey);
    const ran = ({ outcome, late }: Run): KeyedRun => {
      const sessionId = () => (context.sawSession ? call.sessionId : undefined);
      const durationMs = host.now() - started;
      if (late === undefined) return { outcome, durationMs, sessionId };
      // What a tool changes of its session after its time is over is kept when it ends.
      const kept = late.then(async (end) => {
        await context.end();
        return end;
      });
      return { outcome, late: kept, durationMs, sessionId };
    };
    const ended = (run: Run) => context.end()?.then(() => ran(run)) ?? ran(run);
    const running = runWithin(
      () => definition.run(input as never, context as never),
      (value) => check(definition.output, value, call, entry, host, context),
      context,
      call,
      entry,
      host,
    );
    return running instanceof Promise ? running.then(ended) : ended(running);
  };
  const { key } = call;
  if (key !== undefined) {
    const claimed = async (storeKey: string): Promise<KeyedRun> => {
      // Nobody waits for it any more: it has not run, and need not.
      if (!call.signal?.().aborted) return run(storeKey);
      return { outcome: { kind: "cancelled" }, durationMs: 0, sessionId: () => undefined };
    };
    return once({ ...call, key }, entry, requirements.met, host, claimed);
  }
  const running = run();
  const { outcome, durationMs } = running instanceof Promise ? await running : running;
  return ended(outcome, durationMs);
}

type Parsed = { readonly input: unknown } | { readonly issues: Issue[] };

function parse(schema: StandardSchema | undefined, raw: unknown): Parsed | Promise<Parsed> {
  const input = raw === undefined ? {} : raw;
  if (!isRecord(input)) return { issues: [{ path: "", message: "Must be an object of parameters" }] };
  if (schema === undefined) return { input: {} };
  // Validators ask with `in`: a parameter called "constructor" must not be found where none was sent.
  const own = Object.assign(Object.create(null), input);
  const judged = (result: Verdict): Parsed =>
    result.issues ? { issues: toIssues(result.issues) } : { input: result.value };
  const verdict = schema["~standard"].validate(own);
  return verdict instanceof Promise ? verdict.then(judged) : judged(verdict);
}

type Verdict = Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>;

/** A tool that breaks its own promise is a failed call, said clearly. */
function check(
  schema: StandardSchema | null | undefined,
  value: unknown,
  call: Call,
  entry: CatalogEntry,
  host: Host,
  context: RunContext,
): Outcome | Promise<Outcome> {
  const cannot = (error: unknown): Outcome => {
    const { scrub } = context;
    const detail = error instanceof NotJson ? scrub(error.message) : undefined;
    return ourFault(call, entry, host, "The tool's result cannot be carried by JSON.", error, scrub, detail);
  };
  const { value: plain, blocks, meta } = isRich(value) ? value : { value, blocks: undefined, meta: undefined };
  const carried = (checked: unknown): Outcome => {
    const shown = blocks && (toJson({ blocks, meta }) as object);
    if (schema === null || checked === undefined) return { kind: "completed", ...shown };
    return { kind: "completed", value: toJson(checked), ...shown };
  };
  const judged = (verdict: Verdict): Outcome => {
    if (!verdict.issues) return carried(verdict.value);
    const { scrub } = context;
    const detail = scrub(inOneLine(toIssues(verdict.issues)));
    const message = "The tool's result does not match its declared output.";
    return ourFault(call, entry, host, message, new Error(detail), scrub, detail);
  };
  try {
    if (!schema) return carried(plain);
    const verdict = schema["~standard"].validate(plain);
    return isThenable(verdict) ? Promise.resolve(verdict).then(judged).catch(cannot) : judged(verdict);
  } catch (error) {
    return cannot(error);
  }
}
