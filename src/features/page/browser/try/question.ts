/** What a tool asks while it runs: a form, or a page to visit. */

import type { Answer, Question } from "../api/mcp.ts";
import { defaultsOf, formElement, inputForm } from "../form/form.ts";
import { type Child, h, newId } from "../lib/dom.ts";

/** @param answer called once, with what the person decided */
export function questionView(question: Question, answer: (answer: Answer) => void): HTMLElement {
  const id = newId("question");
  const decline = h("button.quiet", { click: () => answer({ action: "decline" }) }, "Decline");
  const head = [h("h3", { id }, "The tool asks"), h("p.prose", question.message)];
  const box = (...children: readonly Child[]) => h("section.box.ask", { "aria-labelledby": id }, head, children);
  if (question.kind === "page") {
    // The person opens the page, and sees first where it leads.
    const link = h("a", { href: question.url, target: "_blank", rel: "noopener noreferrer" }, question.url);
    const done = h("button.main", { click: () => answer({ action: "accept" }) }, "Continue");
    return box(h("p", link), h("p.acts", done, decline));
  }
  const form = inputForm(question.schema, {
    idPrefix: id,
    initial: defaultsOf(question.schema),
    passwordNote: "Never enter a key of this server here.",
  });
  const acts = h("p.acts", h("button.main", { type: "submit" }, "Answer"), decline);
  const element = formElement(form, (content) => answer({ action: "accept", content }), acts);
  element.setAttribute("aria-labelledby", id);
  element.className = "box ask";
  element.prepend(...head);
  return element;
}
