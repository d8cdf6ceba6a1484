/** Calls tools over OXP. */
import { isOxpError, needsOf, OxpClient, type OxpFailure, type ToolDefinition } from "../../../client/oxp.ts";
import { type Call, type Connection, NO_LIMIT_MS, NotDone, type Server, type Tool } from "./connection.ts";
import { reasonIn, unreachableBy } from "./lib.ts";

/** Limit for one request: a long tool answers each of them within a minute (docs/tasks.md). */
const REQUEST_MS = 120_000;

export function connectOxp({ base, key, fetch, signal }: Server): Connection {
  const client = new OxpClient({ url: base, token: key, timeoutMs: REQUEST_MS, fetch });
  const explain = (error: unknown): never => {
    throw isOxpError(error) ? translate(error, base) : error;
  };
  return {
    takesAttachments: true,
    tools: () => client.list({ signal }).then((tools) => tools.map(describe), explain),
    async call({ tool, input, values, attachments }: Call, person) {
      const id = tool.version === undefined ? tool.id : `${tool.id}@${tool.version}`;
      const { value } = await client
        .call(id, input, {
          context: values,
          attachments,
          signal,
          // The person decides whether to try a failed call again. A call that is still running is asked for again.
          retry: { attempts: 1, totalMs: NO_LIMIT_MS },
          onRetry: ({ attempts }) => person.progress(`still running (asked ${attempts} times)`),
        })
        .catch(explain);
      return { value, files: [], notes: [], response: undefined };
    },
  };
}

function describe(definition: ToolDefinition): Tool {
  const { id, name, version, description, input_schema } = definition;
  const { authorization, secrets, userId } = needsOf(definition);
  return {
    id: id.replace(/@.*$/, ""),
    name,
    version,
    description,
    input: input_schema.parameters,
    needs: { secrets, tokens: authorization.map(({ id }) => id), userId },
  };
}

function translate(error: OxpFailure, base: string): NotDone {
  const { message, developerMessage } = error;
  const more = developerMessage === undefined ? [] : [developerMessage];
  if (error.code === "tool-failed") {
    const { additionalPromptContent: hint, canRetry, isRunning } = error;
    if (isRunning) return new NotDone("timed out", "The tool is still running.");
    if (hint !== undefined) more.push(hint);
    if (canRetry) more.push("It may be tried again.");
    return new NotDone(reasonIn(message) ?? "failed", message, more);
  }
  if (error.code === "invalid-input") {
    const lines = Object.entries(error.parameterErrors).map(([name, problem]) => `${name}: ${problem}`);
    return new NotDone("invalid", message, [...more, ...lines]);
  }
  if (error.code === "unauthorized") return new NotDone("unauthorized", message, more);
  if (error.code === "refused") return new NotDone(reasonIn(message) ?? "refused", message, more);
  if (error.code === "status") {
    return new NotDone(error.status >= 500 || error.status === 404 ? "unreachable" : "refused", message, more);
  }
  if (error.code === "unreadable") return new NotDone("unreachable", message, more);
  return error.reason === "timeout" ? new NotDone("timed out", message) : unreachableBy(error, base);
}
