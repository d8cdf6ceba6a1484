/** A value that may be null instead. */
import { h } from "../../lib/dom.ts";
import type { Field } from "./field.ts";

export function nullableField(field: Field): Field {
  const box = h("input", { type: "checkbox" });
  const show = () => {
    field.element.hidden = box.checked;
  };
  box.addEventListener("input", show);
  return {
    element: h("div", field.element, h("label.form-option", box, "null, instead of a value")),
    ...(field.control && { control: field.control }),
    read: (path, problems) => (box.checked ? null : field.read(path, problems)),
    write(value) {
      box.checked = value === null;
      show();
      return field.write(value ?? undefined);
    },
    show: (path, problem) => field.show?.(path, problem),
  };
}
