/** Tries a tool: its form, the run with its progress and questions, and what came of it. */
import { inputForm } from "../form/form.ts";
import { fill, h } from "../lib/dom.ts";
import type { Tool, ToolVersion } from "../model.ts";
import { type Outcome, type Progress, run } from "../server/run.ts";
import type { Exchange } from "../server/wire.ts";
import { exchangesView } from "./exchanges.ts";
import { filePicker } from "./files.ts";
import { needsForm } from "./needs.ts";
import { outcomeView } from "./outcome.ts";
import { questionView } from "./question.ts";
import { duration, type Page } from "./view.ts";

export interface Attempt {
  readonly element: HTMLElement;
  /** What is in the form now, as far as it is right. */
  input(): Record<string, unknown>;
}

export function tryPanel({ access }: Page, tool: Tool, version: ToolVersion): Attempt {
  const form = inputForm(version.input, { idPrefix: "input" });
  const needs = needsForm(version.requirements);
  const files = tool.takesFiles ? filePicker(access) : undefined;
  const runButton = h("button", { type: "submit", class: "main" }, "Run");
  const cancelButton = h("button", { type: "button", class: "quiet", hidden: true }, "Cancel");
  const status = h("p", { class: "status", role: "status" });
  const clock = h("span", { class: "quiet-text", "aria-hidden": "true" });
  const question = h("div", { class: "place" });
  const result = h("div", { class: "place" });
  const wire = h("div", { class: "place" });

  async function start(event: Event): Promise<void> {
    event.preventDefault();
    const read = form.read();
    if ("problems" in read) return form.showProblems(read.problems);
    form.showProblems(new Map());
    const exchanges: Exchange[] = [];
    const began = performance.now();
    const ticking = setInterval(() => {
      clock.textContent = duration(performance.now() - began);
    }, 100);
    busy(true);
    fill(result);
    fill(wire);
    status.textContent = "Running…";
    const running = run(
      { tool, version, input: read.value, context: needs.read(), files: files?.chosen() ?? [], access },
      {
        progress: (progress) => fill(status, progressView(progress)),
        exchange: (exchange) => exchanges.push(exchange),
        question: (asked) =>
          new Promise((answered) => {
            status.textContent = "The tool waits for your answer.";
            const shown = questionView(asked, (answer) => {
              fill(question);
              status.textContent = "Running…";
              cancelButton.focus();
              answered(answer);
            });
            fill(question, shown);
            shown.querySelector<HTMLElement>("input, select, textarea, a, button")?.focus();
          }),
      },
    );
    const cancel = () => {
      status.textContent = "Cancelling…";
      running.cancel();
    };
    cancelButton.addEventListener("click", cancel);
    const outcome = await running.done;
    cancelButton.removeEventListener("click", cancel);
    clearInterval(ticking);
    busy(false);
    end(outcome, exchanges);
  }
  function busy(isBusy: boolean): void {
    const hadFocus = cancelButton === document.activeElement;
    runButton.disabled = isBusy;
    cancelButton.hidden = !isBusy;
    if (hadFocus && !isBusy) runButton.focus();
  }
  function end(outcome: Outcome, exchanges: readonly Exchange[]): void {
    fill(question);
    clock.textContent = "";
    // For screen readers; others see the result.
    fill(status, h("span", { class: "unseen" }, outcome.ok ? "Done. The result is below." : `Not done: ${outcome.message}`));
    fill(result, outcomeView(outcome));
    fill(wire, exchangesView(exchanges));
    if (!outcome.ok && outcome.parameterErrors && outcome.parameterErrors.size > 0) {
      form.showProblems(outcome.parameterErrors);
    } else if (result.getBoundingClientRect().top > window.innerHeight * 0.8) {
      result.scrollIntoView({ block: "center" });
    }
  }

  const element = h(
    "div",
    { class: "view" },
    h(
      "form",
      { class: "view", novalidate: true, submit: start },
      form.element,
      needs.element,
      files?.element,
      h("div", { class: "acts" }, runButton, cancelButton, clock, status),
    ),
    question,
    result,
    wire,
  );
  return {
    element,
    input() {
      const read = form.read();
      return "value" in read ? read.value : {};
    },
  };
}

function progressView({ message, done, total }: Progress): (Node | string)[] {
  const bar = h("progress", { "aria-label": "Progress" });
  if (total !== undefined && done !== undefined) {
    bar.max = total;
    bar.value = done;
  }
  const numbers = done === undefined ? "" : total === undefined ? ` (${done})` : ` (${done} of ${total})`;
  return [bar, `${message ?? "Running"}${message?.includes(String(done)) ? "" : numbers}`];
}
