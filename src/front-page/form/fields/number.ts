/** Numbers and whole numbers. */
import { h } from "../../lib/dom.ts";
import { rounds } from "../lib/json-text.ts";
import { numberOf, typeOf } from "../lib/schema.ts";
import type { Field, FieldSpec } from "./field.ts";
import { suggestions } from "./suggestions.ts";

export function numberField(spec: FieldSpec): Field {
  const { schema } = spec;
  const isWhole = typeOf(schema) === "integer";
  const control = h("input", {
    type: "number",
    inputmode: isWhole && (numberOf(schema.minimum) ?? -1) >= 0 ? "numeric" : "decimal",
    min: numberOf(schema.minimum),
    max: numberOf(schema.maximum),
    step: numberOf(schema.multipleOf) ?? (isWhole ? 1 : "any"),
    placeholder: numberOf(schema.default),
    autocomplete: "off",
  });
  const wrong = (value: number): string => {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    if (isWhole && !Number.isInteger(value)) return "This must be a whole number.";
    if (value < Number(minimum)) return `This must be at least ${minimum}.`;
    if (value > Number(maximum)) return `This must be at most ${maximum}.`;
    if (value <= Number(exclusiveMinimum)) return `This must be more than ${exclusiveMinimum}.`;
    return value >= Number(exclusiveMaximum) ? `This must be less than ${exclusiveMaximum}.` : "";
  };
  return {
    element: h("div", control, suggestions(control, spec)),
    control,
    read(path, problems) {
      const text = control.value;
      if (control.validity.badInput) problems.set(path, "This is not a number.");
      if (text === "") return undefined;
      // -0 becomes 0, as it does in JSON.
      const value = Number(text) + 0;
      const problem = rounds(text, value) || wrong(value);
      if (problem) problems.set(path, problem);
      return value;
    },
    write(value) {
      if (value !== undefined && typeof value !== "number") return false;
      control.value = value === undefined ? "" : String(value);
      return true;
    },
  };
}
