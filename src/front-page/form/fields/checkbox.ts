/** Yes or no, if it is required or has a default: there is no third state. */
import { h } from "../../lib/dom.ts";
import type { Field, FieldSpec } from "./field.ts";

export function checkboxField({ schema, required }: FieldSpec): Field {
  const control = h("input.form-check", { type: "checkbox" });
  let isSet = required;
  control.addEventListener("input", () => {
    isSet = true;
  });
  control.checked = schema.default === true;
  return {
    element: h("div", control),
    control,
    read: () => (isSet ? control.checked : undefined),
    write(value) {
      if (value !== undefined && typeof value !== "boolean") return false;
      isSet = required || value !== undefined;
      control.checked = value ?? schema.default === true;
      return true;
    },
  };
}
