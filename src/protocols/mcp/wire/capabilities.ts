/** What the server can do, what a client can be asked, and how it is asked. */

import { isRecord } from "../../../core/lib/json.ts";
import type { Capability, Question } from "../../../core/model/elicitation.ts";

/** What this server can do, in every era. */
export const SERVER_CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
} as const;

/** Of a client that can be asked nothing. */
export const NO_CAPABILITIES: ReadonlySet<never> = new Set();

/** What a client declared that it can be asked (client capabilities; `elicitation: {}` means forms). */
export function capabilitiesOf(capabilities: unknown): ReadonlySet<Capability> {
  if (!isRecord(capabilities)) return NO_CAPABILITIES;
  const { elicitation, sampling, roots } = capabilities;
  if (elicitation === undefined && sampling === undefined && roots === undefined) return NO_CAPABILITIES;
  const can = new Set<Capability>();
  if (isRecord(elicitation)) {
    if (isRecord(elicitation.form) || !isRecord(elicitation.url)) can.add("form");
    if (isRecord(elicitation.url)) can.add("page");
  }
  if (isRecord(sampling)) can.add("sample");
  if (isRecord(roots)) can.add("roots");
  return can;
}

/** Names for messages: a client may have one of the two ways to elicit, and lack the other. */
export const CAPABILITY_NAMES: Readonly<Record<Capability, string>> = {
  form: "elicitation by form",
  page: "elicitation by URL",
  sample: "sampling",
  roots: "roots",
};

/**
 * @param hasModes      whether a form is one way to elicit among others: it was the only one before 2025-11-25
 * @param elicitationId names the visit to a page, in revisions that report on it
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
      const { message, url } = question;
      const id = elicitationId === undefined ? {} : { elicitationId };
      return { method: "elicitation/create", params: { mode: "url", message, url, ...id } };
    }
    case "sample":
      return { method: "sampling/createMessage", params: { ...question.request } };
    case "roots":
      return { method: "roots/list" };
  }
}
