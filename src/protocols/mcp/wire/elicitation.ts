/** Questions in MCP's words: what a client can be asked, and how it is asked in each revision. */

import { isRecord } from "../../../core/lib/json.ts";
import type { Capability, Question } from "../../../core/model/elicitation.ts";
import type { Revision } from "./revisions.ts";

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

/** The capabilities that an ability needs, as an error names them (2026-07-28, MissingRequiredClientCapability). */
export const REQUIRED_CAPABILITIES: Readonly<Record<Capability, Record<string, object>>> = {
  form: { elicitation: { form: {} } },
  page: { elicitation: { url: {} } },
  sample: { sampling: {} },
  roots: { roots: {} },
};

/** Names for messages: a client may have one of the two ways to elicit, and lack the other. */
export const CAPABILITY_NAMES: Readonly<Record<Capability, string>> = {
  form: "elicitation by form",
  page: "elicitation by URL",
  sample: "sampling",
  roots: "roots",
};

/** @param elicitationId names the visit to a page, which revisions up to 2025-11-25 report on by it */
export function toRequest(
  question: Question,
  revision: Revision,
  elicitationId: string,
): { method: string; params?: Record<string, unknown> } {
  switch (question.kind) {
    case "form": {
      const { message, fields, required } = question;
      const requestedSchema = { type: "object", properties: fields, ...(required.length > 0 && { required }) };
      // Forms were the only mode before 2025-11-25.
      const mode = revision >= "2025-11-25" ? { mode: "form" } : {};
      return { method: "elicitation/create", params: { ...mode, message, requestedSchema } };
    }
    case "page": {
      const { message, url } = question;
      const id = revision <= "2025-11-25" ? { elicitationId } : {};
      return { method: "elicitation/create", params: { mode: "url", message, url, ...id } };
    }
    case "sample":
      return { method: "sampling/createMessage", params: { ...question.request } };
    case "roots":
      return { method: "roots/list" };
  }
}

/** Ids of our own requests; the client's answers come back under them, on another connection. */
const OWN_ID = /^ask-[0-9a-f-]{36}$/;

export function isOwnId(id: unknown): id is string {
  return typeof id === "string" && OWN_ID.test(id);
}
