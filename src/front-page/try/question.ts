/** What a tool asks while it runs: a form, or a page to visit. */

import type { Answer, Question } from "../api/mcp.ts";
import { defaultsOf, inputForm } from "../form/form.ts";
import { h, newId } from "../lib/dom.ts";

/** @param answer called once, with what the person decided */
export function questionView(question: Question, answer: (answer: Answer) => void): HTMLElement {
  const id = newId("question");
  const decline = h("button.quiet", { click: () => answer({ action: "decline" }) }, "Decline");
  const title = h("h3", { id }, "The tool asks");
  const message = h("p.prose", question.message);
  if (question.kind === "page") {
    // Opened by the person, who sees first where it leads.
    const link = h("a", { href: question.url, target: "_blank", rel: "noopener noreferrer" }, question.url);
    const done = h("button.main", { click: () => answer({ action: "accept" }) }, "Continue");
    return h("section.box.ask", { "aria-labelledby": id }, title, message, h("p", link), h("p.acts", done, decline));
  }
  const form = inputForm(question.schema, {
    idPrefix: id,
    initial: defaultsOf(question.schema),
    passwordNote: "Never enter a key of this server here.",
  });
  const element = h(
    "form.box.ask",
    {
      "aria-labelledby": id,
      novalidate: true,
      submit: (event) => {
        event.preventDefault();
        const read = form.read();
        if ("problems" in read) form.showProblems(read.problems);
        else answer({ action: "accept", content: read.value });
      },
    },
    title,
    message,
    form.element,
    h("p.acts", h("button.main", { type: "submit" }, "Answer"), decline),
  );
  return element;
}
