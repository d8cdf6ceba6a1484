/** Starts and follows a task in each protocol, as a client does, and brings its states into a common form. */
import { randomUUID } from "node:crypto";

export type Over = "mcp" | "oxp" | "opentool";

export interface TaskRequest {
  readonly over: Over;
  /** Name of the tool in the toolkit Long. */
  readonly tool: string;
  readonly key: string;
  readonly input: object;
  /** Address of an anonymous caller: each is a principal of its own. */
  readonly address: string;
}

export type State =
  | { readonly is: "running" }
  | { readonly is: "asking"; readonly questions: readonly string[] }
  | { readonly is: "completed"; readonly value: string }
  | { readonly is: "failed"; readonly message: string; readonly mayRetry: boolean }
  /** The server could not tell: the caller asks again. */
  | { readonly is: "unavailable"; readonly why: string };

/** A state, and over MCP the task's id. */
export interface Reply {
  readonly state: State;
  readonly id?: string | undefined;
  /** What a client without tasks sends back with its answers. */
  readonly requestState?: string | undefined;
}

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "faults", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {
    elicitation: { form: {} },
    extensions: { "io.modelcontextprotocol/tasks": {} },
  },
};

/** Calls the tool. Repeated with the same key, it joins the task. Rejects if there is no server. */
export async function call(url: string, request: TaskRequest, more: object = {}): Promise<Reply> {
  const { over, tool, key, input, address } = request;
  switch (over) {
    case "mcp": {
      const params = { name: `Long_${tool}`, arguments: { ...input, idempotency_key: key }, ...more };
      return mcp(url, "tools/call", params, address, params.name);
    }
    case "oxp": {
      const body = { request: { tool_id: `Long.${tool}`, call_id: key, input } };
      const { error, value, success } = (await post(url, "tools/call", body, address)).result;
      if (success) return { state: { is: "completed", value } };
      return { state: refusal(error.message, error.can_retry) };
    }
    case "opentool": {
      const body = { jsonrpc: "2.0", id: 1, method: `Long_${tool}`, params: input };
      const { error, result } = await post(url, "opentool/call", body, address, { "idempotency-key": key });
      if (!error) return { state: { is: "completed", value: result.value } };
      return { state: refusal(error.message, error.data?.can_retry) };
    }
  }
}

/** Reads a task that was announced over MCP. */
export function read(url: string, id: string, address: string): Promise<Reply> {
  return mcp(url, "tasks/get", { taskId: id }, address, id);
}

/** Answers the question `colour` of a task. */
export async function answer(url: string, id: string, colour: string, address: string): Promise<Reply> {
  const { error } = await send(url, "tasks/update", { taskId: id, inputResponses: coloured(colour) }, address, id);
  return { state: error ? { is: "unavailable", why: error.message } : { is: "running" } };
}

/** Calls the tool again with an answer to the question `colour`, as a client without tasks does. */
export function callWithAnswer(url: string, request: TaskRequest, colour: string, requestState: string) {
  return call(url, request, { inputResponses: coloured(colour), requestState });
}

const coloured = (colour: string) => ({ colour: { action: "accept", content: { colour } } });

function refusal(message: string, canRetry: boolean | undefined): State {
  if (!canRetry) return { is: "failed", message, mayRetry: false };
  return /still running/.test(message) ? { is: "running" } : { is: "unavailable", why: message };
}

async function mcp(url: string, method: string, params: object, address: string, name: string): Promise<Reply> {
  const { result, error } = await send(url, method, params, address, name);
  if (error) return { state: { is: "unavailable", why: error.message } };
  const { taskId: id, requestState } = result;
  if (id === undefined && result.resultType !== "input_required") return { state: ended(result) };
  switch (result.status ?? result.resultType) {
    case "input_required": {
      // The reply to a call has the task's status, but not its questions.
      const questions = Object.keys(result.inputRequests ?? {});
      return { id, requestState, state: questions.length > 0 ? { is: "asking", questions } : { is: "running" } };
    }
    case "completed":
      return { id, state: ended(result.result) };
    case "failed":
      return { id, state: { is: "failed", message: result.error.message, mayRetry: false } };
    default:
      return { id, state: { is: "running" } };
  }
}

function send(url: string, method: string, params: object, address: string, name: string) {
  const body = { jsonrpc: "2.0", id: randomUUID(), method, params: { ...params, _meta: META } };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, "mcp-name": name };
  return post(url, "mcp", body, address, headers);
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
function ended(result: any): State {
  if (result._meta?.task_id !== undefined) return { is: "running" };
  if (result.isError !== true) {
    return { is: "completed", value: result.structuredContent?.value ?? result.content[0].text };
  }
  const canRetry = /"can_retry":true/.test(JSON.stringify(result._meta ?? {}));
  const { text } = result.content[0];
  return canRetry ? refusal(text, true) : { is: "failed", message: text, mayRetry: false };
}

// biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
async function post(url: string, path: string, body: object, address: string, headers = {}): Promise<any> {
  const response = await fetch(new URL(path, url), {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "cf-connecting-ip": address,
      ...headers,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${response.status} ${text.slice(0, 200)}`);
  }
}
