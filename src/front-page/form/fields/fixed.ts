/** A value that cannot be chosen: a constant, or one that only the server sets. */
import { h } from "../../lib/dom.ts";
import { plain, same } from "../lib/schema.ts";
import type { Field } from "./field.ts";

/** @param constant undefined: it is what is written to the field */
export function fixedField(constant?: unknown): Field {
  let value = constant;
  const control = h("output.form-json");
  const show = () => {
    control.textContent = value === undefined ? "set by the server" : plain(value);
  };
  show();
  return {
    element: control,
    control,
    read: () => value,
    write(written) {
      if (constant !== undefined) return written === undefined || same(written, constant);
      value = written;
      show();
      return true;
    },
  };
}
