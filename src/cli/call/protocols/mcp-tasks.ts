/**
 * Calls tools of a server that has tasks (the extension io.modelcontextprotocol/tasks) with the official client of
 * tasks: the call may be answered with a task, which is followed until it ends.
 */
import {
  type CallToolResult,
  type Client,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCResultResponse,
  LOG_LEVEL_META_KEY,
  type Progress,
} from "@modelcontextprotocol/client";
import {
  createApplicationInputHandler,
  createTaskSessionFromClient,
  type RawClientDispatch,
  resultFromTaskOutcome,
} from "@modelcontextprotocol/ext-tasks/client";
import { type Call, NO_LIMIT_MS, NotDone, type Person, type Server } from "./connection.ts";
import { orAborted } from "./lib.ts";
import { answer, logLine, progressLine } from "./mcp-person.ts";
import { INFO, transportTo } from "./mcp-transport.ts";

const VERSION = "2026-07-28";
const TASKS = "io.modelcontextprotocol/tasks";
/** How long Ctrl+C waits for the server to cancel the task. */
const CANCEL_MS = 5_000;

/** Whether calls may be answered with tasks. The tasks of 2025-11-25 are another extension, which is not used. */
export function hasTasks(client: Client): boolean {
  return client.getProtocolEra() === "modern" && client.getServerCapabilities()?.extensions?.[TASKS] !== undefined;
}

/** Calls a tool, and waits for its task if it becomes one. If the signal is aborted, the task is cancelled. */
export async function callWithTasks(
  client: Client,
  server: Server,
  { tool, input }: Call,
  person: Person,
): Promise<CallToolResult> {
  const { signal } = server;
  const session = createTaskSessionFromClient(client, {
    endpointId: server.base,
    rawDispatch: rawDispatch(server, person),
    v2RequestFraming: {
      protocolVersion: VERSION,
      clientInfo: INFO,
      clientCapabilities: person.ask ? { elicitation: { form: {}, url: {} } } : {},
    },
    onInputRequest: createApplicationInputHandler({
      elicitation: ({ params }) => answer(person, params),
      sampling: notOffered,
      roots: notOffered,
    }),
    // The call itself reports its errors.
    onError: () => {},
  });
  try {
    const execution = await untilAnswered(signal, (creating) =>
      session.callTool(tool.name, input as never, {
        signal: creating,
        metadata: { progressToken: 1, [LOG_LEVEL_META_KEY]: "info" },
        requestTimeoutMs: NO_LIMIT_MS,
      }),
    );
    const settled = execution.settle({
      onEvent(event) {
        if (event.type === "task" && event.task.statusMessage) person.progress(event.task.statusMessage);
      },
    });
    const { outcome } = await orAborted(settled, signal, () => execution.cancel(AbortSignal.timeout(CANCEL_MS)));
    if (outcome.status === "cancelled") throw new NotDone("cancelled", "The task was cancelled.");
    return resultFromTaskOutcome(outcome) as CallToolResult;
  } finally {
    await session.close();
  }
}

/**
 * Passes the signal on only until the call is answered. If it is answered with a task, an abort must cancel the task:
 * with the signal alone, the client would stop following a task that goes on at the server.
 */
async function untilAnswered<Answer>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Answer>) {
  const creating = new AbortController();
  const abort = () => creating.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  return work(creating.signal).finally(() => signal.removeEventListener("abort", abort));
}

const notOffered = (): never => {
  throw new Error("not offered");
};

/** Sends each request over a transport of its own: the official client refuses answers that are tasks. */
function rawDispatch(server: Server, person: Person): RawClientDispatch {
  let last = 0;
  return async (request, { signal } = {}) => {
    const transport = transportTo(server);
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<RawClientDispatch>>>();
    transport.onmessage = (message) => {
      if (isJSONRPCNotification(message)) tell(person, message.method, message.params);
      if (isJSONRPCErrorResponse(message)) resolve({ kind: "error", error: message.error as never });
      if (isJSONRPCResultResponse(message)) resolve({ kind: "result", result: message.result as never });
    };
    await transport.start();
    const onRequestStreamEnd = () => reject(new NotDone("unreachable", `${server.base}/mcp broke off its answer.`));
    const message = { jsonrpc: "2.0" as const, id: ++last, ...(request as { method: string }) };
    transport.send(message, { ...(signal && { requestSignal: signal }), onRequestStreamEnd }).catch(reject);
    const answered = signal ? orAborted(promise, signal, async () => {}) : promise;
    return answered.finally(() => transport.close());
  };
}

function tell(person: Person, method: string, params: unknown): void {
  if (method === "notifications/progress") person.progress(progressLine(params as Progress));
  if (method === "notifications/message") person.say(logLine(params as { level: string }));
}
