/**
 * A server that plays the APIs of models. To the first request of a conversation it answers with the calls that the test
 * wants; to the second with "The answer is 42.", if it has a result for each call, and with 400 if not.
 */
import { createServer } from "node:http";
import { json } from "node:stream/consumers";

/** A call of a model. */
export interface Wanted {
  readonly name: string;
  readonly input: unknown;
}

/** A tool that a model may call. */
export interface Offered {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly parameters: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: what an SDK sends is read as JSON, and a request of another form is a 400
type Body = Readonly<Record<string, any>>;

interface Played {
  readonly path: RegExp;
  offered(request: Body): Offered[];
  calls(wanted: readonly Wanted[]): object;
  /** What a tool returned, as the API got it, by the id of its call; undefined if the request has none. */
  results(request: Body): Map<string, unknown> | undefined;
  text(text: string): object;
}

const ANSWER = "The answer is 42.";
const idOf = (index: number) => `call-${index}`;

const response = (output: object[]) => ({
  ...{ id: "resp_1", object: "response", created_at: 1, model: "gpt-5.5", status: "completed", error: null, output },
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});

const message = (stop_reason: string, content: object[]) => ({
  ...{ id: "msg_1", type: "message", role: "assistant", model: "claude", stop_reason, stop_sequence: null, content },
  usage: { input_tokens: 1, output_tokens: 1 },
});

const candidate = (parts: object[]) => ({
  candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts } }],
});

const APIS: readonly Played[] = [
  // OpenAI's Responses
  {
    path: /^\/v1\/responses$/,
    offered: ({ tools }) => tools.map(({ name, description, parameters }: Body) => ({ name, description, parameters })),
    calls: (wanted) =>
      response(
        wanted.map(({ name, input }, at) => ({
          ...{ type: "function_call", id: `fc_${at}`, call_id: idOf(at), status: "completed" },
          ...{ name, arguments: JSON.stringify(input) },
        })),
      ),
    results({ input }) {
      const outputs = [input].flat().filter(({ type }: Body) => type === "function_call_output");
      if (outputs.length === 0) return undefined;
      return new Map(outputs.map(({ call_id, output }: Body) => [call_id, output]));
    },
    text: (text) =>
      response([
        {
          ...{ type: "message", id: "m", role: "assistant", status: "completed" },
          content: [{ type: "output_text", text, annotations: [] }],
        },
      ]),
  },
  // Anthropic's Messages
  {
    path: /^\/v1\/messages$/,
    offered: ({ tools }) =>
      tools.map(({ name, description, input_schema }: Body) => ({ name, description, parameters: input_schema })),
    calls: (wanted) =>
      message(
        "tool_use",
        wanted.map(({ name, input }, at) => ({ type: "tool_use", id: idOf(at), name, input })),
      ),
    // The API keeps the conversation (beta message-threads): the second request has neither tools nor the question.
    results({ messages }) {
      const results = [messages.at(-1).content].flat().filter(({ type }: Body) => type === "tool_result");
      if (results.length === 0) return undefined;
      return new Map(results.map(({ tool_use_id, content, is_error }: Body) => [tool_use_id, { content, is_error }]));
    },
    text: (text) => message("end_turn", [{ type: "text", text }]),
  },
  // Gemini
  {
    path: /^\/v1(beta)?\/models\/[\w.-]+:generateContent$/,
    offered: ({ tools: [{ functionDeclarations }] }) =>
      functionDeclarations.map(({ name, description, parametersJsonSchema }: Body) => ({
        ...{ name, description, parameters: parametersJsonSchema },
      })),
    // Without ids, as the Gemini API sends them.
    calls: (wanted) => candidate(wanted.map(({ name, input }) => ({ functionCall: { name, args: input } }))),
    results({ contents: [, asked, answered] }) {
      if (asked === undefined) return undefined;
      return new Map(
        answered.parts.map(({ functionResponse }: Body, at: number) => [idOf(at), functionResponse.response]),
      );
    },
    text: (text) => candidate([{ text }]),
  },
];

export interface ModelApis {
  readonly url: string;
  /** What the model calls next. */
  want(calls: readonly Wanted[]): void;
  /** What the model could call, as the first request since then said. */
  offered(): readonly Offered[];
  /** What came of its calls, in their order, in the form of the API. */
  results(): readonly unknown[];
  /** Everything that was sent since then, with its headers. */
  sent(): string;
  stop(): void;
}

export function playModels(): Promise<ModelApis> {
  let wanted: readonly Wanted[] = [];
  let offered: readonly Offered[] = [];
  let results: readonly unknown[] = [];
  let sent = "";

  function answered(path: string, request: Body): object {
    const api = APIS.find((one) => one.path.test(path));
    if (api === undefined) throw new Error(`no such path: ${path}`);
    const got = api.results(request);
    if (got === undefined) {
      offered = api.offered(request);
      return api.calls(wanted);
    }
    const ids = wanted.map((_, at) => idOf(at));
    if (ids.join() !== [...got.keys()].join()) throw new Error(`results of ${[...got.keys()]} for calls ${ids}`);
    results = ids.map((id) => got.get(id));
    return api.text(ANSWER);
  }

  const server = createServer(async (request, reply) => {
    let status = 200;
    let body: object;
    try {
      const read = (await json(request)) as Body;
      sent += JSON.stringify([request.url, request.headers, read]);
      body = answered(new URL(request.url ?? "/", "http://localhost").pathname, read);
    } catch (error) {
      status = 400;
      body = { type: "error", error: { type: "invalid_request_error", code: "400", message: String(error) } };
    }
    reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  return new Promise((listening) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      listening({
        url: `http://127.0.0.1:${port}`,
        want(calls) {
          wanted = calls;
          offered = [];
          results = [];
          sent = "";
        },
        offered: () => offered,
        results: () => results,
        sent: () => sent,
        stop: () => server.close(),
      });
    });
  });
}
