/**
 * Values that hold others: groups of named values, those that may be null or left out, and those with several forms.
 */
import { isRecord } from "../../../../../client/lib/json.ts";
import { fill, h } from "../../lib/dom.ts";
import { fits, type JsonSchema, listOf, plain, resolve, textOf, typeOf } from "../lib/schema.ts";
import { words } from "../lib/words.ts";
import {
  actions,
  below,
  button,
  changed,
  type Field,
  type FieldSpec,
  firstControl,
  inPath,
  type LabelledField,
} from "./field.ts";
import { recordField } from "./rows.ts";

/** @returns the schema of the values whose names the caller chooses; undefined if it allows none, or any value */
export function recordOf({ additionalProperties, patternProperties }: JsonSchema): JsonSchema | undefined {
  const [pattern, ...more] = isRecord(patternProperties) ? Object.values(patternProperties) : [];
  const found = isRecord(additionalProperties) ? additionalProperties : more.length === 0 ? pattern : undefined;
  return isRecord(found) && Object.keys(found).length > 0 ? found : undefined;
}

/** Groups of named values. Members that the schema does not name are sent as they were written. */
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
  const elements = fields.map(({ field }) => field.element);
  const note = h("p.quiet-text");
  // The longest first: one name may begin with another.
  const byLength = fields.toSorted((a, b) => b.key.length - a.key.length);
  return {
    element: h("div.form-fields", elements, record?.element, note),
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
      const named = Object.fromEntries(others);
      if (record) others = [];
      const names = others.map(([key]) => key).join(", ");
      note.textContent = others.length > 0 ? `Also sent, to change as JSON: ${names}` : "";
      return record?.write(named) ?? true;
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

/** An optional group: added and removed as a whole. Its fields are made when it is added: a schema may hold itself. */
export function optionalField(spec: FieldSpec, make: (spec: FieldSpec) => Field): Field {
  let field: Field | undefined;
  const element = h("div");
  const add = button(`Add ${spec.label}`, () => {
    const { element: inside } = open();
    changed(element);
    firstControl(inside).focus();
  });
  const remove = button(`Remove ${spec.label}`, () => {
    close();
    changed(element);
    add.focus();
  });
  function open(): Field {
    field = make({ ...spec, required: true });
    fill(element, field.element, actions(remove));
    return field;
  }
  function close(): void {
    field = undefined;
    fill(element, actions(add));
  }
  close();
  return {
    element,
    read: (path, problems) => field?.read(path, problems),
    write(value) {
      if (value !== undefined) return open().write(value);
      close();
      return true;
    },
    show: (path, problem) => field?.show?.(path, problem),
  };
}

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

/** A value with several forms: the choice of one, and its fields. */
export function variantsField(spec: FieldSpec, variants: readonly JsonSchema[]): Field {
  const { form, label, depth } = spec;
  const labels = variants.map((variant) => labelOf(variant, variants, form.root));
  const chooser = form.labelledField({
    ...spec,
    // The whole has no label.
    label: label ? `Form of ${label}` : "Form of the input",
    name: "",
    schema: { oneOf: labels.map((title, index) => ({ const: index, title })) },
    depth: depth + 1,
  });
  const rest = h("div");
  let field: LabelledField | undefined;
  const choose = (index: unknown) => {
    field = undefined;
    if (typeof index === "number" && labels[index] !== undefined) {
      const schema = variants[index] ?? {};
      const named = typeOf(schema) === "object" ? labels[index] : label;
      field = form.labelledField({ ...spec, schema, label: named, required: true, depth: depth + 1 });
    }
    fill(rest, field?.element);
  };
  chooser.element.addEventListener("input", () => choose(chooser.read("", new Map())));
  return {
    element: h("div", chooser.element, rest),
    read(path, problems) {
      const index = chooser.read(path, problems);
      return index === undefined ? undefined : field?.read(path, problems);
    },
    write(value) {
      const index = value === undefined ? undefined : variants.findIndex((variant) => fits(value, variant, form.root));
      if (index === -1) return false;
      chooser.write(index);
      choose(index);
      if (index !== undefined) field?.write(value);
      return true;
    },
    show: (path, problem) => (path === "" ? undefined : field?.show(path, problem)),
  };
}

/** Labels a variant by its title, the constant that tells it from the others, its required members, or its type. */
function labelOf(variant: JsonSchema, variants: readonly JsonSchema[], root: JsonSchema): string {
  const title = textOf(variant.title);
  if (title) return title;
  const constant = (schema: JsonSchema, name: string) =>
    isRecord(schema.properties) ? resolve(schema.properties[name], root).const : undefined;
  const telling = Object.keys(isRecord(variant.properties) ? variant.properties : {}).find((name) =>
    variants.every((other) => constant(other, name) !== undefined),
  );
  if (telling !== undefined) return plain(constant(variant, telling));
  const names = typeOf(variant) === "object" && Array.isArray(variant.required) ? variant.required.map(plain) : [];
  return names.length > 0 ? `with ${names.join(", ")}` : words(variant, root);
}
