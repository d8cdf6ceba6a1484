/** Any number of the values of a list: a checkbox for each. */
import { h } from "../../lib/dom.ts";
import { count } from "../../lib/words.ts";
import { type Choice, type JsonSchema, listOf, numberOf, same } from "../lib/schema.ts";
import type { Field, FieldSpec } from "./field.ts";

export function choicesField({ schema, required }: FieldSpec, choices: readonly Choice[]): Field {
  const boxes = choices.map(({ value, label }) => {
    const input = h("input", { type: "checkbox" });
    return { input, value, element: h("label.form-option", input, label) };
  });
  return {
    element: h(
      "div.acts",
      boxes.map(({ element }) => element),
    ),
    read(path, problems) {
      const chosen = boxes.filter(({ input }) => input.checked).map(({ value }) => value);
      if (chosen.length === 0 && !required) return undefined;
      const problem = wrongLength(chosen.length, schema);
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

/** @returns what is wrong if a list has so many entries; "" if nothing is */
export function wrongLength(length: number, schema: JsonSchema): string {
  const [least = 0, most = length] = [numberOf(schema.minItems), numberOf(schema.maxItems)];
  if (length < least) return `This needs at least ${count(least, "entry")}.`;
  return length > most ? `This may have at most ${count(most, "entry")}.` : "";
}
