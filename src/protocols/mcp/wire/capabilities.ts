/** Reads the capabilities of clients, and makes the requests with which the server asks a client. */

import { isRecord } from "../../../core/lib/json.ts";
import type { Capability, ClientCapability, Question } from "../../../core/model/elicitation.ts";
import type { SamplingContent, SamplingRequest, ToolResult, ToolUse } from "../../../core/model/sampling.ts";

export const NO_CAPABILITIES: ReadonlySet<never> = new Set();

/** Reads the capabilities that a client declares. `elicitation: {}` means forms. */
export function capabilitiesOf(capabilities: unknown): ReadonlySet<ClientCapability> {
  if (!isRecord(capabilities)) return NO_CAPABILITIES;
  const { elicitation, sampling, roots } = capabilities;
  if (elicitation === undefined && sampling === undefined && roots === undefined) return NO_CAPABILITIES;
  const can = new Set<Capability>();
  if (isRecord(elicitation)) {
    if (isRecord(elicitation.form) || !isRecord(elicitation.url)) can.add("form");
    if (isRecord(elicitation.url)) can.add("page");
  }
  if (isRecord(sampling)) can.add("sample");
  if (isRecord(sampling) && isRecord(sampling.tools)) can.add("sample-tools");
  if (isRecord(roots)) can.add("roots");
  return can;
}

/** Names of capabilities in messages. A client may support only one of the two ways to elicit. */
export const CAPABILITY_NAMES: Readonly<Record<Capability, string>> = {
  form: "elicitation by form",
  page: "elicitation by URL",
  sample: "sampling",
  "sample-tools": "sampling with tools",
  roots: "roots",
};

/**
 * The request that asks a client a question.
 *
 * @param hasModes      whether the revision has `mode`, and lists of contents in messages: before 2025-11-25, a form
 *                      was the only way to elicit, and each message of a conversation had one content
 * @param elicitationId id of a visit if the question has none; undefined in revisions without such ids
 */
export function toRequest(
  question: Question,
  hasModes: boolean,
  elicitationId?: string,
): { method: string; params?: Record<string, unknown> } {
  switch (question.kind) {
    case "form": {
      const { message, fields, required } = question;
      const requestedSchema = { type: "object", properties: fields, ...(required.length > 0 && { required }) };
      const mode = hasModes ? { mode: "form" } : {};
      return { method: "elicitation/create", params: { ...mode, message, requestedSchema } };
    }
    case "page": {
      const { message, url, id } = question;
      const ids = elicitationId === undefined ? {} : { elicitationId: id ?? elicitationId };
      return { method: "elicitation/create", params: { mode: "url", message, url, ...ids } };
    }
    case "sample":
      return { method: "sampling/createMessage", params: sampling(question.request, hasModes) };
    case "roots":
      return { method: "roots/list" };
  }
}

/** @param hasLists whether a message can have several contents; if not, each becomes a separate message */
function sampling({ messages, tools, ...others }: SamplingRequest, hasLists: boolean): Record<string, unknown> {
  return {
    ...others,
    messages: messages.flatMap(({ role, content }) => {
      if ("type" in content) return { role, content: sent(content) };
      const all = content.map(sent);
      return hasLists ? { role, content: all } : all.map((one) => ({ role, content: one }));
    }),
    ...(tools && { tools: tools.map(({ input, ...tool }) => ({ ...tool, inputSchema: input })) }),
  };
}

function sent(block: SamplingContent | ToolUse | ToolResult): unknown {
  if (block.type !== "tool_result") return block;
  const { failed, content, ...result } = block;
  return { ...result, content: [content].flat(), ...(failed && { isError: true }) };
}
