/** One value in one control: texts, numbers, yes or no, constants, and anything as JSON. */
import { fill, h, newId } from "../../lib/dom.ts";
import { count } from "../../lib/words.ts";
import { formatOf } from "../lib/formats.ts";
import { parse, rounds } from "../lib/json-text.ts";
import { type JsonSchema, listOf, numberOf, plain, same, textOf, typeOf } from "../lib/schema.ts";
import type { Field, FieldSpec } from "./field.ts";

const LONG_NAMES = /(^|[._-])(text|body|message|markdown|csv|code|html|content|prompt)$/i;

/** Whether its control is a textarea. */
function isLong({ schema, name }: Pick<FieldSpec, "schema" | "name">): boolean {
  const most = numberOf(schema.maxLength);
  return !schema.format && (most !== undefined ? most > 200 : LONG_NAMES.test(name));
}

/**
 * A text in one line, in several lines, or in the browser's own control for its format.
 *
 * @param inLines whether it is a textarea, which can hold several lines
 */
export function textField(spec: FieldSpec, inLines = isLong(spec)): Field {
  const { schema, required } = spec;
  const placeholder = textOf(schema.default);
  const common = { autocomplete: "off", placeholder, spellcheck: inLines ? "true" : "false" };
  const type = formatOf(schema.format)?.control ?? "text";
  const control = inLines
    ? h("textarea", common)
    : h("input", { ...common, type, step: type === "datetime-local" && 1 });
  const isTime = control.type === "datetime-local";
  const element = control instanceof HTMLInputElement ? h("div", control, suggestions(control, spec)) : control;
  return {
    element,
    control,
    read(path, problems) {
      const text = control.value;
      if (control.validity.badInput) problems.set(path, "This is not complete.");
      if (text === "") {
        if (required && (schema.format || wrong(text, schema))) problems.set(path, "This is required.");
        // An empty field is more often forgotten than meant. Whoever means an empty text can write it as JSON.
        return undefined;
      }
      // The control has no time zone, and a date-time needs one (RFC 3339).
      const value = isTime ? new Date(text).toISOString() : text;
      const problem = wrong(value, schema);
      if (problem) problems.set(path, problem);
      return value;
    },
    write(value = "") {
      if (typeof value !== "string") return false;
      const shown = value && (isTime ? localTime(value) : control.type === "date" ? day(value) : value);
      if (shown === undefined) return false;
      control.value = shown;
      // The control drops what it cannot hold, such as ends of lines.
      return control.value === shown;
    },
  };
}

/** Says what is wrong. The server checks the pattern: some patterns never end, and a browser cannot interrupt them. */
function wrong(text: string, schema: JsonSchema): string | undefined {
  const length = [...text].length;
  const [least = 0, most = Number.POSITIVE_INFINITY] = [numberOf(schema.minLength), numberOf(schema.maxLength)];
  if (length < least) return `This needs at least ${count(least, "character")}.`;
  if (length > most) return `This has ${count(length, "character")}, and may have ${most.toLocaleString("en")}.`;
  return undefined;
}

/** The text itself; undefined if it is not a day of the calendar. */
function day(value: string): string | undefined {
  const date = new Date(`${value}T00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${value}T`) ? value : undefined;
}

/** `2026-03-01T09:30`, or with seconds, on the clock of this computer; undefined if it is not a time. */
function localTime(value: string): string | undefined {
  const time = /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).getTime() : Number.NaN;
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  if (!(date.getUTCFullYear() > 0) || date.getUTCFullYear() > 9999) return undefined;
  return date.toISOString().replace(/(:00)?\.\d+Z$/, "");
}

export function numberField(spec: FieldSpec): Field {
  const { schema } = spec;
  const isWhole = typeOf(schema) === "integer";
  const control = h("input", {
    type: "number",
    inputmode: isWhole && (numberOf(schema.minimum) ?? -1) >= 0 ? "numeric" : "decimal",
    min: numberOf(schema.minimum),
    max: numberOf(schema.maximum),
    step: numberOf(schema.multipleOf) ?? (isWhole ? 1 : "any"),
    placeholder: numberOf(schema.default),
    autocomplete: "off",
  });
  const wrong = (value: number): string => {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
    if (isWhole && !Number.isInteger(value)) return "This must be a whole number.";
    if (value < Number(minimum)) return `This must be at least ${minimum}.`;
    if (value > Number(maximum)) return `This must be at most ${maximum}.`;
    if (value <= Number(exclusiveMinimum)) return `This must be more than ${exclusiveMinimum}.`;
    return value >= Number(exclusiveMaximum) ? `This must be less than ${exclusiveMaximum}.` : "";
  };
  return {
    element: h("div", control, suggestions(control, spec)),
    control,
    read(path, problems) {
      const text = control.value;
      if (control.validity.badInput) problems.set(path, "This is not a number.");
      if (text === "") return undefined;
      // -0 becomes 0, as it does in JSON.
      const value = Number(text) + 0;
      const problem = rounds(text, value) || wrong(value);
      if (problem) problems.set(path, problem);
      return value;
    },
    write(value) {
      if (value !== undefined && typeof value !== "number") return false;
      control.value = value === undefined ? "" : String(value);
      return true;
    },
  };
}

/** Yes or no, for a value that is required or has a default: a checkbox has no third state. */
export function checkboxField({ schema, required }: FieldSpec): Field {
  const input = () => {
    isSet = true;
  };
  const control = h("input.form-check", { type: "checkbox", input });
  let isSet = required;
  control.checked = schema.default === true;
  return {
    element: h("div", control),
    control,
    read: () => (isSet ? control.checked : undefined),
    write(value) {
      if (value !== undefined && typeof value !== "boolean") return false;
      isSet = required || value !== undefined;
      control.checked = value ?? schema.default === true;
      return true;
    },
  };
}

/**
 * A value that cannot be chosen: a constant, or one that only the server sets.
 *
 * @param constant undefined if the value is whatever is written to the field
 */
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

/** The server is asked once nobody has typed for this long. */
const PAUSE_MS = 150;

/**
 * Examples of the schema, and completions of the server, while somebody types.
 *
 * @returns the list to put next to the input; undefined if there is nothing to suggest
 */
export function suggestions(input: HTMLInputElement, { schema, name, form }: FieldSpec): HTMLElement | undefined {
  const examples = listOf(schema.examples).filter(
    (example) => typeof example === "string" || typeof example === "number",
  );
  const { complete } = form;
  // A secret is sent nowhere but with the call.
  if (input.type === "password" || (examples.length === 0 && !complete)) return undefined;
  const list = h("datalist", { id: newId(form.prefix) }, examples.map(option));
  input.setAttribute("list", list.id);
  if (!complete || input.type === "number") return list;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let latest = 0;
  const ask = async (question: number) => {
    // Completions are a convenience: where they fail, the examples remain.
    const found = await complete(name, input.value).catch(() => []);
    // Unless more was typed in between.
    if (question === latest) fill(list, [...found, ...examples].map(option));
  };
  for (const event of ["input", "focus"])
    input.addEventListener(event, () => {
      clearTimeout(timer);
      latest += 1;
      timer = setTimeout(ask, PAUSE_MS, latest);
    });
  return list;
}

const option = (value: string | number) => h("option", { value });
