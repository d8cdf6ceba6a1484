/**
 * Runs a tool for the person at the page. Calls go over OXP, which says most about failures. They go over MCP if only
 * that will do: for long tools, whose tasks can be followed and cancelled, for tools that ask, and to get pictures.
 */
import { raced } from "../../../../client/lib/http.ts";
import { isRecord } from "../../../../client/lib/json.ts";
import { randomId } from "../../../../client/lib/random-id.ts";
import { OxpClient } from "../../../../client/oxp/client.ts";
import { secretsIn } from "../../../../client/oxp/requirements.ts";
import type { CallContext } from "../../../../client/oxp/types.ts";
import { passwordsIn } from "../form/lib/passwords.ts";
import type { Tool } from "../lib/model.ts";
import type { Access } from "./access.ts";
import { readResult, sessionIn, whyOf } from "./answers.ts";
import type { Fetch } from "./failures.ts";
import { type Ask, headerText, Mcp, type Progress, type Question, VIEWS } from "./mcp.ts";
import { Cancelled, type Ended, failed, NotDone, type Outcome, type Result } from "./outcome.ts";
import type { Members } from "./read.ts";
import { type Exchange, type Recorder, recorder } from "./recorder.ts";
import { followTask, pause, TASKS, type Waiting } from "./tasks.ts";

export interface Call {
  readonly tool: Tool;
  /** undefined: the newest. */
  readonly version?: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  /** Secrets, tokens and the user's id, as far as the person has entered some. */
  readonly context?: CallContext | undefined;
  /** Ids of files that were uploaded before (files.ts). */
  readonly files?: readonly string[] | undefined;
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
  /** Never rejects. */
  readonly done: Promise<Outcome>;
  /** In the order of the requests. */
  readonly exchanges: readonly Exchange[];
  /** Ends the call and its task. Without effect once it has ended. */
  cancel(): void;
}

/** The header by which an answer over OXP says what only MCP has a place for. */
const OVER_MCP = "over-mcp";
const STILL_RUNNING = "The tool is still running.";
const CANNOT_ASK = "This page can answer only for the newest version of a tool, and without secrets of yours.";

export function run(call: Call, on: Listeners = {}): Running {
  const began = performance.now();
  const stop = new AbortController();
  const { tool, version, input, context, access } = call;
  const signal = AbortSignal.any([stop.signal, access.signal]);
  const { input: schema = {} } = tool.versions.find((one) => one.version === version) ?? tool.versions[0] ?? {};
  const secrets = [...secretsIn(context), ...passwordsIn(input, schema)];
  const recording = recorder({ secrets, onChange: on.exchange });
  const mcp = new Mcp(access, recording.fetch);
  const send = access.sender(recording.fetch);
  const ended = (replayed: boolean): Ended => ({ ms: Math.round(performance.now() - began), replayed });
  const done = resultOf({ call, id: randomId(), on, recording, mcp, send, signal }).then(
    ({ value, content, replayed }): Outcome => ({ ok: true, value, content, ...ended(replayed) }),
    (error): Outcome => {
      const why = whyOf(signal.aborted ? signal.reason : error);
      return failed(why, ended(error instanceof NotDone && error.replayed));
    },
  );
  return { done, exchanges: recording.exchanges, cancel: () => stop.abort(new Cancelled()) };
}

interface Begun {
  readonly call: Call;
  /** The same over OXP and MCP, so that the tool does not run twice. */
  readonly id: string;
  readonly on: Listeners;
  readonly recording: Recorder;
  /** Both are for the caller who began it. */
  readonly mcp: Mcp;
  readonly send: Fetch;
  /** Aborted when the person cancels, or another caller takes over. */
  readonly signal: AbortSignal;
}

async function resultOf(begun: Begun): Promise<Result> {
  const { call, on } = begun;
  const mcpWillDo = isForMcp(call);
  if (call.tool.isForViews || ((call.tool.isLong || call.tool.keepsSession) && mcpWillDo)) return overMcp(begun);
  try {
    const result = await overOxp(begun);
    return lacks(begun, "content") && mcpWillDo ? await withContent(begun, result) : result;
  } catch (error) {
    if (!lacks(begun, "question")) throw error;
    if (mcpWillDo && on.question) return overMcp(begun);
    const { message } = whyOf(error);
    throw new NotDone({
      kind: "failed",
      message: `${message.replace(/[^.?!]$/, "$&.")} ${on.question ? CANNOT_ASK : ""}`.trim(),
    });
  }
}

/** MCP calls the newest version only, and has no place for secrets. */
function isForMcp({ tool, version, context }: Call): boolean {
  const isNewest = version === undefined || version === tool.versions[0]?.version;
  const hasContext = context !== undefined && (secretsIn(context).length > 0 || context.user_id !== undefined);
  return isNewest && !hasContext;
}

