/** Groups of named values. Members that the schema does not name are kept. */
import { h } from "../../lib/dom.ts";
import { isRecord, type JsonSchema, listOf, resolve, textOf } from "../lib/schema.ts";
import { below, type Field, inPath, type Place } from "./field.ts";
import { recordField } from "./record.ts";

/** @returns the schema of values whose names the caller chooses; undefined if there are none, or of any kind */
export function recordOf({ additionalProperties, patternProperties }: JsonSchema): JsonSchema | undefined {
  const [pattern, ...more] = isRecord(patternProperties) ? Object.values(patternProperties) : [];
  const found = isRecord(additionalProperties) ? additionalProperties : more.length === 0 ? pattern : undefined;
  return isRecord(found) && Object.keys(found).length > 0 ? found : undefined;
}

export function objectField(place: Place): Field {
  const { schema, form, depth, name } = place;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = listOf(schema.required);
  const slots = Object.entries(properties).map(([key, property]) => {
    const label = textOf(resolve(property, form.root).title) || key || '""';
    const inside = { schema: property, label, name: inPath(name, key), required: required.includes(key) };
    return { key, slot: form.slot({ ...inside, depth: depth + 1, form }) };
  });
  const values = recordOf(schema);
  const record = values && recordField({ ...place, required: true }, values, Object.keys(properties));
  let others: [string, unknown][] = [];
  const note = h("p", { class: "form-hint" });
  // The longest first: a name may be the beginning of another.
  const byLength = slots.toSorted((a, b) => b.key.length - a.key.length);
  return {
    element: h(
      "div",
      { class: "form-fields" },
      slots.map(({ slot }) => slot.element),
      record?.element,
      note,
    ),
    read(path, problems) {
      const members = slots.map(({ key, slot }): [string, unknown] => [key, slot.read(inPath(path, key), problems)]);
      const named = record?.read(path, problems);
      if (isRecord(named)) members.push(...Object.entries(named));
      return Object.fromEntries([...members, ...others].filter(([, value]) => value !== undefined));
    },
    write(value = {}) {
      if (!isRecord(value)) return false;
      for (const { key, slot } of slots) slot.write(Object.hasOwn(value, key) ? value[key] : undefined);
      others = Object.entries(value).filter(([key]) => !Object.hasOwn(properties, key));
      if (record) {
        const named = others;
        others = [];
        return record.write(Object.fromEntries(named));
      }
      note.textContent =
        others.length > 0 ? `Also sent, to change as JSON: ${others.map(([key]) => key).join(", ")}` : "";
      return true;
    },
    show(path, problem) {
      for (const { key, slot } of byLength) {
        const inside = below(path, key);
        if (inside !== undefined) return slot.show(inside, problem);
      }
      return record?.show?.(path, problem);
    },
  };
}
