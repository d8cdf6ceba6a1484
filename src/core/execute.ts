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
import { ourFault, runWithin } from "./run.ts";
import type { StandardSchema } from "./schema.ts";
import type { Scrub } from "./scrub.ts";

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
    definition = (await entry.load()).default;
  } catch (error) {
    return ended(ourFault(call, entry, host, "The tool could not be loaded.", error));
  }

  let parsed: { input: unknown } | { issues: Issue[] };
  try {
    parsed = await parse(definition.input, call.input);
  } catch (error) {
    return ended(ourFault(call, entry, host, "The tool's input check failed.", error));
  }
  if ("issues" in parsed) return ended({ kind: "invalid", issues: parsed.issues });

  const run = async (idempotencyKey?: string): Promise<KeyedRun> => {
    const started = host.now();
    const context = new RunContext(call, entry, requirements.met, host, idempotencyKey);
    const ran = await runWithin(
      () => definition.run(parsed.input as never, context as never),
      (value) => check(definition.output, value, call, entry, host, context.scrub),
      context,
      call,
      entry,
      host,
    );
    await context.end();
    const sessionId = () => (context.sawSession ? call.sessionId : undefined);
    const durationMs = host.now() - started;
    if (ran.late === undefined) return { ...ran, durationMs, sessionId };
    // What a tool changes of its session after its time is over is kept when it ends.
    const late = ran.late.then((outcome) => context.end().then(() => outcome));
    return { outcome: ran.outcome, late, durationMs, sessionId };
  };
  const { key } = call;
  if (key !== undefined) return once({ ...call, key }, entry, requirements.met, host, run);
  const { outcome, durationMs } = await run();
  return ended(outcome, durationMs);
}

async function parse(
  schema: StandardSchema | undefined,
  raw: unknown,
): Promise<{ input: unknown } | { issues: Issue[] }> {
  const input = raw === undefined ? {} : raw;
  if (!isRecord(input)) return { issues: [{ path: "", message: "Must be an object of parameters" }] };
  if (schema === undefined) return { input: {} };
  // Validators ask with `in`: a parameter called "constructor" must not be found where none was sent.
  const own = Object.assign(Object.create(null), input);
  const verdict = schema["~standard"].validate(own);
  const result = verdict instanceof Promise ? await verdict : verdict;
  return result.issues ? { issues: toIssues(result.issues) } : { input: result.value };
}

/** A tool that breaks its own promise is a failed call, said clearly. */
async function check(
  schema: StandardSchema | null | undefined,
  value: unknown,
  call: Call,
  entry: CatalogEntry,
  host: Host,
  scrub: Scrub,
): Promise<Outcome> {
  const { value: plain, blocks, meta } = isRich(value) ? value : { value };
  try {
    const shown = { ...(blocks && (toJson({ blocks, meta }) as object)) };
    if (schema === null) return { kind: "completed", ...shown };
    let checked = plain;
    if (schema !== undefined) {
      const result = await schema["~standard"].validate(plain);
      if (result.issues) {
        const detail = scrub(inOneLine(toIssues(result.issues)));
        return ourFault(
          call,
          entry,
          host,
          "The tool's result does not match its declared output.",
          new Error(detail),
          scrub,
          detail,
        );
      }
      checked = result.value;
    }
    return checked === undefined
      ? { kind: "completed", ...shown }
      : { kind: "completed", value: toJson(checked), ...shown };
  } catch (error) {
    const detail = error instanceof NotJson ? scrub(error.message) : undefined;
    return ourFault(call, entry, host, "The tool's result cannot be carried by JSON.", error, scrub, detail);
  }
}
