/** One run of a tool: its input, its context, its code, and whether what that returned is what the tool promises. */
import type { Call } from "./call.ts";
import type { CatalogEntry } from "./catalog.ts";
import { isRich, type Rich } from "./content.ts";
import { RunContext } from "./context.ts";
import type { ToolDefinition } from "./definition.ts";
import type { Host } from "./host.ts";
import { inOneLine, toIssues } from "./issues.ts";
import { isRecord, NotJson, toJson } from "./json.ts";
import type { Issue, Outcome } from "./outcome.ts";
import type { Met } from "./requirements.ts";
import { ourFault, type Run, runWithin, type Work } from "./run.ts";
import { judge, judgeInput, type SchemaIssue, type Validated } from "./schema.ts";
import { keepShape } from "./shapes.ts";
import { after, type Soon } from "./soon.ts";

/** How it went, and the milliseconds that it took. */
export interface Carried extends Run {
  readonly durationMs: number;
}

export class ToolRun implements Work {
  readonly context: RunContext;
  readonly caller: Call;
  readonly offer: CatalogEntry;
  readonly host: Host;
  /** What the tool gets to see of what the caller handed over. */
  readonly met: Met;
  readonly #definition: ToolDefinition;
  #input: unknown;

  constructor(definition: ToolDefinition, met: Met, call: Call, entry: CatalogEntry, host: Host) {
    this.context = new RunContext(call, entry, met, host);
    this.caller = call;
    this.offer = entry;
    this.host = host;
    this.met = met;
    this.#definition = definition;
  }

  /**
   * Makes the tool's input of what was sent.
   *
   * @returns what is wrong with that; undefined for what the tool can run with
   * @throws what the tool's schema throws
   */
  parse(): Soon<Issue[] | undefined> {
    const { input: schema } = this.#definition;
    const sent = this.caller.input === undefined ? {} : this.caller.input;
    if (!isRecord(sent)) return [{ path: "", message: "Must be an object of parameters" }];
    if (schema === undefined) {
      this.#input = {};
      return undefined;
    }
    // Validators ask with `in`: a parameter called "constructor" must not be found where none was sent.
    const own = { __proto__: null, ...sent };
    return after(judgeInput(schema, own), ToolRun.#parsed, this);
  }

  static #parsed(verdict: Validated<unknown>, run: ToolRun): Issue[] | undefined {
    if (verdict.issues) return toIssues(verdict.issues);
    run.#input = verdict.value;
    return undefined;
  }

  /** @param idempotencyKey as the tool may hand it on */
  carryOut(idempotencyKey?: string): Soon<Carried> {
    this.context.idempotencyKey = idempotencyKey;
    const started = this.host.now();
    return after(runWithin(this), ToolRun.#close, this, started);
  }

  start(): unknown {
    return this.#definition.run(this.#input as never, this.context as never);
  }

  /** A tool that breaks its own promise is a failed call, said clearly. */
  returned(value: unknown): Soon<Outcome> {
    try {
      const { output } = this.#definition;
      const rich = isRich(value) ? value : undefined;
      const plain = rich ? rich.value : value;
      if (!output) return this.#carried(plain, rich);
      const verdict = judge(output, plain);
      return verdict instanceof Promise ? this.#judgeLater(verdict, rich) : this.#judged(verdict, rich);
    } catch (error) {
      return this.#uncarried(error);
    }
  }

  #judgeLater(verdict: Promise<Validated<unknown>>, rich: Rich<unknown> | undefined): Promise<Outcome> {
    return verdict.then((made) => this.#judged(made, rich)).catch((error) => this.#uncarried(error));
  }

  #judged(verdict: Validated<unknown>, rich: Rich<unknown> | undefined): Outcome {
    return verdict.issues ? this.#unlike(verdict.issues) : this.#carried(verdict.value, rich);
  }

  #carried(checked: unknown, rich: Rich<unknown> | undefined): Outcome {
    const shown = rich?.blocks && (toJson({ blocks: rich.blocks, meta: rich.meta }) as object);
    if (this.#definition.output === null || checked === undefined) return { kind: "completed", ...shown };
    return { kind: "completed", value: toJson(checked), ...shown };
  }

  static #close(run: Run, of: ToolRun, started: number): Soon<Carried> {
    return after(of.context.end(), ToolRun.#ran, run, of, started);
  }

  static #ran(_: unknown, { outcome, late }: Run, of: ToolRun, started: number): Carried {
    const durationMs = of.host.now() - started;
    return late === undefined ? { outcome, durationMs } : { outcome, late: of.#keepLate(late), durationMs };
  }

  /** What a tool changes of its session after its time is over is kept when it ends. */
  async #keepLate(late: Promise<Outcome | undefined>): Promise<Outcome | undefined> {
    const end = await late;
    await this.context.end();
    return end;
  }

  #unlike(issues: readonly SchemaIssue[]): Outcome {
    const detail = this.context.scrub(inOneLine(toIssues(issues)));
    return this.#fault("The tool's result does not match its declared output.", new Error(detail), detail);
  }

  #uncarried(error: unknown): Outcome {
    const problem = notJson(error);
    const detail = problem && this.context.scrub(problem);
    return this.#fault("The tool's result cannot be carried by JSON.", error, detail);
  }

  #fault(message: string, error: unknown, detail: string | undefined): Outcome {
    return ourFault(this.caller, this.offer, this.host, message, error, this.context.scrub, detail);
  }
}

keepShape(new ToolRun({} as ToolDefinition, {} as Met, {} as Call, {} as CatalogEntry, {} as Host));

/** Where in a result there is what JSON cannot carry; undefined where something else was thrown, looked at or not. */
function notJson(error: unknown): string | undefined {
  try {
    return error instanceof NotJson ? error.message : undefined;
  } catch {
    return undefined;
  }
}
