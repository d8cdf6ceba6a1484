/** Serves the tools of test/fixtures/long, built, with the workflow that runs them, and calls them over real HTTP. */
import { setTimeout as sleep } from "node:timers/promises";
import { shared } from "./attacks/tokens.ts";
import { builtFork, type Fork, type Served, type ServedBuilt, serveDist, testSettings, withVars } from "./fork.ts";
import { post, postJson } from "./http.ts";

export const WORKFLOW = `
[[workflows]]
name = "trivet-long"
binding = "LONG"
class_name = "LongRun"
`;

/** Short waits, so that tests need not wait for long. */
const VARS = { LONG_WAIT_SECONDS: "1", TASK_LEASE_SECONDS: "4" };

export interface LongOptions {
  /** A folder to copy to `tools/`, or files by their path in it. */
  readonly tools?: string | Record<string, string>;
  readonly vars?: Readonly<Record<string, string>>;
  /** What the owner adds at the end of wrangler.toml. By default the workflow. */
  readonly more?: string;
  /** Changes the rest of wrangler.toml. */
  readonly change?: (settings: string) => string;
  /** Whether it requires credentials: {@link tokenOf} makes some that it accepts. */
  readonly closed?: boolean;
  /** As for makeFork (fork.ts): whether a process is started in the fork. */
  readonly copied?: boolean;
}

export interface Long extends ServedBuilt {
  readonly fork: Fork;
  /** Rows of the ledger of anonymous callers. */
  ledger(query: string): ReturnType<ServedBuilt["rows"]>;
  /** Serves the same build once more, with other settings: also for callers without credentials, or with the workflow. */
  also(other: Pick<LongOptions, "vars" | "more" | "closed">): Promise<Served>;
}

export async function serveLong({
  tools = "test/fixtures/long",
  vars = {},
  more = WORKFLOW,
  change = (settings) => settings,
  closed = false,
  copied = false,
}: LongOptions = {}): Promise<Long> {
  const given = { vars, more, closed };
  const settings = (own: Partial<typeof given>) => {
    const all = { ...given, ...own };
    const tokens = all.closed ? {} : { TOKENS: "true" };
    return change(withVars(testSettings(all), { ...VARS, ...tokens, ...vars, ...own.vars })) + all.more;
  };
  // Without the variables, and for callers with credentials: such a build serves those without, too.
  const fork = await builtFork(tools, change(testSettings({ closed: true })) + more, { copied });
  fork.write("wrangler.toml", settings({}));
  const served = await serveDist(fork, settings({}));
  return {
    ...served,
    fork,
    also: (own) => serveDist(fork, settings(own)),
    ledger: (query) => served.rows("Claims", "tasks anonymous", query),
    async stop() {
      await served.stop();
      fork.remove();
    },
  };
}

/** The header of a caller. Callers with the same name are one principal. */
export function tokenOf(name: string, scopes = "jobs"): Record<string, string> {
  return { authorization: `Bearer ${shared({ sub: name, scope: scopes })}` };
}

export const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const META = "io.modelcontextprotocol/";
export const MODERN = "2026-07-28";

export interface Way {
  readonly headers?: Readonly<Record<string, string>>;
  /** Capabilities of a client of 2026-07-28. By default those of one with tasks. */
  readonly capabilities?: object;
  /** Further members of `_meta`. */
  readonly meta?: object;
  readonly path?: string;
  readonly signal?: AbortSignal;
}

/** A valid request of 2026-07-28. */
export function modernRequest(method: string, params: object, { capabilities = TASKS, meta, headers }: Way = {}) {
  const given = params as Readonly<Record<string, unknown>>;
  const name = given.name ?? given.uri ?? given.taskId;
  const _meta = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: capabilities, ...meta };
  return {
    body: { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } },
    headers: {
      "mcp-protocol-version": MODERN,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...headers,
    },
  };
}

