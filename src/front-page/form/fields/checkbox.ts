/** Yes or no, where one of the two is certain: it is required, or has a default. */
import { h } from "../../lib/dom.ts";
import type { Field, Place } from "./field.ts";

export function checkboxField({ schema, required }: Place): Field {
  const control = h("input", { type: "checkbox", class: "form-check" });
  let isSet = required;
  control.addEventListener("input", () => {
    isSet = true;
  });
  control.checked = schema.default === true;
  return {
    element: h("div", {}, control),
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
