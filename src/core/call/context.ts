/** The context of one call: everything that a tool can access, with only the secrets and bindings that it declared. */

import type { Json } from "../lib/json.ts";
import { describeError, toLoggable } from "../lib/log.ts";
import type { MaybePromise } from "../lib/maybe-promise.ts";
import { type Scrub, scrubber, scrubJson } from "../lib/scrub.ts";
import type { Caller, Granted } from "../model/call.ts";
import type { Change } from "../model/change.ts";
import type { Attachment, LogLevel, Trace } from "../model/definition.ts";
import type { Capability, ClientInfo, Elicited, Question, Root } from "../model/elicitation.ts";
import type { Principal } from "../model/principal.ts";
import type { Sampled, SamplingRequest } from "../model/sampling.ts";
import type { FormQuestion, PageQuestion, ToolContext } from "../model/tool-context.ts";
import type { Primitive, Runtime } from "../ports/runtime.ts";
import { type OpenSession, openSession } from "./open-session.ts";
import { type InputRequiredListener, Questions } from "./questions.ts";
import { UserPages } from "./user-pages.ts";

const NO_ATTACHMENTS: readonly Attachment[] = Object.freeze([]);

/** Created for each call, so parts that few tools use (signal, env, session) are created on first access. */
export class RunContext implements ToolContext<string, string, string | undefined, string> {
  /** Set once the call has claimed its key. */
  idempotencyKey: string | undefined;
  /** Set for a call with a key: see {@link RunLease}. */
  fingerprint: string | undefined;
  /**
   * Extends the lease on the call's key by `ms`. Undefined for a call without a key.
   *
   * @returns false if the lease was lost
   */
  extendLease: ((ms: number) => Promise<boolean>) | undefined;
  /** Called once if the tool waits for answers that the call does not have. */
  onInputRequired: InputRequiredListener | undefined;
  readonly principal: Principal;
  readonly userId: string | undefined;
  readonly secrets: Readonly<Record<string, string>>;
  readonly authorization: Readonly<Record<string, string>>;
  /** Set before the tool runs, if it takes files. */
  attachments = NO_ATTACHMENTS;
  /** Milliseconds spent on pages. Like the time spent waiting for answers, they do not count towards the time limit. */
  pausedMs = 0;
  readonly #call: Caller;
  readonly #primitive: Primitive;
  readonly #runtime: Runtime;
  #stop: AbortController | undefined;
  #stopped: { reason: unknown } | undefined;
  #session: OpenSession | undefined;
  /** Whether the call is over, although the tool's code may continue. */
  hasEnded = false;
  #scrub: Scrub | undefined;
  #trace: { readonly read: Trace | undefined } | undefined;
  #questions: Questions | undefined;
  #userPages: UserPages | undefined;

  constructor(call: Caller, primitive: Primitive, granted: Granted, runtime: Runtime) {
    this.principal = call.principal;
    this.userId = granted.userId;
    this.secrets = granted.secrets;
    this.authorization = granted.authorization;
    this.#call = call;
    this.#primitive = primitive;
    this.#runtime = runtime;
  }

  get callId(): string {
    return this.#call.callId;
  }

  get client(): ClientInfo {
    const { protocol, clientInfo } = this.#call;
    return clientInfo ?? { protocol, capabilities: new Set() };
  }