/** Sends a request of 2026-07-28, and returns the response as it comes. */
export function postModern(url: string, method: string, params: object = {}, way: Way = {}): Promise<Response> {
  const { body, headers } = modernRequest(method, params, way);
  return post(`${url}${way.path ?? "/mcp"}`, body, headers, way.signal);
}

/**
 * Like {@link postModern}, for a client that takes JSON only. Leaves out the server's name, which every result of this
 * revision has.
 */
export async function modern(url: string, method: string, params: object = {}, way: Way = {}) {
  const { body, headers } = modernRequest(method, params, way);
  const answer = await postJson(`${url}${way.path ?? "/mcp"}`, body, { accept: "application/json", ...headers });
  const { result } = answer.body;
  if (result?._meta) {
    delete result._meta[`${META}serverInfo`];
    if (Object.keys(result._meta).length === 0) delete result._meta;
  }
  return answer;
}

/** Calls a tool over 2026-07-28, and returns the whole JSON-RPC message. */
export async function callModern(url: string, name: string, args: object = {}, way?: Way) {
  return (await modern(url, "tools/call", { name, arguments: args }, way)).body;
}

/** Starts a task, and returns its id. */
export async function startTask(url: string, name: string, args: object = {}, way?: Way): Promise<string> {
  const { result, error } = await callModern(url, name, args, way);
  if (result?.resultType !== "task") throw new Error(`no task, but ${JSON.stringify(result ?? error)}`);
  return result.taskId;
}

/** The state of a task. */
export async function taskOf(url: string, taskId: string, way?: Way) {
  const { result, error } = (await modern(url, "tasks/get", { taskId }, way)).body;
  if (result === undefined) throw new Error(`no task, but ${JSON.stringify(error)}`);
  return result;
}

/** Reads a task until its state is as wanted. */
// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
export async function taskWhen(url: string, taskId: string, isWanted: (task: any) => boolean, way?: Way) {
  for (let tries = 0; tries < 600; tries++) {
    const task = await taskOf(url, taskId, way);
    if (isWanted(task)) return task;
    await sleep(100);
  }
  throw new Error(`the task never got there: ${JSON.stringify(await taskOf(url, taskId, way))}`);
}

const isOver = ({ status }: { status: string }) => status !== "working" && status !== "input_required";

/** Reads a task until it has ended. */
export const endOf = (url: string, taskId: string, way?: Way) => taskWhen(url, taskId, isOver, way);

/** Reads a task until it waits for input. */
export const asking = (url: string, taskId: string, way?: Way) =>
  taskWhen(url, taskId, ({ status }) => status === "input_required" || isOver({ status }), way);

/** Answers questions of a task. */
export const update = (url: string, taskId: string, inputResponses: object, way?: Way) =>
  modern(url, "tasks/update", { taskId, inputResponses }, way);

/** An answer to a form with one field. */
export const saying = (text: unknown) => ({ action: "accept", content: { text } });

/** What the runs of a call did, by the name that it gave itself. */
export async function seen(url: string, name: string, way?: Way): Promise<string[]> {
  return (await callModern(url, "Jobs_Seen", { name }, way)).result.structuredContent;
}

/** Lets one run go on that is held (`held: true`), by the name that its call gave itself. */
export async function release(url: string, name: string, way?: Way): Promise<void> {
  await callModern(url, "Jobs_Release", { name }, way);
}

/** Calls a tool over OXP. */
export function callOxp(url: string, tool_id: string, input: object, more: object = {}, headers = {}) {
  return postJson(`${url}/tools/call`, { request: { tool_id, input, ...more } }, headers);
}

/** Calls a tool over OpenTool. */
export function callOpenTool(url: string, method: string, params: object, headers = {}) {
  return postJson(`${url}/opentool/call`, { jsonrpc: "2.0", id: "1", method, params }, headers);
}

let named = 0;
/** A name that no other call has. */
export const newName = () => `call-${++named}-${Math.random().toString(36).slice(2)}`;
