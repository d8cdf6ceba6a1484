/**
 * Runs a tool for the person at the page. Calls go over OXP, which says most about failures. They go over MCP if only
 * that will do: for long tools, whose tasks can be followed and cancelled, for tools that ask, and to get pictures.
 */
import { raced } from "../../client/lib/http.ts";
import { isRecord } from "../../client/lib/json.ts";
import { randomId } from "../../client/lib/random-id.ts";
import { OxpClient } from "../../client/oxp/client.ts";
import { secretsIn } from "../../client/oxp/requirements.ts";
import type { CallContext } from "../../client/oxp/types.ts";
import type { Tool } from "../lib/model.ts";
import type { Access } from "./access.ts";
import type { Fetch } from "./failures.ts";
import { type Ask, headerText, Mcp, type Progress, type RequestOptions } from "./mcp.ts";
import { Cancelled, type Ended, failed, NotDone, type Outcome, readResult, type Succeeded, whyOf } from "./outcome.ts";
import { followTask, pause, TASKS, type Waiting } from "./tasks.ts";
import { type Exchange, type Recorder, recorder } from "./recorder.ts";

export interface Call {
  readonly tool: Tool;
  /** undefined: the newest. */
  readonly version?: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  /** Secrets, tokens and the user's id, as far as the person has entered some. */
  readonly context?: CallContext | undefined;
  /** Ids of files that were uploaded before (files.ts). */
  readonly files?: readonly string[] | undefined;
  /** Of an earlier call, to get its result instead of running the tool again. Default: a new one. */
  readonly callId?: string | undefined;
  readonly access: Access;
}

export interface Listeners {
  readonly progress?: ((progress: Progress) => void) | undefined;
  /** Asks the person. Without it, the tool is told that nobody can be asked. */
  readonly question?: Ask | undefined;
  /** Called when a request is sent, and again with the same object whenever more of its response has arrived. */
  readonly exchange?: ((exchange: Exchange) => void) | undefined;
  /** The call goes on, and will be asked about after this time. */
  readonly waiting?: ((waiting: Waiting) => void) | undefined;
}

export interface Running {
  readonly callId: string;
  /** Never rejects. */
  readonly done: Promise<Outcome>;
  /** In the order of the requests. */
  readonly exchanges: readonly Exchange[];
  /** Ends the call and its task. Without effect once it has ended. */
  cancel(): void;
}

type Result = Pick<Succeeded, "value" | "content" | "replayed">;

/** The header by which an answer over OXP says what only MCP has a place for. */
const OVER_MCP = "over-mcp";

/** @param send instead of the browser's `fetch`, for tests */
export function run(call: Call, on: Listeners = {}, send?: Fetch): Running {
  const began = performance.now();
  const callId = call.callId ?? randomId();
  const stop = new AbortController();
  const secrets = secretsIn(call.context);
  const wire = recorder({ secrets, onChange: on.exchange, ...(send && { fetch: send }) });
  const ended = (replayed: boolean): Ended => ({ ms: Math.round(performance.now() - began), callId, replayed });
  const working = new Work(call, callId, on, wire, stop.signal);
  const done = working.result().then(
    ({ value, content, replayed }): Outcome => ({ ok: true, value, content, ...ended(replayed) }),
    (error): Outcome => {
      const why = whyOf(stop.signal.aborted ? stop.signal.reason : error);
      return failed(why, ended(error instanceof NotDone && error.replayed));
    },
  );
  return { callId, done, exchanges: wire.exchanges, cancel: () => stop.abort(new Cancelled()) };
}

class Work {
  readonly #call: Call;
  readonly #callId: string;
  readonly #on: Listeners;
  readonly #wire: Recorder;
  readonly #signal: AbortSignal;

  constructor(call: Call, callId: string, on: Listeners, wire: Recorder, signal: AbortSignal) {
    this.#call = call;
    this.#callId = callId;
    this.#on = on;
    this.#wire = wire;
    this.#signal = signal;
  }

