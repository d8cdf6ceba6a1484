/** Shows how a call ended: what the tool returned, or what went wrong and what to do. */

import type { Access } from "../api/access.ts";
import type { Failure, Outcome } from "../api/outcome.ts";
import { codeBlock } from "../lib/code.ts";
import { type Child, h } from "../lib/dom.ts";
import { durationText } from "../lib/words.ts";
import { blockView } from "../parts/blocks.ts";
import { signInOffer } from "../parts/view.ts";

const TITLES: Readonly<Record<Failure["kind"], string>> = {
  input: "Check the input",
  needs: "Something is missing",
  refused: "Not allowed",
  failed: "The tool failed",
  busy: "Too many requests",
  timeout: "It took too long",
  cancelled: "Cancelled",
  offline: "No response",
  broken: "Unreadable response",
};

export function outcomeView(outcome: Outcome, access: Access): HTMLElement {
  if (!outcome.ok) return failureView(outcome, access);
  const { value, content, ms, replayed } = outcome;
  return h(
    "section.box.good",
    { "aria-label": "Result" },
    h("h3", "Result ", h("span.quiet-text", `in ${durationText(ms)}${replayed ? ", of an earlier call" : ""}`)),
    h("div.stack", content.map(blockView), value !== undefined && valueView(value)),
    value === undefined && content.length === 0 && h("p.quiet-text", "The tool returned nothing."),
  );
}

function valueView(value: unknown): HTMLElement {
  if (value === null) return h("p.quiet-text", "The tool returned nothing.");
  if (value === "") return h("p.quiet-text", "The tool returned an empty text.");
  if (typeof value === "string") return codeBlock("the result", value);
  return codeBlock("the result", jsonOf(value), "json");
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2);
  } catch {
    // JavaScript gives up at a depth of some thousands.
    return "The result is nested too deeply to be shown.";
  }
}

function failureView(outcome: Failure, access: Access): HTMLElement {
  const { kind, message, hint, developerMessage, parameterErrors, missing, scopes, retryAfterMs } = outcome;
  const lacking = [...missing.secrets, ...missing.authorizations, ...(missing.userId ? ["the user id"] : [])];
  const facts: [string, Child][] = [];
  if (hint) facts.push(["Hint", hint]);
  for (const [path, text] of parameterErrors) facts.push([path, text]);
  if (lacking.length > 0) facts.push(["Missing", lacking.join(", ")]);
  if (scopes.length > 0) facts.push(["Scopes needed", scopes.join(", ")]);
  if (developerMessage) facts.push(["For developers", developerMessage]);
  if (retryAfterMs !== undefined) facts.push(["Try again", `in ${durationText(retryAfterMs)}`]);
  return h(
    "section.box.bad",
    { "aria-label": "Error" },
    h("h3", TITLES[kind]),
    h("p.prose", message),
    facts.length > 0 &&
      h(
        "dl.facts",
        facts.map(([name, text]) => [h("dt", name), h("dd.prose", text)]),
      ),
    (outcome.needsCredential || scopes.length > 0) && signInOffer(access, scopes),
  );
}
