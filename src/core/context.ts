/** The context of one call: what a tool sees of the world. Hands out what the tool declared and nothing else. */
import type { Call } from "./call.ts";
import type { CatalogEntry } from "./catalog.ts";
import type { Attachment, LogLevel, Principal, ToolContext, Trace } from "./definition.ts";
import type { Host } from "./execute.ts";
import type { Json } from "./json.ts";
import { describeError } from "./log.ts";
import type { Met } from "./requirements.ts";
import { type OpenSession, openSession } from "./state.ts";

const NO_ATTACHMENTS: readonly Attachment[] = Object.freeze([]);

/** Built for each call, so what few tools use (signal, env, session) is made when it is first asked for. */
export class RunContext implements ToolContext<string, string, string | undefined, string> {
  readonly callId: string;
  readonly principal: Principal;
  readonly userId: string | undefined;
  readonly secrets: Readonly<Record<string, string>>;
  readonly authorization: Readonly<Record<string, string>>;
  readonly attachments: readonly Attachment[];
  readonly trace: Trace | undefined;
  readonly #call: Call;
  readonly #entry: CatalogEntry;
  readonly #host: Host;
  #stop: AbortController | undefined;
  #stopped: { reason: unknown } | undefined;
  #session: OpenSession | undefined;
  #ended = false;

  constructor(call: Call, entry: CatalogEntry, met: Met, host: Host) {
    this.callId = call.callId;
    this.principal = call.principal;
    this.userId = met.userId;
    this.secrets = met.secrets;
    this.authorization = met.authorization;
    this.attachments = call.attachments ?? NO_ATTACHMENTS;
    this.trace = call.trace;
    this.#call = call;
    this.#entry = entry;
    this.#host = host;
  }

  get env(): Readonly<Record<string, unknown>> {
    const names = this.#entry.traits.env ?? [];
    return Object.fromEntries(names.map((name) => [name, this.#host.binding(name)]));
  }

  get session(): OpenSession | undefined {
    const { sessionId, principal } = this.#call;
    if (sessionId === undefined) return undefined;
    this.#session ??= openSession(this.#host.sessions, principal.id, sessionId);
    return this.#session;
  }

  get signal(): AbortSignal {
    if (this.#stop === undefined) {
      this.#stop = new AbortController();
      if (this.#stopped) this.#stop.abort(this.#stopped.reason);
    }
    return this.#stop.signal;
  }

  get fetch(): ToolContext["fetch"] {
    return this.#host.fetch;
  }

  progress(done: number, total?: number, message?: string): void {
    if (!this.#ended) this.#call.sink?.progress(done, total, message);
  }

  log(level: LogLevel, data: Json): void {
    if (this.#ended) return;
    this.#host.log({
      level: "info",
      message: "tool log",
      callId: this.callId,
      tool: this.#entry.id,
      severity: level,
      data,
    });
    this.#call.sink?.log(level, data);
  }

  /** Fires {@link signal}, also for a tool that looks at it only later. */
  stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#stop?.abort(reason);
  }

  /** After this the tool can reach its caller no more; session values that changed are written. */
  async end(): Promise<void> {
    this.#ended = true;
    try {
      await this.#session?.close();
    } catch (error) {
      // The tool has run; a session that could not be written must not lose its caller the result.
      this.#host.log({ level: "error", message: "session not kept", callId: this.callId, error: describeError(error) });
    }
  }
}
