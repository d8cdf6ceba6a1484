/** Any value, as JSON. */
import { h } from "../../lib/dom.ts";
import { parse } from "../lib/json-text.ts";
import type { Field } from "./field.ts";

export function jsonField(): Field & { readonly control: HTMLTextAreaElement } {
  const control = h("textarea.form-json", { autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
  return {
    element: control,
    control,
    read(path, problems) {
      if (control.value.trim() === "") return undefined;
      const parsed = parse(control.value);
      if ("value" in parsed) return parsed.value;
      problems.set(path, parsed.problem);
      return undefined;
    },
    write(value) {
      control.value = value === undefined ? "" : JSON.stringify(value, null, 2);
      return true;
    },
  };
}