  async result(): Promise<Result> {
    if (this.#call.tool.isLong && this.#mcpWillDo) return this.#overMcp();
    try {
      const result = await this.#overOxp();
      return this.#lacks("content") && this.#mcpWillDo ? await this.#withContent(result) : result;
    } catch (error) {
      if (!this.#lacks("question")) throw error;
      if (this.#mcpWillDo && this.#on.question) return this.#overMcp();
      const { message } = whyOf(error);
      throw new NotDone({
        kind: "failed",
        message: `${message.replace(/[^.?!]$/, "$&.")} ${this.#on.question ? CANNOT_ASK : ""}`.trim(),
      });
    }
  }

  /** MCP calls the newest version only, and has no place for secrets. */
  get #mcpWillDo(): boolean {
    const { tool, version, context } = this.#call;
    const isNewest = version === undefined || version === tool.versions[0]?.version;
    const hasContext = context !== undefined && (secretsIn(context).length > 0 || context.user_id !== undefined);
    return isNewest && !hasContext;
  }

  #lacks(what: "question" | "content"): boolean {
    return this.#wire.exchanges.at(-1)?.responseHeaders[OVER_MCP] === what;
  }

  async #overOxp(): Promise<Result> {
    const { tool, version, input, context, files: attachments, access } = this.#call;
    const client = new OxpClient({
      url: access.origin,
      fetch: access.sender(this.#wire.fetch),
      timeoutMs: Number.POSITIVE_INFINITY,
      // A person who presses Run wants to see a failure. "Still running" is none.
      retry: { attempts: 1, totalMs: Number.POSITIVE_INFINITY },
    });
    const { value } = await client.call(version ? `${tool.id}@${version}` : tool.id, input, {
      callId: this.#callId,
      context,
      attachments,
      signal: this.#signal,
      onRetry: ({ delayMs }) => this.#on.waiting?.({ ms: delayMs, why: "The tool is still running." }),
    });
    const replayed = this.#wire.exchanges.at(-1)?.responseHeaders["idempotency-replayed"] === "true";
    return { value, content: [], replayed };
  }

  /** OXP has no place for pictures. The same call over MCP has the same result, and does not run again. */
  async #withContent(result: Result): Promise<Result> {
    try {
      const { content } = await this.#overMcp();
      return { ...result, content };
    } catch {
      // Such as for a tool whose results are not kept.
      this.#signal.throwIfAborted();
      const text = "This tool also returned pictures or the like, which cannot be shown here.";
      return { ...result, content: [{ type: "text", text }] };
    }
  }

  async #overMcp(): Promise<Result> {
    const { tool, files = [], access } = this.#call;
    const mcp = new Mcp(access, this.#wire.fetch);
    const attached = files.length > 0 ? { attachments: files.map((file_id) => ({ file_id })) } : {};
    const options = {
      signal: this.#signal,
      headers: { "idempotency-key": this.#callId, ...this.#parameterHeaders() },
      onProgress: this.#on.progress,
      onWaiting: this.#on.waiting,
      ask: this.#ask,
      ...(tool.isLong && { extensions: TASKS }),
    };
    let args: Readonly<Record<string, unknown>> = { ...this.#call.input, ...attached };
    for (;;) {
      const { result, headers } = await mcp.requestAsking("tools/call", { name: tool.name, arguments: args }, options);
      if (result.resultType === "task") return readResult(await followTask(mcp, result, options), false);
      const working = tool.isLong ? stillWorking(result) : undefined;
      if (working === undefined) return readResult(result, headers.has("retry-after"));
      this.#on.waiting?.({ ms: working.ms, why: "The tool is still running." });
      await pause(working.ms, this.#signal);
      args = { ...args, task_id: working.id };
    }
  }

  get #ask(): Ask | undefined {
    const { question } = this.#on;
    // If the person cancels the call, an answer is no longer waited for.
    return question && ((asked, signal) => raced(question(asked, signal), signal));
  }

  /** Parameters that proxies may read (2026-07-28, Streamable HTTP, Custom Headers). */
  #parameterHeaders(): RequestOptions["headers"] {
    const headers: Record<string, string> = {};
    const collect = (schema: unknown, value: unknown): void => {
      if (!isRecord(schema) || value === undefined || value === null) return;
      const name = schema["x-mcp-header"];
      if (typeof name === "string") headers[`mcp-param-${name}`] = headerText(String(value));
      if (!isRecord(schema.properties) || !isRecord(value)) return;
      for (const [member, of] of Object.entries(schema.properties)) collect(of, value[member]);
    };
    collect(this.#call.tool.versions[0]?.input, this.#call.input);
    return headers;
  }
}

const CANNOT_ASK = "This page can answer only for the newest version of a tool, and without secrets of yours.";

/** How a server without tasks says that a long call goes on (docs/tasks.md). @returns undefined if it has ended */
function stillWorking(
  result: Readonly<Record<string, unknown>>,
): { readonly id: string; readonly ms: number } | undefined {
  const { task_id: id, retry_after_ms: ms } = isRecord(result._meta) ? result._meta : {};
  return result.isError !== true && typeof id === "string" && typeof ms === "number" ? { id, ms } : undefined;
}
