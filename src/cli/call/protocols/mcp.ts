/** Calls tools over MCP with the official client, which speaks 2026-07-28 and earlier revisions. */
import {
  type CallToolResult,
  Client,
  LOG_LEVEL_META_KEY,
  type Tool as McpTool,
  type Progress,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { Call, Connection, Done, Person, Server, Tool } from "./connection.ts";
import { NO_LIMIT_MS, NotDone } from "./connection.ts";
import { asSchema, causesOf, codeOf, forDeveloper, orAborted, pause, reasonIn, shownAs, unreachableBy } from "./lib.ts";
import { blocksOf, isOnlyShown, readResource, readResult } from "./mcp-content.ts";
import { answer, logLine, progressLine } from "./mcp-person.ts";
import { callWithTasks, hasTasks } from "./mcp-tasks.ts";
import { INFO, transportTo } from "./mcp-transport.ts";

/** 2026-07-28, basic/index, Error Codes: the client lacks a capability, such as that its user can be asked. */
const MISSING_CAPABILITY = -32_021;
/** What a server before 2026-07-28 sends for a call that timed out. */
const TIMED_OUT = -32_003;
const INVALID_PARAMS = -32_602;
/** Most linked resources of a result that are read, one after the other: the server decides how many there are. */
const MAX_LINKS = 100;
/** How long a server may take to list its tools, and for the handshake. */
const LISTING_MS = 30_000;

/** @param person asked by the tools of this connection */
export async function connectMcp(server: Server, person: Person): Promise<Connection> {
  const client = new Client(INFO, {
    versionNegotiation: { mode: "auto" },
    capabilities: person.ask ? { elicitation: { form: {}, url: {} } } : {},
  });
  if (person.ask) client.setRequestHandler("elicitation/create", ({ params }) => answer(person, params) as never);
  client.setNotificationHandler("notifications/message", ({ params }) => person.say(logLine(params)));
  const explain = (error: unknown): never => {
    throw translate(error, server.base);
  };
  const transport = transportTo(server);
  // The client ignores the signal in its first request, with which it finds out which revision the server speaks.
  const connecting = client.connect(transport, { timeout: LISTING_MS });
  await orAborted(connecting, server.signal, () => transport.close()).catch(explain);
  if (client.getProtocolEra() === "legacy" && client.getServerCapabilities()?.logging) {
    await client.setLoggingLevel("info").catch(explain);
  }
  return {
    takesAttachments: true,
    async tools() {
      const { tools } = await client.listTools({}, { timeout: LISTING_MS, signal: server.signal }).catch(explain);
      return tools.map(describe);
    },
    call: (call) => run(client, server, call, person).catch(explain),
    close: () => client.close(),
  };
}

/** MCP has only names. Trivet's, `Toolkit_Tool`, are shown as in the other protocols. */
function describe({ name, description = "", inputSchema }: McpTool): Tool {
  return { id: shownAs(name), name, description, input: inputSchema };
}

async function run(client: Client, server: Server, call: Call, person: Person): Promise<Done> {
  const attached = call.attachments.length > 0 && { attachments: call.attachments.map((file_id) => ({ file_id })) };
  const request = { ...call, input: { ...call.input, ...attached } };
  const result = hasTasks(client)
    ? await callWithTasks(client, server, request, person)
    : await callUntilDone(client, server, request, person);
  if (result.isError) {
    const text = blocksOf("text", result)
      .map(({ text }) => text)
      .join("\n");
    const [message = "The tool failed, and does not say why", ...more] = text.split("\n");
    throw new NotDone(reasonIn(message) ?? "failed", message, [...forDeveloper(result._meta), ...more], result);
  }
  const { files, ...done } = readResult(result);
  const linked: Awaited<ReturnType<typeof readResource>>[] = [];
  let read = 0;
  let unread = 0;
  for (const link of blocksOf("resource_link", result)) {
    if (!isOnlyShown(link.uri) && ++read > MAX_LINKS) unread++;
    else linked.push(await readResource(client, link, server.signal));
  }
  return {
    ...done,
    files: [...files, ...linked.flatMap(({ files }) => files)],
    notes: [
      ...done.notes,
      ...linked.flatMap(({ notes }) => notes),
      ...(unread > 0 ? [`linked resources that were not read: ${unread}`] : []),
    ],
    response: result,
  };
}

/**
 * Calls a tool until it is done. A tool that is still working answers with a `task_id`, with which clients without
 * tasks call it again (docs/tasks.md).
 */
async function callUntilDone(client: Client, { signal }: Server, { tool, input }: Call, person: Person) {
  const params = { name: tool.name, arguments: input, _meta: { [LOG_LEVEL_META_KEY]: "info" } };
  const options = {
    signal,
    timeout: NO_LIMIT_MS,
    onprogress: (progress: Progress) => person.progress(progressLine(progress)),
  };
  // Another server's result may have a task_id of its own: calling its tool again would do the work twice.
  const takesTask = Object.hasOwn(asSchema(tool.input.properties), "task_id");
  let result: CallToolResult = await client.callTool(params, options);
  for (;;) {
    const { task_id, retry_after_ms } = (result._meta ?? {}) as Readonly<Record<string, unknown>>;
    const isWorking = takesTask && typeof task_id === "string" && typeof retry_after_ms === "number";
    if (result.isError || !isWorking) return result;
    person.progress("still working");
    await pause(Math.max(retry_after_ms, 100), signal);
    result = await client.callTool({ ...params, arguments: { ...input, task_id } }, options);
  }
}

/** What the official client throws, as a {@link NotDone}. */
function translate(error: unknown, base: string): unknown {
  if (error instanceof NotDone) return error;
  // The client wraps the reason of an aborted signal, and ext-tasks wraps what the client throws.
  const all = causesOf(error);
  const own = all.find((cause) => cause instanceof NotDone);
  if (own) return own;
  for (const cause of all) {
    if (cause instanceof UnauthorizedError) return new NotDone("unauthorized", cause.message);
    if (cause instanceof SdkHttpError) return ofStatus(cause, base);
    if (cause instanceof ProtocolError || cause.name === "JsonRpcResponseError")
      return ofProtocol(cause as ProtocolError);
    if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout) {
      return new NotDone("timed out", `No answer from ${base}/mcp in time.`);
    }
    if (codeOf(cause) !== undefined) return unreachableBy(cause, base);
  }
  if (all.some((cause) => cause instanceof SdkError)) return new NotDone("unreachable", all[0]?.message ?? "");
  return error;
}

function ofStatus(error: SdkHttpError, base: string): NotDone {
  const { status } = error;
  if (status === 401) return new NotDone("unauthorized", `${base}/mcp answers with the status 401.`);
  if (status === 403 || status === 429) return new NotDone("refused", `${base}/mcp refuses the request (${status}).`);
  return new NotDone("unreachable", `There is no MCP server at ${base}/mcp: it answers with the status ${status}.`);
}

function ofProtocol({ code, message, data }: Pick<ProtocolError, "code" | "message" | "data">): NotDone {
  if (code === MISSING_CAPABILITY) return new NotDone("needs an answer", message);
  if (code === TIMED_OUT) return new NotDone("timed out", message);
  const { parameter_errors } = (data ?? {}) as { parameter_errors?: Readonly<Record<string, string>> };
  if (parameter_errors) {
    const lines = Object.entries(parameter_errors).map(([name, what]) => `${name}: ${what}`);
    return new NotDone("invalid", message, lines);
  }
  return new NotDone(code === INVALID_PARAMS ? "refused" : "failed", message);
}
