/** Tries a tool: its form, the run with its progress and questions, and the outcome. */

import type { Answer, Progress, Question } from "../api/mcp.ts";
import type { Outcome } from "../api/outcome.ts";
import { run } from "../api/run.ts";
import { formElement, inputForm } from "../form/form.ts";
import { fill, h } from "../lib/dom.ts";
import type { Tool, ToolVersion } from "../lib/model.ts";
import { durationText } from "../lib/words.ts";
import { failed, type Page } from "../parts/view.ts";
import { wireView } from "./exchanges.ts";
import { filePicker } from "./files.ts";
import { needsForm } from "./needs.ts";
import { outcomeView } from "./outcome.ts";
import { questionView } from "./question.ts";

export interface Attempt {
  readonly element: HTMLElement;
  /** What is in the form now; undefined if it is not right, or not filled in. */
  input(): Record<string, unknown> | undefined;
}

export function tryPanel({ access }: Page, tool: Tool, version: ToolVersion): Attempt {
  const form = inputForm(version.input, { idPrefix: "input" });
  const needs = needsForm(version.requirements);
  const files = tool.takesFiles ? filePicker(access) : undefined;
  const runButton = h("button.main", { type: "submit", click: ignoreSecond }, "Run");
  const cancelButton = h("button.quiet", { hidden: true }, "Cancel");
  const status = h("p.status", { role: "status" });
  const clock = h("span.quiet-text", { "aria-hidden": "true" });
  const question = h("div.place");
  const result = h("div.place");
  const wire = wireView();

  function start(input: Record<string, unknown>): void {
    const stop = new AbortController();
    const cancel = () => {
      status.textContent = "Cancelling…";
      stop.abort();
    };
    cancelButton.addEventListener("click", cancel);
    showBusy(true);
    const ticking = tick();
    attempt(input, stop.signal)
      .catch((error: unknown) => {
        fill(status);
        fill(result, failed(error));
      })
      .finally(() => {
        clearInterval(ticking);
        fill(clock);
        cancelButton.removeEventListener("click", cancel);
        showBusy(false);
      });
  }

  function clear(): void {
    for (const place of [question, result, status]) fill(place);
    wire.clear();
  }

  async function attempt(input: Record<string, unknown>, signal: AbortSignal) {
    const uploaded = await files?.upload(signal, (text) => fill(status, text));
    fill(status, "Running…");
    const call = { tool, version: version.version, input, context: needs.read(), files: uploaded, access };
    const running = run(call, {
      progress: (progress) => fill(status, progressView(progress)),
      question: ask,
      exchange: wire.show,
      waiting: ({ why }) => fill(status, why),
    });
    signal.addEventListener("abort", () => running.cancel());
    if (signal.aborted) running.cancel();
    end(await running.done);
  }

  function ask(asked: Question, signal: AbortSignal): Promise<Answer> {
    fill(status, "The tool is waiting for your answer.");
    return new Promise((answered) => {
      const done = (answer: Answer) => {
        fill(question);
        fill(status, "Running…");
        cancelButton.focus();
        answered(answer);
      };
      const shown = questionView(asked, done);
      fill(question, shown);
      shown.querySelector<HTMLElement>("input, select, textarea, a, button")?.focus();
      signal.addEventListener("abort", () => fill(question));
    });
  }

  function end(outcome: Outcome): void {
    // Only screen readers need this: others see the result.
    const told = outcome.ok ? "Done. The result is below." : `Not done: ${outcome.message}`;
    fill(status, h("span.unseen", told));
    fill(result, outcomeView(outcome, access));
    if (!outcome.ok && outcome.parameterErrors.size > 0) form.showProblems(outcome.parameterErrors);
    else if (result.getBoundingClientRect().top > innerHeight * 0.8) result.scrollIntoView({ block: "center" });
  }

  function showBusy(isBusy: boolean): void {
    const hadFocus = [runButton, cancelButton].some((button) => button === document.activeElement);
    runButton.disabled = isBusy;
    cancelButton.hidden = !isBusy;
    if (hadFocus) (isBusy ? cancelButton : runButton).focus();
  }

  function tick(): number {
    const began = performance.now();
    return window.setInterval(() => fill(clock, durationText(performance.now() - began)), 100);
  }

  const acts = h("div.acts", runButton, cancelButton, clock, status);
  const inputs = formElement(form, start, needs.element, files?.element, acts);
  inputs.className = "view";
  inputs.addEventListener("keydown", ignoreHeld);
  // Runs before the form is read: otherwise the last outcome would stay beside the problems of a wrong input.
  inputs.addEventListener("submit", clear, { capture: true });
  return {
    element: h("div.view", inputs, question, result, wire.element),
    input: form.value,
  };
}

/** The second click of a double click would run the tool again. */
function ignoreSecond(event: Event): void {
  if ((event as MouseEvent).detail > 1) event.preventDefault();
}

/** A key that is held down would run the tool again and again. */
function ignoreHeld(event: Event): void {
  const { key, repeat } = event as KeyboardEvent;
  if (key === "Enter" && repeat) event.preventDefault();
}

function progressView({ message, progress, total }: Progress): (Node | string)[] {
  const bar = h("progress", { "aria-label": "Progress" });
  if (total !== undefined && progress !== undefined) {
    bar.max = total;
    bar.value = progress;
  }
  return [
    bar,
    message ?? (progress === undefined ? "Running…" : `${progress}${total === undefined ? "" : ` of ${total}`}`),
  ];
}
