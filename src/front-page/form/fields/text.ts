/** Texts: in one line, in several lines, or in the browser's own control for their format. */
import { h } from "../../lib/dom.ts";
import { count } from "../../lib/words.ts";
import { formatOf } from "../lib/formats.ts";
import { type JsonSchema, numberOf, textOf } from "../lib/schema.ts";
import type { Field, FieldSpec } from "./field.ts";
import { suggestions } from "./suggestions.ts";

const LONG_NAMES = /(^|[._-])(text|body|message|markdown|csv|code|html|content|prompt)$/i;

/** Whether its control is a textarea. */
function isLong({ schema, name }: Pick<FieldSpec, "schema" | "name">): boolean {
  const most = numberOf(schema.maxLength);
  return !schema.format && (most !== undefined ? most > 200 : LONG_NAMES.test(name));
}

/** @param inLines whether it is a textarea, which can hold several lines */
export function textField(spec: FieldSpec, inLines = isLong(spec)): Field {
  const { schema, required } = spec;
  const placeholder = textOf(schema.default);
  const common = { autocomplete: "off", placeholder, spellcheck: inLines ? "true" : "false" };
  const type = formatOf(schema.format)?.control ?? "text";
  const control = inLines
    ? h("textarea", { ...common, rows: 3 })
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

/** The pattern is left to the server: some take longer than any time, and nothing can interrupt the browser. */
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
