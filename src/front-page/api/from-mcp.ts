/** What the answer to a call over MCP says: the result of the tool, or why it failed. */
import { isRecord, parseJson } from "../../client/lib/json.ts";
import { type Block, readBlock } from "./blocks.ts";
import type { RpcFailure } from "./failures.ts";
import { isTimeout, missingIn } from "./from-oxp.ts";
import { type FailureKind, NotDone, type Result, type Why } from "./outcome.ts";
import { type Members, numberOr, textOr } from "./read.ts";

/**
 * Reads the result of a `tools/call` (2026-07-28, server/tools, Tool Result).
 *
 * @param isBusy whether the response asked to wait, which the result does not say
 * @throws {NotDone} for the result of a tool that failed
 */
export function readResult(result: Members, isBusy: boolean): Result {
  const meta = isRecord(result._meta) ? result._meta : {};
  const handle = sessionIn(result);
  const blocks = (Array.isArray(result.content) ? result.content : []).flatMap(readBlock);
  // The text with the handle is for models.
  const content = blocks.filter((one) => !(one.type === "text" && handle && one.text === `session: ${handle}`));
  const replayed = meta.replayed === true;
  const { structuredContent: value } = result;
  if (result.isError === true) throw new NotDone(whyFailed(content, meta, isBusy), replayed);
  // A text that repeats the value is for clients that do not know structured content.
  const isExtra = (block: Block) => block.type !== "text" || !repeats(block.text, value);
  if (value === undefined) return { value, content: content.filter((one) => !isDone(one)), replayed };
  return { value, content: content.filter(isExtra), replayed };
}

/** The handle by which the next call goes on in the session of this one (docs/sessions.md). */
export function sessionIn({ _meta }: Members): string | undefined {
  return isRecord(_meta) && typeof _meta.session === "string" ? _meta.session : undefined;
}

export function whyOfRpc({ message, data }: RpcFailure): Why {
  const parameterErrors = errorsIn(isRecord(data) ? data : {});
  return parameterErrors.size > 0 ? { kind: "input", message, parameterErrors } : { kind: "refused", message };
}

function whyFailed(content: readonly Block[], meta: Members, isBusy: boolean): Why {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const whole = texts.join("\n") || "The tool failed, and does not say why.";
  const hint = textOr(meta.additional_prompt_content);
  const message = hint !== undefined && whole.endsWith(` (${hint})`) ? whole.slice(0, -hint.length - 3) : whole;
  const parameterErrors = errorsIn(meta);
  const missing = missingIn(message);
  const kind = (): FailureKind => {
    if (parameterErrors.size > 0) return "input";
    if (missing !== undefined) return "needs";
    if (isBusy) return "busy";
    return isTimeout(message) ? "timeout" : "failed";
  };
  return {
    kind: kind(),
    message,
    hint,
    parameterErrors,
    ...(missing && { missing }),
    developerMessage: textOr(meta.developer_message),
    retryAfterMs: numberOr(meta.retry_after_ms),
  };
}

function errorsIn({ parameter_errors }: Members): ReadonlyMap<string, string> {
  const entries = isRecord(parameter_errors) ? Object.entries(parameter_errors) : [];
  return new Map(entries.map(([path, problem]) => [path, String(problem)]));
}

/** What MCP says for a tool that returns nothing. */
function isDone(block: Block): boolean {
  return block.type === "text" && block.text === "Done.";
}

function repeats(text: string, value: unknown): boolean {
  return text === value || (typeof value !== "string" && JSON.stringify(parseJson(text)) === JSON.stringify(value));
}
