/**
 * The functions of `#test`, which index.ts gives their types. They call tools, prompts and resources as a protocol
 * does, through the Worker's own pipeline, stores and settings. Only what a test gives is replaced: credentials,
 * bindings, the network, the user.
 */
import { env } from "cloudflare:workers";
import { features } from "#features";
import { views } from "#views";
import { composed } from "../compose.ts";
import { completeArgument, completeVariable } from "../core/call/completion.ts";
import { getPrompt as runPrompt } from "../core/call/prompts.ts";
import { findResource, isMissing, readResource as runResource } from "../core/call/resources.ts";
import { randomId } from "../core/crypto/encoding.ts";
import { guardedFetch } from "../core/lib/guarded-fetch.ts";
import { type Json, toJson } from "../core/lib/json.ts";
import type { LogEntry } from "../core/lib/log.ts";
import type { Begins, Call, Caller, FileReference, InputResponses } from "../core/model/call.ts";
import type { CallResult } from "../core/model/call-result.ts";
import type { Outcome } from "../core/model/outcome.ts";
import type { Outbox } from "../core/ports/outbox.ts";
import type { Runtime } from "../core/ports/runtime.ts";
import { readSettings } from "../settings.ts";
import { untilAnswered } from "./answers.ts";
import { TestFiles } from "./attachments.ts";
import { findPrompt, findTool, findView, unknown } from "./find.ts";
import { network, unexpectedInWords } from "./network.ts";
import { type Emitted, type LogLine, type Progress, type Result, resultOf } from "./result.ts";
import type { CompletionOptions, Options, ToolOptions, ViewPage } from "./types.ts";

const { execute } = composed(features);

export function callTool(id: string, input?: unknown, options: ToolOptions = {}): Promise<Result<never>> {
  return runCall(id, options, async (caller, runtime, files) => {
    const { key } = options;
    // As it arrives from a client, which can send only JSON.
    const sent = input === undefined ? undefined : toJson(input, "input");
    const call: Call = { ...caller, tool: findTool(id, runtime.catalog), input: sent, key };
    if (options.attachments === undefined) return execute(call, runtime);
    const attachments: FileReference[] = [];
    // One after the other: their order is part of their ids.
    for (const file of options.attachments) attachments.push(await files.add(file));
    return execute({ ...call, attachments }, runtime);
  });
}

export function getPrompt(name: string, args?: unknown, options: Options = {}): Promise<Result<never>> {
  return runCall(name, options, async (caller, runtime) => {
    const entry = findPrompt(name, runtime.catalog);
    return { outcome: await runPrompt(entry, toJson(args ?? {}, "args") as Texts, caller, runtime) };
  });
}

export function readResource(uri: string, options: Options = {}): Promise<Result<never>> {
  return runCall(uri, options, async (caller, runtime) => {
    const found = findResource(runtime, undefined, uri);
    if (found === undefined) {
      const uris = runtime.catalog.allResources.map((resource) => resource.uri);
      throw unknown("resource", uri, uris);
    }
    const outcome = await runResource(found, uri, caller, runtime);
    // As a client gets it.
    return { outcome: isMissing(outcome) ? { kind: "failed", fault: { message: "Resource not found" } } : outcome };
  });
}

export function complete(
  of: string,
  field: string,
  prefix: string,
  options: CompletionOptions = {},
): Promise<Result<never>> {
  return runCall(of, options, async (caller, runtime) => {
    const typed = { name: field, value: prefix, others: toJson(options.others ?? {}, "others") as Texts };
    const resource = runtime.catalog.allResources.find(({ uri }) => uri === of);
    const run = resource
      ? completeVariable(resource, typed, runtime)
      : completeArgument(findPrompt(of, runtime.catalog), typed, runtime);
    if (run === undefined)
      throw new Error(`${of} has no ${resource ? "variable" : "argument"} ${JSON.stringify(field)}`);
    return { outcome: await run(caller) };
  });
}

type Texts = Readonly<Record<string, string>>;

export function readView(id: string, options: Options = {}): Promise<Result<ViewPage>> {
  return runCall(id, options, async (caller, runtime) => {
    const entry = findView(id, views.entries);
    const outcome = await runResource({ entry, variables: {} }, entry.uri, caller, runtime);
    return { outcome: outcome.kind === "completed" ? { ...outcome, value: pageIn(outcome.value) } : outcome };
  });
}

/**
 * Takes the page from a view as hosts read it: one content, with the view's options in its `_meta` (MCP Apps, UI
 * Resource Format).
 */
