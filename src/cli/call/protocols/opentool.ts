/** Calls tools over OpenTool. */
import { randomUUID } from "node:crypto";
import { againAfterMs, STILL_RUNNING } from "../../../client/opentool/response.ts";
import {
  ErrorNullException,
  FunctionCall,
  type FunctionModel,
  type OpenTool,
  OpenToolClient,
  OpenToolException,
  OpenToolServerCallException,
  OpenToolServerNoAccessException,
  OpenToolServerUnauthorizedException,
  resolveSchema,
  type Schema,
} from "../../../client/opentool.ts";
import { type Call, type Connection, NotDone, type Reason, type Server, type Tool } from "./connection.ts";
import { forDeveloper, pause, reasonIn, shownAs, unreachableBy } from "./lib.ts";

/** Limit for one request: a long tool answers each of them within a minute (docs/tasks.md). */
const REQUEST_MS = 120_000;
/** By the code of the error. Codes mean what HTTP statuses mean, except JSON-RPC's -32601: no such function. */
const REASONS: Readonly<Record<number, Reason>> = {
  ...{ [STILL_RUNNING]: "timed out", 408: "timed out", 422: "invalid" },
  ...Object.fromEntries([400, 403, 404, 409, 429, -32_601].map((code) => [code, "refused"])),
};

export function connectOpenTool({ base, key, fetch, signal }: Server): Connection {
  const client = new OpenToolClient({ url: base, apiKey: key, timeoutMs: REQUEST_MS, fetch });
  /** Names of the functions whose result is an object: any other result is sent as the member `value` of one. */
  const returnObjects = new Set<string>();
  const explain = (error: unknown): never => {
    throw error instanceof OpenToolException ? translate(error, base) : error;
  };
  return {
    takesAttachments: false,
    async tools() {
      const document = await client.load({ signal }).catch(explain);
      if (document === null) throw new NotDone("unreachable", `The server at ${base} does not list its functions.`);
      for (const { name, return: returned } of document.functions) {
        if (returned?.schema.type === "object") returnObjects.add(name);
      }
      return document.functions.map((one) => describe(one, document));
    },
    async call({ tool: { name }, input }: Call, person) {
      const call = new FunctionCall("1", name, input);
      // A call that is repeated with its key continues, and does not run again.
      const options = { signal, idempotencyKey: randomUUID(), totalMs: 0 };
      for (;;) {
        try {
          const { result } = await client.call(call, options);
          return { value: unwrap(result, returnObjects.has(name)), files: [], notes: [], response: undefined };
        } catch (error) {
          const waitMs = againAfterMs(error);
          if (waitMs === undefined) return explain(error);
          person.progress("still running");
          await pause(waitMs, signal);
        }
      }
    },
  };
}

function describe({ name, description, parameters }: FunctionModel, document: OpenTool): Tool {
  const resolved = (schema: Schema) => {
    try {
      return resolveSchema(document, schema);
    } catch {
      return {};
    }
  };
  const properties = Object.fromEntries(
    parameters.map(({ name, description: about, schema }) => [
      name,
      { ...resolved(schema), ...(about && { description: about }) },
    ]),
  );
  const required = parameters.filter(({ required }) => required).map(({ name }) => name);
  return { id: shownAs(name), name, description, input: { type: "object", properties, required } };
}

function unwrap(result: Readonly<Record<string, unknown>>, isObject: boolean): unknown {
  const names = Object.keys(result);
  if (isObject || names.length > 1 || (names.length === 1 && names[0] !== "value")) return result;
  return result.value;
}

function translate(error: OpenToolException, base: string): NotDone {
  if (error instanceof OpenToolServerUnauthorizedException) {
    return new NotDone("unauthorized", `${base} refuses the call (401).`);
  }
  if (error instanceof OpenToolServerNoAccessException) {
    if (error.reason === "timeout") return new NotDone("timed out", `No answer from ${base} in time.`);
    const { status } = error;
    if (status === 403 || status === 429) return new NotDone("refused", `${base} refuses the request (${status}).`);
    return unreachableBy(error, base);
  }
  if (error instanceof ErrorNullException)
    return new NotDone("failed", "The server says that the call failed, and not why.");
  if (!(error instanceof OpenToolServerCallException)) return new NotDone("unreachable", error.message);
  const [message = "", ...more] = error.message.split("\n");
  const reason = reasonIn(message) ?? REASONS[error.code ?? 0] ?? "failed";
  return new NotDone(reason, message, [...forDeveloper(error.data), ...more]);
}
