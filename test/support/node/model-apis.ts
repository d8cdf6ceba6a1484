/**
 * A server that plays the APIs of models. To the first request of a conversation it answers with the calls that the test
 * wants; to the second with "The answer is 42.", if it has a result for each call, and as those APIs do if not: 400.
 */
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { refusals } from "../../client/functions/refusals.ts";

/** A call of a model. Where arguments are sent as text, `input` may be text that is no JSON. */
export interface Wanted {
  readonly name: string;
  readonly input: unknown;
}

/** A result of a call, as an API got it. */
export interface Result {
  readonly error: boolean;
  readonly value: unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: what an SDK sends is read as JSON, and a request of another form is a 400
type Body = Readonly<Record<string, any>>;

interface Played {
  readonly path: RegExp;
  /** What it refuses in the tools of a request. */
  refused(request: Body): string[];
  calls(wanted: readonly Wanted[]): object;
  /** By the id of its call; undefined if the request has none. */
  results(request: Body): Map<string, Result> | undefined;
  text(text: string): object;
}

const ANSWER = "The answer is 42.";
const idOf = (index: number) => `call-${index}`;
const asText = (input: unknown) => (typeof input === "string" ? input : JSON.stringify(input));
const marked = (text: string): Result => ({ error: text.startsWith("Error: "), value: text });

const response = (output: object[]) => ({
  ...{ id: "resp_1", object: "response", created_at: 1, model: "gpt-5.5", status: "completed", error: null, output },
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});

const completion = (message: object, finish_reason: string) => ({
  ...{ id: "c", object: "chat.completion", created: 1, model: "gpt-5.5" },
  choices: [{ index: 0, finish_reason, logprobs: null, message: { role: "assistant", refusal: null, ...message } }],
});

const message = (stop_reason: string, content: object[]) => ({
  ...{ id: "msg_1", type: "message", role: "assistant", model: "claude", stop_reason, stop_sequence: null, content },
  usage: { input_tokens: 1, output_tokens: 1 },
});

const candidate = (parts: object[]) => ({
  candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts } }],
});

const APIS: Readonly<Record<string, Played>> = {
  responses: {
    path: /^\/v1\/responses$/,
    refused: ({ tools }) => [
      ...refusals("OpenAI", tools),
      ...tools.flatMap(({ type, strict }: Body) => (type === "function" && strict === false ? [] : ["not as is"])),
    ],
    calls: (wanted) =>
      response(
        wanted.map(({ name, input }, at) => ({
          ...{ type: "function_call", id: `fc_${at}`, call_id: idOf(at), status: "completed" },
          ...{ name, arguments: asText(input) },
        })),
      ),
    results({ input }) {
      const outputs = [input].flat().filter(({ type }: Body) => type === "function_call_output");
      if (outputs.length === 0) return undefined;
      return new Map(outputs.map(({ call_id, output }: Body) => [call_id, marked(output)]));
    },
    text: (text) =>
      response([
        {
          type: "message",
          id: "m",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text, annotations: [] }],
        },
      ]),
  },
  chat: {
    path: /^\/v1\/chat\/completions$/,
    refused: ({ tools }) =>
      refusals(
        "OpenAI",
        tools.map((tool: Body) => tool.function),
      ),
    calls: (wanted) =>
      completion(
        {
          content: null,
          tool_calls: wanted.map(({ name, input }, at) => ({
            ...{ id: idOf(at), type: "function", function: { name, arguments: asText(input) } },
          })),
        },
        "tool_calls",
      ),
    results({ messages }) {
      const [asked, ...others] = messages.slice(messages.findIndex(({ tool_calls }: Body) => tool_calls));
      if (!asked.tool_calls) return undefined;
      if (others.some(({ role }: Body) => role !== "tool")) throw new Error("tool messages must follow tool_calls");
      return new Map(others.map(({ tool_call_id, content }: Body) => [tool_call_id, marked(content)]));
    },
    text: (content) => completion({ content }, "stop"),
  },
  messages: {
    path: /^\/v1\/messages$/,
    refused: ({ tools }) =>
      refusals(
        "Anthropic",
        tools.map(({ input_schema, ...tool }: Body) => ({ ...tool, parameters: input_schema })),
      ),
    calls: (wanted) =>
      message("tool_use", [
        { type: "text", text: "Let me see." },
        ...wanted.map(({ name, input }, at) => ({
          type: "tool_use",
          id: idOf(at),
          name,
          input,
          caller: { type: "direct" },
        })),
      ]),
    results({ messages }) {
      const [, asked, answered, ...more] = messages;
      if (asked === undefined) return undefined;
      if (asked.role !== "assistant" || answered?.role !== "user" || more.length > 0) throw new Error("roles");
      if (answered.content.some(({ type }: Body) => type !== "tool_result")) throw new Error("results come first");
      return new Map(
        answered.content.map(({ tool_use_id, content, is_error = false }: Body) => [
          tool_use_id,
          { error: is_error, value: content },
        ]),
      );
    },
    text: (text) => message("end_turn", [{ type: "text", text }]),
  },
  gemini: {
    path: /^\/v1(beta)?\/models\/[\w.-]+:generateContent$/,
    refused({ tools: [{ functionDeclarations }] }) {
      return refusals(
        "Gemini",
        functionDeclarations.map(({ parametersJsonSchema, ...tool }: Body) => ({
          ...tool,
          parameters: parametersJsonSchema,
        })),
      );
    },
    // Without ids, as the Gemini API sends them.
    calls: (wanted) =>
      candidate(wanted.map(({ name, input }) => ({ functionCall: { name, args: input }, thoughtSignature: "c2ln" }))),
    results({ contents: [, asked, answered] }) {
      if (asked === undefined) return undefined;
      if (asked.parts.some(({ thoughtSignature }: Body) => !thoughtSignature))
        throw new Error("missing thought_signature");
      return new Map(
        answered.parts.map(({ functionResponse: { name, response } }: Body, at: number) => {
          if (name !== asked.parts[at]?.functionCall.name) throw new Error(`a response of ${name} in place ${at}`);
          return [idOf(at), { error: "error" in response, value: response.error ?? response.output }];
        }),
      );
    },
    text: (text) => candidate([{ text }]),
  },
};

export interface ModelApis {
  readonly url: string;
  /** What the model calls next, and an empty list of results. */
  want(calls: readonly Wanted[]): void;
  /** The results that it got, in the order of the calls. */
  results(): readonly (Result | undefined)[];
  stop(): void;
}

export function playModels(): Promise<ModelApis> {
  let wanted: readonly Wanted[] = [];
  let results: readonly (Result | undefined)[] = [];

  function answered(path: string, request: Body): object {
    const api = Object.values(APIS).find((one) => one.path.test(path));
    if (api === undefined) throw new Error(`no such path: ${path}`);
    const refused = api.refused(request);
    if (refused.length > 0) throw new Error(refused.join("; "));
    const got = api.results(request);
    if (got === undefined) return api.calls(wanted);
    const ids = wanted.map((_, at) => idOf(at));
    if (ids.join() !== [...got.keys()].join()) throw new Error(`results of ${[...got.keys()]} for calls ${ids}`);
    results = ids.map((id) => got.get(id));
    return api.text(ANSWER);
  }

  const server = createServer(async (request, reply) => {
    let status = 200;
    let body: object;
    try {
      body = answered(new URL(request.url ?? "/", "http://localhost").pathname, (await json(request)) as Body);
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
          results = [];
        },
        results: () => results,
        stop: () => server.close(),
      });
    });
  });
}
