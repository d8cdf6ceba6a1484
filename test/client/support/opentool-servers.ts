/**
 * OpenTool servers that are not ours: one written from OpenTool 1.0 alone, and two that answer as the published SDKs do.
 * Each has the functions `add` and `fail`. They are mounted on one HTTP server under /minimal, /dart and /typescript.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { json as read } from "node:stream/consumers";

export type Handler = (path: string, request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

interface Rpc {
  readonly jsonrpc: unknown;
  readonly method: string;
  readonly params: { readonly a: number; readonly b: number };
  readonly id: unknown;
}

const KEY = "Bearer the-key";
const number = { type: "number" };
const parameter = (name: string) => ({ name, description: `The number ${name}.`, schema: number, required: true });
export const DOCUMENT = {
  opentool: "1.1.0",
  info: { title: "Sums", version: "1.2.3" },
  functions: [
    {
      name: "add",
      description: "Adds two numbers.",
      parameters: [parameter("a"), parameter("b")],
      return: { name: "sum", description: "The sum.", schema: number },
    },
    { name: "fail", description: "Fails.", parameters: [] },
  ],
};

function run({ method, params }: Rpc): object {
  if (method === "add") return { sum: params.a + params.b };
  throw new Error("It has failed");
}

const send = (response: ServerResponse, status: number, body: unknown, type = "application/json") =>
  void response.writeHead(status, { "content-type": type }).end(typeof body === "string" ? body : JSON.stringify(body));

/** OpenTool 1.0, sections 1 to 3, to the letter: it accepts nothing that the document does not describe. */
export const minimal: Handler = async (path, request, response) => {
  if (request.headers.authorization !== KEY) return send(response, 401, "");
  if (request.method === "GET" && path === "/opentool/version") return send(response, 200, { version: "1.2.3" });
  if (request.method === "GET" && path === "/opentool/load") return send(response, 200, DOCUMENT);
  if (request.method !== "POST" || path !== "/opentool/call") return send(response, 404, "");
  const call = (await read(request)) as Rpc;
  const { id } = call;
  const isRequest =
    request.headers["content-type"] === "application/json" &&
    Object.keys(call).sort().join() === "id,jsonrpc,method,params" &&
    call.jsonrpc === "2.0" &&
    typeof id === "string" &&
    typeof call.params === "object";
  try {
    if (!isRequest) throw new Error("This is not a request as the document has it");
    send(response, 200, { jsonrpc: "2.0", result: run(call), error: null, id });
  } catch (error) {
    send(response, 200, { jsonrpc: "2.0", result: {}, error: { code: 500, message: (error as Error).message }, id });
  }
};

/** Without `error` in a success, with `/streamCall`, and without a description. */
export const dart: Handler = async (path, request, response) => {
  if (request.headers.authorization !== KEY) return send(response, 401, "Invalid authorization token", "text/plain");
  if (path === "/opentool/version") return send(response, 200, { version: "1.2.3" });
  if (path === "/opentool/load") return send(response, 200, { code: 404, message: "Json Parser NOT implement" });
  const call = (await read(request)) as Rpc;
  const answer = (id: unknown) => {
    try {
      return { jsonrpc: "2.0", result: run(call), id };
    } catch (error) {
      return { jsonrpc: "2.0", result: {}, error: { code: 500, message: `${error}` }, id };
    }
  };
  if (path === "/opentool/call") return send(response, 200, answer(call.id));
  const event = (name: string, data: unknown) => response.write(`event:${name}\ndata:${JSON.stringify(data)}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  event("start", { start: call.method });
  const body = answer(call.id);
  event("error" in body ? "error" : "data", body);
  if (!("error" in body)) event("done", { done: call.method });
  response.end();
};

/** With `"jsonrpc": "2.0.0"`, without `/streamCall`, and with the pages of a web framework. */
export const typescript: Handler = async (path, request, response) => {
  if (request.headers.authorization !== KEY) return send(response, 401, { error: "Invalid API key" });
  if (path === "/opentool/version") return send(response, 200, { version: "1.2.3" });
  if (path === "/opentool/load") return send(response, 200, DOCUMENT);
  if (path !== "/opentool/call") return send(response, 404, `<pre>Cannot POST ${path}</pre>`, "text/html");
  const call = (await read(request)) as Rpc;
  try {
    send(response, 200, { jsonrpc: "2.0.0", result: run(call), id: call.id });
  } catch (error) {
    const body = { jsonrpc: "2.0.0", result: {}, id: call.id, error: { code: 500, message: `${error}` } };
    send(response, 200, body);
  }
};