function pageIn(contents: unknown): Json {
  type Page = { uri: string; text: string; meta?: { ui: Readonly<Record<string, Json>> } };
  const [{ uri, text, meta }] = contents as [Page];
  return { uri, html: text, ...meta?.ui };
}

type Ran = Pick<CallResult, "replayed" | "sessionId"> & { readonly outcome: Outcome };

/** Runs a call with what the test gives, and records what it does. @throws if it makes a request that no fake answers */
async function runCall(
  subject: string,
  options: Options,
  run: (caller: Caller, runtime: Runtime, files: TestFiles) => Promise<Ran>,
): Promise<Result<never>> {
  const real = await workerRuntime();
  const net = network(options.fetch);
  const faults: LogEntry[] = [];
  const runtime: Runtime = { ...replaced(real, options), fetch: guardedFetch(net.fetch, privateHosts()) };
  const files = new TestFiles();
  const events: Emitted[] = [];
  const recording: Runtime = {
    ...runtime,
    files,
    outbox: runtime.outbox && recordingOutbox(runtime.outbox, events),
    log(entry) {
      if (entry.level === "error") faults.push(entry);
      runtime.log(entry);
    },
  };
  const logs: LogLine[] = [];
  const progress: Progress[] = [];
  const sink = {
    log: (level: LogLine["level"], data: LogLine["data"]) => void logs.push({ level, data }),
    progress: (done: number, total?: number, message?: string) => void progress.push({ done, total, message }),
    release() {},
  };
  const session = options.session === undefined ? randomId() : (options.session ?? undefined);
  const { outcome, replayed, sessionId } = await untilAnswered(subject, options.answers, files, (answers) => {
    const begins: Begins = options.session === undefined && (answers === undefined || "further");
    const caller = { ...callerWith(options, answers), sessionId: session, beginsSession: begins, sink };
    return net.run(() => run(caller, recording, files));
  });
  if (net.unexpected.length > 0) throw new Error(unexpectedInWords(subject, net.unexpected));
  const continued = sessionId === undefined ? session : (sessionId ?? undefined);
  const ended = { outcome, session: continued, replayed: replayed === true, faults };
  return resultOf(subject, ended, { logs, progress, events, requests: net.requests });
}

/** An outbox that also notes down what is emitted. */
function recordingOutbox(outbox: Outbox, events: Emitted[]): Outbox {
  return {
    ...outbox,
    async emit(partition, event) {
      const id = await outbox.emit(partition, event);
      events.push(event);
      return id;
    },
  };
}

/** The caller, who has all scopes and can answer all questions, unless the test says otherwise. */
function callerWith(options: Options, answers: InputResponses | undefined): Caller {
  const { secrets = {}, authorization = {}, userId, scopes = "all", canAsk = ALL_QUESTIONS, signal } = options;
  const capabilities = new Set(canAsk);
  return {
    callId: crypto.randomUUID(),
    protocol: "test",
    principal: { id: "test", scopes, reach: "all" },
    context: { secrets: given(secrets), authorization: given(authorization), userId },
    clientInfo: { protocol: "mcp", capabilities, ...options.client },
    elicitation: { capabilities, ...(answers && { answers }) },
    ...(signal && { client: { signal, isOver: signal.aborted } }),
  };
}

const ALL_QUESTIONS = ["form", "page", "sample", "sample-tools", "roots"] as const;

function given(values: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The Worker's runtime with a test's bindings, and without the Worker's own secrets. */
function replaced(real: Runtime, { secrets = {}, authorization = {}, env: bindings = {} }: Options): Runtime {
  const own: Readonly<Record<string, unknown>> = { ...secrets, ...authorization, ...(bindings as object) };
  const member = (name: string) => (Object.hasOwn(own, name) ? own[name] : undefined);
  return {
    ...real,
    logCall: undefined,
    // Without a store of tasks, the call of a long tool ends with its request.
    tasks: undefined,
    secret: (name) => (typeof member(name) === "string" ? (member(name) as string) : undefined),
    binding: (name) => (Object.hasOwn(bindings as object, name) ? member(name) : real.binding(name)),
    async rateLimit(perMinute, key) {
      const limiter = member(`RATE_${perMinute}`) as RateLimit | undefined;
      return limiter === undefined || (await limiter.limit({ key })).success;
    },
  };
}

function privateHosts(): readonly string[] {
  return readSettings(env as unknown as Record<string, unknown>).settings.privateHosts;
}

/** The runtime of the Worker. Loading it reads the settings, as a first request does. */
async function workerRuntime(): Promise<Runtime> {
  const { mistakes, runtime } = await import("../runtime.ts");
  if (mistakes.length === 0) return runtime;
  throw new Error("A setting is invalid, so the Worker refuses every request: run npm run discover");
}
