/** Any number of some values: a checkbox for each. */
import { h } from "../../lib/dom.ts";
import { type Choice, listOf, numberOf, same } from "../lib/schema.ts";
import { amount } from "../lib/words.ts";
import type { Field, Place } from "./field.ts";

export function choicesField({ schema, required }: Place, choices: readonly Choice[]): Field {
  const boxes = choices.map(({ value, label }) => {
    const input = h("input", { type: "checkbox" });
    return { input, value, element: h("label", { class: "form-option" }, input, label) };
  });
  return {
    element: h(
      "div",
      { class: "form-options" },
      boxes.map(({ element }) => element),
    ),
    read(path, problems) {
      const chosen = boxes.filter(({ input }) => input.checked).map(({ value }) => value);
      if (chosen.length === 0 && !required) return undefined;
      const problem = wrongCount(chosen.length, schema);
      if (problem) problems.set(path, problem);
      return chosen;
    },
    write(value) {
      const values = listOf(value);
      for (const { input, value } of boxes) input.checked = values.some((each) => same(each, value));
      const isShown = values.length === boxes.filter(({ input }) => input.checked).length;
      return value === undefined || (Array.isArray(value) && isShown);
    },
  };
}

/** @returns "" if a list may have so many entries */
export function wrongCount(count: number, schema: Place["schema"]): string {
  const [least = 0, most = count] = [numberOf(schema.minItems), numberOf(schema.maxItems)];
  if (count < least) return `This needs at least ${amount(least, "entry")}.`;
  return count > most ? `This may have at most ${amount(most, "entry")}.` : "";
}
