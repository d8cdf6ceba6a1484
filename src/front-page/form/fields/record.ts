/** Values whose names the caller chooses. */
import { isRecord } from "../../../client/lib/json.ts";
import { fill, h } from "../../lib/dom.ts";
import {
  actions,
  below,
  button,
  changed,
  type Field,
  type FieldSpec,
  inPath,
  type LabelledField,
  MAX_ENTRIES,
} from "./field.ts";

interface Row {
  readonly input: HTMLInputElement;
  readonly field: LabelledField;
  readonly element: HTMLElement;
}

/**
 * @param values the schema of the values
 * @param taken  names that other fields have
 */
export function recordField(spec: FieldSpec, values: unknown, taken: readonly string[] = []): Field {
  const { label, required, form, depth, name } = spec;
  const rows = new Set<Row>();
  const list = h("ul.form-rows");
  const add = button(`Add a name to ${label || "the input"}`, () => {
    push("").input.focus();
    changed(list);
  });

  function push(key: string): Row {
    const input = h("input", { type: "text", autocomplete: "off", "aria-label": `Name in ${label || "the input"}` });
    const field = form.labelledField({
      schema: values,
      label: "",
      name: `${name}[]`,
      required: true,
      depth: depth + 1,
      form,
    });
    const removal = button("Remove", () => {
      const index = [...rows].indexOf(row);
      rows.delete(row);
      row.element.remove();
      changed(list);
      ([...rows][index]?.input ?? add).focus();
    });
    const rename = () => {
      field.rename(`Value of ${input.value || "the name"}`);
      removal.ariaLabel = `Remove ${input.value || "the name"}`;
    };
    const row = {
      input,
      field,
      element: h("li", input, field.element, actions(removal)),
    };
    input.value = key;
    input.addEventListener("input", rename);
    rename();
    rows.add(row);
    list.append(row.element);
    return row;
  }

  return {
    element: h("div.form-list", list, actions(add)),
    read(path, problems) {
      if (rows.size === 0 && !required) return undefined;
      const members = new Map<string, unknown>();
      for (const { input, field } of rows) {
        const key = input.value;
        const at = inPath(path, key);
        if (key === "") problems.set(path, "Each value needs a name.");
        else if (members.has(key) || taken.includes(key))
          problems.set(at, `There are two values with the name ${key}.`);
        else members.set(key, field.read(at, problems));
      }
      return Object.fromEntries([...members].filter(([, value]) => value !== undefined));
    },
    write(value) {
      if (value !== undefined && !isRecord(value)) return false;
      const entries = Object.entries(value ?? {});
      if (entries.length > Math.min(MAX_ENTRIES, form.left)) return false;
      rows.clear();
      fill(list);
      for (const [key, member] of entries) push(key).field.write(member);
      // A name is lost if an input cannot hold it: an input has no ends of lines.
      return entries.every(([key], index) => key !== "" && [...rows][index]?.input.value === key);
    },
    show(path, problem) {
      for (const { input, field } of [...rows].reverse()) {
        const inside = input.value && below(path, input.value);
        if (typeof inside === "string" && input.value) return field.show(inside, problem);
      }
      return undefined;
    },
  };
}