  get env(): Readonly<Record<string, unknown>> {
    const names = this.#primitive.options.env ?? [];
    return Object.fromEntries(names.map((name) => [name, this.#runtime.binding(name)]));
  }

  get session(): OpenSession | undefined {
    const { sessionId, principal } = this.#call;
    if (sessionId === undefined) return undefined;
    this.#session ??= openSession(this.#runtime.sessions, principal.id, sessionId);
    return this.#session;
  }

  get sawSession(): boolean {
    return this.#session !== undefined;
  }

  get signal(): AbortSignal {
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      if (this.#stopped) this.#stop.abort(this.#stopped.reason);
    }
    return this.#stop.signal;
  }

  /** Whether the tool has accessed {@link signal}: only then can it have stopped because of it. */
  get hasSignal(): boolean {
    return this.#stop !== undefined;
  }

  get trace(): Trace | undefined {
    this.#trace ??= { read: this.#call.trace?.() };
    return this.#trace.read;
  }

  get fetch(): ToolContext["fetch"] {
    const { trace } = this;
    if (trace === undefined) return this.#runtime.fetch;
    const names = this.#primitive.options.trace === "all" ? TRACE_ALL : TRACE_PARENT;
    return async (input, init) => this.#runtime.fetch(input, withTrace(input, init, trace, names));
  }

  /** Removes this call's secrets, tokens and bindings from a text. */
  get scrub(): Scrub {
    this.#scrub ??= scrubber([
      ...Object.values(this.secrets),
      ...Object.values(this.authorization),
      ...Object.values(this.env).filter((value) => typeof value === "string"),
    ]);
    return this.#scrub;
  }

  progress(done: number, total?: number, message?: string): void {
    // JSON.stringify would write NaN and Infinity as null, but MCP requires a number (basic/utilities/progress).
    const finite = Number.isFinite(total) ? total : undefined;
    if (!this.hasEnded) this.#call.sink?.progress(done, finite, message && this.scrub(message));
  }

  log(level: LogLevel, value: Json): void {
    if (this.hasEnded) return;
    const data = scrubJson(toLoggable(value), this.scrub);
    this.#runtime.log({
      level: "info",
      message: "tool log",
      callId: this.callId,
      tool: this.#primitive.id,
      severity: level,
      data,
    });
    this.#call.sink?.log(level, data);
  }

  canAsk(ability: Capability): boolean {
    return this.#call.elicitation?.capabilities.has(ability) ?? false;
  }

  elicit(key: string, question: FormQuestion | PageQuestion): Promise<Elicited<never>> {
    const { message } = question;
    if ("url" in question) return this.userPages.visit(key, question) as Promise<Elicited<never>>;
    const { fields, required = [] } = question;
    return this.ask(key, { kind: "form", message, fields, required }) as Promise<Elicited<never>>;
  }

  sample(key: string, request: SamplingRequest): Promise<Sampled> {
    return this.ask(key, { kind: "sample", request }) as Promise<Sampled>;
  }

  roots(key: string): Promise<readonly Root[]> {
    return this.ask(key, { kind: "roots" }) as Promise<readonly Root[]>;
  }

  get userPages(): UserPages {
    this.#userPages ??= new UserPages(this, this.#call, this.#runtime.signer);
    return this.#userPages;
  }

  get seed(): string {
    return this.#asker.seed;
  }

  ask(key: string, question: MaybePromise<Question>): Promise<unknown> {
    return this.#asker.ask(key, question);
  }

  get #asker(): Questions {
    this.#questions ??= new Questions(this, this.#call.elicitation);
    return this.#questions;
  }

  /** Milliseconds for which the tool has waited for its caller so far. */
  get waitedMs(): number {
    return this.pausedMs + (this.#questions?.waitedMs ?? 0);
  }

  /** Unfinished steps of a long tool, numbered because a name may be used several times. */
  get stepsUnderWay(): Iterable<string> {
    return [];
  }

  now(): number {
    return this.#runtime.now();
  }

  changed(change: Change): Promise<void> {
    return this.#runtime.changeFeed.publish(change);
  }

  release(): void {
    if (!this.hasEnded) this.#call.sink?.release();
  }

  /** Aborts {@link signal}, even if the tool accesses it only later, and ends open questions. */
  stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#stop?.abort(reason);
    this.#questions?.stop();
  }

  /** Writes changed session values. After this, the tool cannot reach its caller. Never rejects. */
  end(): Promise<void> | undefined {
    this.hasEnded = true;
    return this.#session && this.#close(this.#session);
  }

  async #close(session: OpenSession): Promise<void> {
    try {
      await session.close();
    } catch (error) {
      // The tool has run, so its caller must get the result even if the session cannot be written.
      const { callId } = this;
      this.#runtime.log({ level: "error", message: "session not kept", callId, error: describeError(error) });
    }
  }
}

type TraceHeader = "traceparent" | "tracestate" | "baggage";
const TRACE_PARENT: readonly TraceHeader[] = ["traceparent"];
/** For tools that declare `trace: "all"`. The last two may identify users (W3C Baggage, Privacy Considerations). */
const TRACE_ALL: readonly TraceHeader[] = ["traceparent", "tracestate", "baggage"];

/** Adds the caller's trace headers to a request, unless it sets them itself (W3C Trace Context, section 3). */
function withTrace(
  input: string | URL | Request,
  init: RequestInit | undefined,
  trace: Trace,
  names: readonly TraceHeader[],
): RequestInit {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
  for (const name of names) {
    const value = trace[name];
    if (value !== undefined && !headers.has(name)) headers.set(name, value);
  }
  return { ...init, headers };
}
