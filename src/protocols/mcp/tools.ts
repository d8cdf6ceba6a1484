/** `tools/list` and `tools/call`, in both eras (server/tools). */
import type { CatalogEntry } from "../../core/catalog.ts";
import type { Ending } from "../../core/ending.ts";
import { execute } from "../../core/execute.ts";
import { isRecord } from "../../core/json.ts";
import { keepShape } from "../../core/shapes.ts";
import type { Soon } from "../../core/soon.ts";
import { idempotencyKeyOf, type Visit } from "../http.ts";
import type { RpcRequest } from "../json-rpc.ts";
import { sessionOfState } from "./asked.ts";
import type { McpCaller } from "./caller.ts";
import { decodeHeaderValue } from "./headers.ts";
import { invoke, type Subject } from "./invoke.ts";
import { toolFragments } from "./list.ts";
import { paged } from "./page.ts";
import { type ReadCall, readCall } from "./read.ts";
import { CODE, error, failed, renderCall } from "./render.ts";
import { handleOf, type ToolSession, toolSession } from "./session.ts";
import type { MethodReply, Turn } from "./turn.ts";

export function listTools({ params }: RpcRequest, turn: Turn): MethodReply {
  const { host, toolkit } = turn.visit;
  const outputs = turn.manner.kind === "modern" ? "any" : "objects";
  return paged("tools", toolFragments(host.catalog, toolkit, outputs), params, turn);
}

export function callTool({ params }: RpcRequest, turn: Turn): Soon<MethodReply> {
  const { headers, host, toolkit } = turn.visit;
  const read = readCall(params, turn.alone ? undefined : idempotencyKeyOf(headers));
  if ("problem" in read) return error(CODE.invalidParams, read.problem);
  const { name, input } = read;
  const found = host.catalog.find({ name }, toolkit);
  const entry = "entry" in found ? found.entry : undefined;
  if (turn.manner.kind === "modern") {
    const wrong = entry && wrongParameterHeader(entry, headers, input);
    if (wrong) return wrong;
  }
  if (entry?.traits.keep === false) turn.keepNothing();
  if (!entry?.traits.session) return invoke(turn, new ToolCall(turn, params, read, input));
  const { session, ...own } = input;
  if (turn.session) return invoke(turn, new ToolCall(turn, params, read, own));
  return inSession(turn, new ToolCall(turn, params, read, own), session ?? undefined);
}

/** A client that keeps no session brings a handle as an argument, or gets one with the result. */
async function inSession(turn: Turn, call: ToolCall, given: unknown): Promise<MethodReply> {
  const fromState = await sessionOfState(turn, call, call.params as Record<string, unknown>);
  const opened = await toolSession(turn.visit, fromState ?? given);
  if (opened === undefined) {
    return { result: failed({ message: "The session is unknown or has expired; leave it out to begin a new one" }) };
  }
  // A repeat with answers goes on with the session it began; to its caller it still begins one.
  call.join({ ...opened, begins: given === undefined && (fromState === undefined || "further") });
  return invoke(turn, call);
}

/** What a `tools/call` asks for. */
class ToolCall implements Subject<Ending> {
  readonly method = "tools/call";
  readonly params: unknown;
  readonly #turn: Turn;
  readonly #read: ReadCall;
  readonly #own: Record<string, unknown>;
  /** Of a tool that wants one, for a client that keeps none. */
  #session: ToolSession | undefined;

  /** @param own what of the arguments is the tool's */
  constructor(turn: Turn, params: unknown, read: ReadCall, own: Record<string, unknown>) {
    this.params = params;
    this.#turn = turn;
    this.#read = read;
    this.#own = own;
  }

  join(session: ToolSession): void {
    this.#session = session;
  }

  /** Handle of the session that it is in, if the client has to bring one. */
  get session(): string | undefined {
    return this.#session?.handle;
  }

  get about(): unknown {
    return [this.#read.name, this.#own, this.#read.attachments];
  }

  get logger(): string {
    return this.#read.name;
  }

  run(caller: McpCaller): Soon<Ending> {
    const { name, key, attachments } = this.#read;
    return execute(caller.calls({ name }, this.#own, key, attachments, this.#session), this.#turn.visit.host);
  }

  render(ending: Ending): Soon<MethodReply> {
    const { manner, visit } = this.#turn;
    const reply = renderCall(ending, manner, visit);
    return this.#session === undefined ? reply : told(reply, this.#session, ending, visit);
  }
}

keepShape(new ToolCall({} as Turn, undefined, {} as ReadCall, {}));

/** A call that ran is in a session from then on: its own, or that of the earlier call whose result it is. */
async function told(reply: MethodReply, session: ToolSession, ending: Ending, visit: Visit): Promise<MethodReply> {
  const { kind } = ending.outcome;
  if (kind === "refused" || kind === "invalid" || ending.sessionId === null) return reply;
  return withHandle(reply, ending.sessionId ? await handleOf(visit, ending.sessionId) : session.handle);
}

/** A handle reaches the model as text: that is where it takes the argument from. */
function withHandle(reply: MethodReply, handle: string): MethodReply {
  if (!("result" in reply) || !Array.isArray(reply.result.content)) return reply;
  const { content, _meta, ...rest } = reply.result;
  const told = [...(content as unknown[]), { type: "text", text: `session: ${handle}` }];
  return { ...reply, result: { ...rest, content: told, _meta: { ...(_meta as object), session: handle } } };
}

/**
 * Streamable HTTP, Server Behavior for Custom Headers: a header that a tool's schema names must say what the body says.
 */
function wrongParameterHeader(
  { traits }: CatalogEntry,
  headers: Headers,
  input: Record<string, unknown>,
): MethodReply | undefined {
  for (const { header, path } of traits.headers ?? []) {
    const name = `mcp-param-${header.toLowerCase()}`;
    const value = path.reduce<unknown>((within, key) => (isRecord(within) ? within[key] : undefined), input);
    const problem = headerProblem(headers.get(name), value ?? undefined);
    if (problem) return { ...error(CODE.headerMismatch, `The header ${name} ${problem}`), status: 400 };
  }
  return undefined;
}

/** @param value of the parameter; undefined for one that was not sent, whose header must not be there either */
function headerProblem(raw: string | null, value: unknown): string | undefined {
  if (raw === null) return value === undefined ? undefined : "is missing";
  const said = decodeHeaderValue(raw);
  if (said === undefined) return "is malformed";
  return value !== undefined && says(said, value) ? undefined : "differs from the body";
}

function says(text: string, value: unknown): boolean {
  // Integers are compared as numbers: 42.0 is 42.
  return typeof value === "number" ? text.trim() !== "" && Number(text) === value : text === String(value);
}