/**
 * Whether an answer over OXP lacks a question or content, which only MCP has a place for. If the answer began before
 * its call had ended, no header says so: its text names a question, and content may or may not be there
 * (docs/limits.md, Silent calls).
 */
function lacks(begun: Begun, what: "question" | "content"): boolean {
  const { recording } = begun;
  if (recording.lastHeaders?.get(OVER_MCP) === what) return true;
  return beganEarly(begun) && (what === "content" || responseOf(recording).includes(`${OVER_MCP}: ${what}`));
}

/** Only an answer that began before its call had ended begins with white space. */
function beganEarly({ recording }: Begun): boolean {
  return responseOf(recording).startsWith(" ");
}

function responseOf({ exchanges }: Recorder): string {
  return exchanges.at(-1)?.responseBody ?? "";
}

async function overOxp({ call, id, on, recording, send, signal }: Begun): Promise<Result> {
  const { tool, version, input, context, files: attachments, access } = call;
  const client = new OxpClient({
    url: access.origin,
    fetch: send,
    timeoutMs: Number.POSITIVE_INFINITY,
    // A person who presses Run wants to see a failure. "Still running" is not a failure.
    retry: { attempts: 1, totalMs: Number.POSITIVE_INFINITY },
  });
  const { value } = await client.call(version ? `${tool.id}@${version}` : tool.id, input, {
    callId: id,
    context,
    attachments,
    signal,
    onRetry: ({ delayMs }) => on.waiting?.({ ms: delayMs, why: STILL_RUNNING }),
  });
  const replayed = recording.lastHeaders?.get("idempotency-replayed") === "true";
  return { value, content: [], replayed };
}

/** OXP has no place for pictures. The same call over MCP has the same result, and does not run again. */
async function withContent(begun: Begun, result: Result): Promise<Result> {
  const mayHaveNone = beganEarly(begun);
  try {
    const { content } = await overMcp(begun);
    return { ...result, content };
  } catch {
    // There is no result over MCP, for example because the results of this tool are not kept.
    begun.signal.throwIfAborted();
    if (mayHaveNone) return result;
    const text = "This tool also returned pictures or the like, which cannot be shown here.";
    return { ...result, content: [{ type: "text", text }] };
  }
}

async function overMcp({ call, id, on, mcp, signal }: Begun): Promise<Result> {
  const { tool, input, files = [], access } = call;
  const { question } = on;
  const session = tool.keepsSession ? access.session : undefined;
  const options = {
    signal,
    headers: { "idempotency-key": id, ...parameterHeaders(tool.versions[0]?.input, input) },
    onProgress: on.progress,
    onWaiting: on.waiting,
    // If the person cancels the call, no answer is waited for.
    ask: question && ((asked: Question, wanted: AbortSignal) => raced(question(asked, wanted), wanted)),
    extensions: { ...(tool.isLong && TASKS), ...(tool.isForViews && VIEWS) },
  };
  const attached = files.length > 0 ? { attachments: files.map((file_id) => ({ file_id })) } : {};
  let args: Members = { ...input, ...attached, ...(session !== undefined && { session }) };
  for (;;) {
    const { result, headers } = await mcp.requestAsking("tools/call", { name: tool.name, arguments: args }, options);
    if (result.resultType === "task") return readResult(await followTask(mcp, result, options), false);
    const working = tool.isLong ? stillWorking(result) : undefined;
    if (working === undefined) {
      // A handle that is no longer valid has no successor: the next call begins a new session.
      if (tool.keepsSession && !signal.aborted) access.session = sessionIn(result);
      return readResult(result, headers.has("retry-after"));
    }
    on.waiting?.({ ms: working.ms, why: STILL_RUNNING });
    await pause(working.ms, signal);
    args = { ...args, task_id: working.id };
  }
}

/** Parameters that proxies may read (2026-07-28, Streamable HTTP, Custom Headers). */
function parameterHeaders(schema: unknown, value: unknown): Readonly<Record<string, string>> {
  if (!isRecord(schema) || value === undefined || value === null) return {};
  const name = schema["x-mcp-header"];
  const own = typeof name === "string" ? { [`mcp-param-${name}`]: headerText(String(value)) } : {};
  if (!isRecord(schema.properties) || !isRecord(value)) return own;
  const members = Object.entries(schema.properties).map(([member, of]) => parameterHeaders(of, value[member]));
  return Object.assign(own, ...members);
}

/** How a server without tasks says that a long call goes on (docs/tasks.md). @returns undefined if it has ended */
function stillWorking(result: Members): { readonly id: string; readonly ms: number } | undefined {
  const { task_id: id, retry_after_ms: ms } = isRecord(result._meta) ? result._meta : {};
  return result.isError !== true && typeof id === "string" && typeof ms === "number" ? { id, ms } : undefined;
}
