/** Why a call over OXP failed, and what the server's own words say where no protocol has a place for it. */
import type { OxpFailure } from "../../client/oxp/errors.ts";
import type { Missing, Why } from "./outcome.ts";

/** @param error none of those that `failureOf` makes something else of */
export function whyOfOxp(error: OxpFailure): Why {
  const { message, developerMessage } = error;
  switch (error.code) {
    case "invalid-input":
      return {
        kind: "input",
        message,
        developerMessage,
        parameterErrors: new Map(Object.entries(error.parameterErrors)),
      };
    case "tool-failed":
      return {
        kind: isTimeout(message) ? "timeout" : "failed",
        message,
        developerMessage,
        hint: error.additionalPromptContent,
        retryAfterMs: error.retryAfterMs,
      };
    case "refused": {
      const { missing, retryAfterMs } = error;
      if (retryAfterMs !== undefined) return { kind: "busy", message, developerMessage, retryAfterMs };
      const needs = missingIn(message);
      if (missing === undefined && needs === undefined) return { kind: "refused", message, developerMessage };
      const { secrets = [], userId = false } = missing ?? {};
      return {
        kind: "needs",
        message,
        developerMessage,
        missing: { secrets, userId, authorizations: needs?.authorizations ?? [] },
      };
    }
    default:
      return { kind: "broken", message, developerMessage };
  }
}

/** A timeout has no code in any protocol. */
export function isTimeout(message: string): boolean {
  return /^The tool took (too long to answer|longer than \d+ ms)/.test(message);
}

/** OXP has no place for missing tokens without a page to get them, and MCP none for anything that is missing. */
export function missingIn(message: string): Missing | undefined {
  const list = / requires (.*?)(?:, which this server has not been given)?$/.exec(message)?.[1];
  if (list === undefined || !/^(authorization "|secret "|a user id|")/.test(list)) return undefined;
  const idsOf = (what: string) => Array.from(list.matchAll(new RegExp(`${what} "([^"]+)"`, "g")), ([, id = ""]) => id);
  return { secrets: idsOf("secret"), authorizations: idsOf("authorization"), userId: /\ba user id\b/.test(list) };
}
