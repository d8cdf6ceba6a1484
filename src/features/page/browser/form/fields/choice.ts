/** One or several of the values that a schema names. */
import { h, newId } from "../../lib/dom.ts";
import { count } from "../../lib/words.ts";
import { type Choice, type JsonSchema, listOf, numberOf, same } from "../lib/schema.ts";
import type { Field, FieldSpec } from "./field.ts";

const FEW = 3;
const MANY = 50;
const NOT_SET = "not set";

interface Chooser extends Pick<Field, "element" | "control"> {
  /** The index of what is chosen; -1 if nothing is, undefined if what was typed is none of the choices. */
  get(): number | undefined;
  set(index: number): void;
}

/** One value: radio buttons for few, a select for more, an input with suggestions for very many. */
export function choiceField(spec: FieldSpec, choices: readonly Choice[]): Field {
  const labels = choices.map(({ label }) => label);
  const make = labels.length <= FEW ? radios : labels.length <= MANY ? select : typed;
  const { element, control, get, set } = make(labels, spec);
  return {
    element,
    ...(control && { control }),
    read(path, problems) {
      const index = get();
      if (index === undefined) problems.set(path, "This is not one of the suggestions.");
      return choices[index ?? -1]?.value;
    },
    write(value) {
      const index = choices.findIndex((choice) => same(choice.value, value));
      set(index);
      return index >= 0 || value === undefined;
    },
  };
}

function radios(labels: readonly string[], { required, form }: FieldSpec): Chooser {
  const name = newId(form.prefix);
  const all = (required ? labels : [...labels, NOT_SET]).map((label, index) => {
    const input = h("input", { type: "radio", name, value: index });
    return { input, element: h("label.form-option", input, label) };
  });
  const options = all.map(({ element }) => element);
  const set = (index: number) => {
    for (const [each, { input }] of all.entries())
      input.checked = each === index || (index < 0 && each === labels.length);
  };
  set(-1);
  return {
    element: h("div.acts", options),
    get: () => {
      const index = all.findIndex(({ input }) => input.checked);
      return index < labels.length ? index : -1;
    },
    set,
  };
}

function select(labels: readonly string[], { required }: FieldSpec): Chooser {
  const control = h(
    "select",
    h("option", { value: -1 }, required ? "choose one" : NOT_SET),
    labels.map((label, index) => h("option", { value: index }, label)),
  );
  return {
    element: control,
    control,
    get: () => Number(control.value),
    set: (index) => {
      control.value = String(index);
    },
  };
}

function typed(labels: readonly string[], { form }: FieldSpec): Chooser {
  const list = h(
    "datalist",
    { id: newId(form.prefix) },
    labels.map((label) => h("option", { value: label })),
  );
  const control = h("input", { type: "text", list: list.id, autocomplete: "off", placeholder: "type to search" });
  return {
    element: h("div", control, list),
    control,
    get: () => {
      const index = labels.indexOf(control.value);
      return index < 0 && control.value !== "" ? undefined : index;
    },
    set: (index) => {
      control.value = labels[index] ?? "";
    },
  };
}

/** Any number of the values of a list: a checkbox for each. */
export function choicesField({ schema, required }: FieldSpec, choices: readonly Choice[]): Field {
  const boxes = choices.map(({ value, label }) => {
    const input = h("input", { type: "checkbox" });
    return { input, value, element: h("label.form-option", input, label) };
  });
  const options = boxes.map(({ element }) => element);
  return {
    element: h("div.acts", options),
    read(path, problems) {
      const chosen = boxes.filter(({ input }) => input.checked).map(({ value }) => value);
      if (chosen.length === 0 && !required) return undefined;
      const problem = wrongLength(chosen.length, schema);
      if (problem) problems.set(path, problem);
      return chosen;
    },
    write(value) {
      const values = listOf(value);
      for (const { input, value } of boxes) input.checked = values.some((each) => same(each, value));
      const isShown = values.length === boxes.filter(({ input }) => input.checked).length;
      return value === undefined || (Array.isArray(value) && isShown);
    },
  };
}

/** @returns what is wrong if a list has so many entries; "" if nothing is */
export function wrongLength(length: number, schema: JsonSchema): string {
  const [least = 0, most = length] = [numberOf(schema.minItems), numberOf(schema.maxItems)];
  if (length < least) return `This needs at least ${count(least, "entry")}.`;
  return length > most ? `This may have at most ${count(most, "entry")}.` : "";
}
