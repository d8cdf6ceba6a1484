/** Reads the responses of OXP servers, including those that deviate a little from OXP. Sends nothing. */
import { INEXACT, isRecord } from "../lib/json.ts";
import {
  type Attempted,
  type MissingRequirements,
  type OxpError,
  OxpInvalidInput,
  OxpRefused,
  OxpStatus,
  OxpToolFailed,
  OxpUnauthorized,
  OxpUnreadable,
} from "./errors.ts";
import type { Answer } from "./request.ts";
import type { JsonSchema, ToolDefinition, ToolRequirements } from "./types.ts";

/**
 * The header `Idempotency-Running` as a line of `developer_message`: if a call takes long, the server sends the headers
 * of its answer before it knows whether the call will end. Only such an answer begins with white space; in any other,
 * the line is the tool's own text.
 */
const RUNNING = /^idempotency-running: true$/m;
const LATE = /^\s/;

/**
 * Reads the answer to a call (OXP 1.0, Call Tool Response).
 *
 * @returns what the tool returned, and how long the server says it took
 * @throws {OxpError}
 */
export function readResult(answer: Answer, attempted: Attempted): { value: unknown; durationMs: number | undefined } {
  if (answer.status !== 200) throw statusError(answer, attempted);
  const result = recordOf(recordOf(answer.body)?.result);
  if (result?.success === true) {
    const inexact = answer.inexact();
    if (inexact !== undefined) throw unreadable(answer, `has the number ${inexact}, ${INEXACT}`, attempted);
    return { value: result.value, durationMs: numberOf(result.duration) };
  }
  if (result?.success !== false) throw unreadable(answer, "has no result", attempted);
  const error = recordOf(result.error) ?? {};
  const said = answer.text(error.message) ?? saidIn(result.error, answer.text) ?? saidIn(result, answer.text);
  const developerMessage = answer.text(error.developer_message);
  const fault = {
    message: said ?? "The tool failed, and does not say why",
    developerMessage,
    canRetry: error.can_retry === true,
    retryAfterMs: numberOf(error.retry_after_ms),
    additionalPromptContent: answer.text(error.additional_prompt_content),
    isRunning:
      answer.headers.get("idempotency-running") === "true" ||
      (LATE.test(answer.whole) && RUNNING.test(developerMessage ?? "")),
  };
  throw new OxpToolFailed(fault, attempted);
}

/**
 * Reads a listing (OXP 1.0, List Tools): `tools`, or `items` as the specification's own schema says.
 *
 * @throws {OxpError}
 */
export function readTools(answer: Answer, attempted: Attempted): readonly ToolDefinition[] {
  if (answer.status !== 200) throw statusError(answer, attempted);
  const body = recordOf(answer.body);
  const list = [body?.tools, body?.items].find(Array.isArray);
  if (list === undefined) throw unreadable(answer, "has no list of tools", attempted);
  return Object.freeze(
    list.map((item, index) => readTool(item) ?? raise(unreadable(answer, `has no tool as tools[${index}]`, attempted))),
  );
}

/** @returns the error for any status but 200 */
export function statusError(answer: Answer, attempted: Attempted): OxpError {
  const { url, status, headers, text } = answer;
  const body = recordOf(answer.body);
  const told = text(body?.message) ?? saidIn(answer.body, text) ?? plainText(answer);
  const developerMessage = text(body?.developer_message);
  const about = { ...attempted, developerMessage };
  const retryAfterMs = retryAfterOf(headers.get("retry-after"));
  if (status === 401) {
    const message = told ?? `${url} does not accept these credentials`;
    return new OxpUnauthorized(message, text(headers.get("www-authenticate")), about);
  }
  if (status === 400 && body) {
    const message = told ?? `${url} refused the request, and does not say why`;
    const missing = readMissing(body.missing_requirements, text);
    return new OxpRefused({ message, developerMessage, missing, retryAfterMs }, attempted);
  }
  if (status === 422 && body) {
    const entries = Object.entries(recordOf(body.parameter_errors) ?? {});
    const errors = entries.map(([name, problem]) => [text(name) ?? "", text(problem) ?? "is invalid"] as const);
    const message = told ?? "Some input parameters are invalid";
    return new OxpInvalidInput(message, Object.fromEntries(errors), about);
  }
  const hint = status === 404 ? ": is this the address of an OXP server?" : "";
  const message = `${url} answered with the status ${status}${told ? `: ${told}` : hint}`;
  return new OxpStatus(status, message, retryAfterMs, about);
}

