/** One of several forms of a value: a choice, and the fields of what is chosen. */
import { fill, h } from "../../lib/dom.ts";
import { fits, isRecord, type JsonSchema, plain, resolve, textOf, typeOf } from "../lib/schema.ts";
import { words } from "../lib/words.ts";
import type { Field, Place, Slot } from "./field.ts";

export function variantsField(place: Place, variants: readonly JsonSchema[]): Field {
  const { form, label, depth } = place;
  const labels = variants.map((variant) => labelOf(variant, variants, form.root));
  const chooser = form.slot({
    ...place,
    // A label may not be that of the whole.
    label: label ? `Form of ${label}` : "Form of the input",
    name: "",
    schema: { oneOf: labels.map((title, index) => ({ const: index, title })) },
    depth: depth + 1,
  });
  const element = h("div", {}, chooser.element);
  const rest = h("div", {});
  element.append(rest);
  let slot: Slot | undefined;
  const choose = (index: unknown) => {
    slot = undefined;
    if (typeof index === "number" && labels[index] !== undefined) {
      const schema = variants[index] ?? {};
      const named = typeOf(schema) === "object" ? labels[index] : label;
      slot = form.slot({ ...place, schema, label: named, required: true, depth: depth + 1 });
    }
    fill(rest, slot?.element);
  };
  chooser.element.addEventListener("input", () => choose(chooser.read("", new Map())));
  return {
    element,
    read(path, problems) {
      const index = chooser.read(path, problems);
      return index === undefined ? undefined : slot?.read(path, problems);
    },
    write(value) {
      const index = value === undefined ? undefined : variants.findIndex((variant) => fits(value, variant, form.root));
      if (index === -1) return false;
      chooser.write(index);
      choose(index);
      if (index !== undefined) slot?.write(value);
      return true;
    },
    show: (path, problem) => (path === "" ? undefined : slot?.show(path, problem)),
  };
}

/** Its title, or the constant by which it is told from the others, or what it is in words. */
function labelOf(variant: JsonSchema, variants: readonly JsonSchema[], root: JsonSchema): string {
  const title = textOf(variant.title);
  if (title) return title;
  const constant = (schema: JsonSchema, name: string) =>
    isRecord(schema.properties) ? resolve(schema.properties[name], root).const : undefined;
  const telling = Object.keys(isRecord(variant.properties) ? variant.properties : {}).find((name) =>
    variants.every((other) => constant(other, name) !== undefined),
  );
  return telling === undefined ? words(variant, root) : plain(constant(variant, telling));
}
