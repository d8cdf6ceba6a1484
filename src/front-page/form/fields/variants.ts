/** A value with several forms: the choice of one, and its fields. */
import { isRecord } from "../../../client/lib/json.ts";
import { fill, h } from "../../lib/dom.ts";
import { fits, type JsonSchema, plain, resolve, textOf, typeOf } from "../lib/schema.ts";
import { words } from "../lib/words.ts";
import type { Field, FieldSpec, LabelledField } from "./field.ts";

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
  const element = h("div", chooser.element);
  const rest = h("div");
  element.append(rest);
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
    element,
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

/** Its title, or the constant that tells it from the others, or what it must have, or what it is in words. */
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