export function unreadable(answer: Answer, what: string, attempted: Attempted): OxpUnreadable {
  const type = typeOf(answer) ?? "no content type";
  const isJson = answer.body !== undefined;
  const said = recordOf(answer.body) ? saidIn(answer.body, answer.text) : plainText(answer);
  const is = isJson ? `its JSON ${what}` : `it is not JSON, but ${answer.text(type) ?? "empty"}`;
  const why = said === undefined ? is : `${is}, and says: ${said}`;
  return new OxpUnreadable(`The answer of ${answer.url} is not OXP's: ${why}`, attempted);
}

const typeOf = ({ headers }: Answer) => headers.get("content-type")?.split(";")[0]?.trim();

/** How many characters are shown of a text that is not in one of OXP's members. */
const SHOWN = 500;

/** The members in which less exact servers put the message of an error, the most usual first. */
const MEMBERS = ["message", "error", "errors", "detail", "reason", "error_description", "title", "msg"];

/** @returns the message of an error, up to three levels deep; undefined if there is none */
function saidIn(value: unknown, text: Answer["text"], depth = 3): string | undefined {
  if (typeof value === "string") return text(value.trim())?.slice(0, SHOWN);
  if (Array.isArray(value) && depth > 0) {
    const said = value.flatMap((item) => saidIn(item, text, depth - 1) ?? []);
    return said.length > 0 ? said.join("; ").slice(0, SHOWN) : undefined;
  }
  const record = recordOf(value);
  if (record === undefined || depth === 0) return undefined;
  for (const member of MEMBERS) {
    const said = saidIn(record[member], text, depth - 1);
    if (said !== undefined) return said;
  }
  return undefined;
}

/** @returns the text of an answer in plain text; undefined for any other, such as an HTML page */
function plainText(answer: Answer): string | undefined {
  if (answer.body !== undefined || typeOf(answer) !== "text/plain") return undefined;
  return answer.text(answer.whole.trim())?.slice(0, SHOWN);
}

function raise(error: Error): never {
  throw error;
}

/** @returns undefined for a tool without an id or a name. Other members that are missing or wrong become empty */
function readTool(item: unknown): ToolDefinition | undefined {
  const tool = recordOf(item);
  if (typeof tool?.id !== "string" || tool.id === "" || typeof tool.name !== "string") return undefined;
  const { id, name, description, version, output_schema: output } = tool;
  const requirements = readRequirements(tool.requirements);
  return {
    id,
    name,
    description: typeof description === "string" ? description : "",
    version: typeof version === "string" ? version : (id.split("@")[1] ?? ""),
    input_schema: { parameters: (recordOf(recordOf(tool.input_schema)?.parameters) ?? {}) as JsonSchema },
    // If the schema was left out by mistake, the output may be anything.
    output_schema: output === null ? null : ((recordOf(output) ?? {}) as JsonSchema),
    ...(requirements && { requirements }),
  };
}

function readRequirements(given: unknown): ToolRequirements | undefined {
  const requirements = recordOf(given);
  if (!requirements) return undefined;
  const authorization = withIds(requirements.authorization).map(({ id, oauth2 }) => {
    const scopes = recordOf(oauth2)?.scopes;
    const texts = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string") : undefined;
    return { id, ...(texts && { oauth2: { scopes: texts } }) };
  });
  const secrets = withIds(requirements.secrets).map(({ id }) => ({ id }));
  return {
    ...(authorization.length > 0 && { authorization }),
    ...(secrets.length > 0 && { secrets }),
    ...(requirements.user_id === true && { user_id: true }),
  };
}

function readMissing(given: unknown, text: Answer["text"]): MissingRequirements | undefined {
  const missing = recordOf(given);
  if (!missing) return undefined;
  return {
    authorization: withIds(missing.authorization).map(({ id, url, check_url }) => ({
      id,
      url: text(url),
      checkUrl: text(check_url),
    })),
    secrets: withIds(missing.secrets).map(({ id }) => id),
    userId: missing.user_id === true,
  };
}

function withIds(list: unknown): (Readonly<Record<string, unknown>> & { readonly id: string })[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const record = recordOf(item);
    return typeof record?.id === "string" ? [{ ...record, id: record.id }] : [];
  });
}

/** @returns milliseconds; undefined without the header, or for one that cannot be read (RFC 9110, section 10.2.3) */
function retryAfterOf(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isRecord(value) ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
