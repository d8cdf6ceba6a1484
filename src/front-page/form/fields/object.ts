/** Groups of named values. Members that the schema does not name are sent as they were written. */
import { isRecord } from "../../../client/lib/json.ts";
import { h } from "../../lib/dom.ts";
import { type JsonSchema, listOf, resolve, textOf } from "../lib/schema.ts";
import { below, type Field, type FieldSpec, inPath } from "./field.ts";
import { recordField } from "./record.ts";

/** @returns the schema of the values whose names the caller chooses; undefined if it allows none, or any value */
export function recordOf({ additionalProperties, patternProperties }: JsonSchema): JsonSchema | undefined {
  const [pattern, ...more] = isRecord(patternProperties) ? Object.values(patternProperties) : [];
  const found = isRecord(additionalProperties) ? additionalProperties : more.length === 0 ? pattern : undefined;
  return isRecord(found) && Object.keys(found).length > 0 ? found : undefined;
}

export function objectField(spec: FieldSpec): Field {
  const { schema, form, depth, name } = spec;
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = listOf(schema.required);
  const fields = Object.entries(properties).map(([key, property]) => {
    const label = textOf(resolve(property, form.root).title) || key || '""';
    const inside = { schema: property, label, name: inPath(name, key), required: required.includes(key) };
    return { key, field: form.labelledField({ ...inside, depth: depth + 1, form }) };
  });
  const values = recordOf(schema);
  const record = values && recordField({ ...spec, required: true }, values, Object.keys(properties));
  let others: [string, unknown][] = [];
  const note = h("p.quiet-text");
  // The longest first: one name may begin with another.
  const byLength = fields.toSorted((a, b) => b.key.length - a.key.length);
  return {
    element: h(
      "div.form-fields",
      fields.map(({ field }) => field.element),
      record?.element,
      note,
    ),
    read(path, problems) {
      const members = fields.map(({ key, field }): [string, unknown] => [key, field.read(inPath(path, key), problems)]);
      const named = record?.read(path, problems);
      if (isRecord(named)) members.push(...Object.entries(named));
      return Object.fromEntries([...members, ...others].filter(([, value]) => value !== undefined));
    },
    write(value = {}) {
      if (!isRecord(value)) return false;
      for (const { key, field } of fields) field.write(Object.hasOwn(value, key) ? value[key] : undefined);
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
      for (const { key, field } of byLength) {
        const inside = below(path, key);
        if (inside !== undefined) return field.show(inside, problem);
      }
      return record?.show?.(path, problem);
    },
  };
}
