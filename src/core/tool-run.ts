/** One run of a tool: its context, its code, and whether what that returned is what the tool promises. */
import type { Call } from "./call.ts";
import type { CatalogEntry } from "./catalog.ts";
import { isRich } from "./content.ts";
import { RunContext } from "./context.ts";
import type { ToolDefinition } from "./definition.ts";
import type { Host } from "./host.ts";
import { inOneLine, toIssues } from "./issues.ts";
import { NotJson, toJson } from "./json.ts";
import type { KeyedRun } from "./once.ts";
import type { Outcome } from "./outcome.ts";
import type { Met } from "./requirements.ts";
import { ourFault, type Run, runWithin, type Work } from "./run.ts";
import { judge, type SchemaIssue, type Validated } from "./schema.ts";
import { after, type Soon } from "./soon.ts";

export class ToolRun implements Work {
  readonly context: RunContext;
  readonly caller: Call;
  readonly offer: CatalogEntry;
  readonly host: Host;
  readonly #definition: ToolDefinition;
  readonly #input: unknown;

  /** @param input parsed; @param idempotencyKey as the tool may hand it on */
  constructor(
    definition: ToolDefinition,
    input: unknown,
    met: Met,
    call: Call,
    entry: CatalogEntry,
    host: Host,
    idempotencyKey?: string,
  ) {
    this.context = new RunContext(call, entry, met, host, idempotencyKey);
    this.caller = call;
    this.offer = entry;
    this.host = host;
    this.#definition = definition;
    this.#input = input;
  }

  carryOut(): Soon<KeyedRun> {
    const started = this.host.now();
    return after(runWithin(this), (run) => after(this.context.end(), () => this.#ran(run, started)));
  }

  start(): unknown {
    return this.#definition.run(this.#input as never, this.context as never);
  }

  /** A tool that breaks its own promise is a failed call, said clearly. */
  returned(value: unknown): Soon<Outcome> {
    try {
      const { output } = this.#definition;
      const { value: plain, blocks, meta } = isRich(value) ? value : { value, blocks: undefined, meta: undefined };
      const carried = (checked: unknown): Outcome => {
        const shown = blocks && (toJson({ blocks, meta }) as object);
        if (output === null || checked === undefined) return { kind: "completed", ...shown };
        return { kind: "completed", value: toJson(checked), ...shown };
      };
      if (!output) return carried(plain);
      const judged = (verdict: Validated<unknown>) =>
        verdict.issues ? this.#unlike(verdict.issues) : carried(verdict.value);
      const judging = after(judge(output, plain), judged);
      return judging instanceof Promise ? judging.catch((error) => this.#uncarried(error)) : judging;
    } catch (error) {
      return this.#uncarried(error);
    }
  }

  #ran({ outcome, late }: Run, started: number): KeyedRun {
    const durationMs = this.host.now() - started;
    const sawSession = () => this.context.sawSession;
    if (late === undefined) return { outcome, durationMs, sawSession };
    // What a tool changes of its session after its time is over is kept when it ends.
    const kept = late.then(async (end) => {
      await this.context.end();
      return end;
    });
    return { outcome, late: kept, durationMs, sawSession };
  }

  #unlike(issues: readonly SchemaIssue[]): Outcome {
    const detail = this.context.scrub(inOneLine(toIssues(issues)));
    return this.#fault("The tool's result does not match its declared output.", new Error(detail), detail);
  }

  #uncarried(error: unknown): Outcome {
    const detail = error instanceof NotJson ? this.context.scrub(error.message) : undefined;
    return this.#fault("The tool's result cannot be carried by JSON.", error, detail);
  }

  #fault(message: string, error: unknown, detail: string | undefined): Outcome {
    return ourFault(this.caller, this.offer, this.host, message, error, this.context.scrub, detail);
  }
}
