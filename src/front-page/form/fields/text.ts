/** Texts: in a line, in several lines, with the browser's own control for their format. */
import { h } from "../../lib/dom.ts";
import { numberOf, textOf } from "../lib/schema.ts";
import { amount } from "../lib/words.ts";
import type { Field, Place } from "./field.ts";
import { suggestions } from "./suggestions.ts";

const TYPES: Readonly<Record<string, string>> = {
  email: "email",
  uri: "url",
  url: "url",
  date: "date",
  "date-time": "datetime-local",
  password: "password",
};
const LONG_NAMES = /(^|[._-])(text|body|message|markdown|csv|code|html|content|prompt)$/i;

/** Whether its control is a textarea. */
export function isLong({ schema, name }: Pick<Place, "schema" | "name">): boolean {
  const most = numberOf(schema.maxLength);
  return !schema.format && (most !== undefined ? most > 200 : LONG_NAMES.test(name));
}

/** @param inLines even if it looks like a short text */
export function textField(place: Place, inLines = isLong(place)): Field {
  const { schema, required } = place;
  const placeholder = textOf(schema.default);
  const common = { autocomplete: "off", placeholder, spellcheck: inLines ? "true" : "false" };
  const type = TYPES[textOf(schema.format)] ?? "text";
  const control = inLines
    ? h("textarea", { ...common, rows: 3 })
    : h("input", { ...common, type, step: type === "datetime-local" && 1 });
  const isTime = control.type === "datetime-local";
  if (control instanceof HTMLTextAreaElement) grow(control);
  const element = control instanceof HTMLInputElement ? h("div", {}, control, suggestions(control, place)) : control;
  return {
    element,
    control,
    read(path, problems) {
      const text = control.value;
      if (control.validity.badInput) problems.set(path, "This is not complete.");
      if (text === "") {
        if (required && wrong(text, place)) problems.set(path, "This is required.");
        // Whoever means an empty text writes it as JSON: an empty field is more often one that was forgotten.
        return undefined;
      }
      // Without a time zone, as the control has it, it is not a date-time of RFC 3339.
      const value = isTime ? new Date(text).toISOString() : text;
      const problem = wrong(value, place);
      if (problem) problems.set(path, problem);
      return value;
    },
    write(value = "") {
      if (typeof value !== "string") return false;
      const shown = value && (isTime ? localTime(value) : control.type === "date" ? day(value) : value);
      if (shown === undefined) return false;
      control.value = shown;
      control.dispatchEvent(new Event("grow"));
      // The control drops what it cannot hold, such as the end of a line.
      return control.value === shown;
    },
  };
}

function wrong(text: string, { schema }: Place): string | undefined {
  const length = [...text].length;
  const [least = 0, most = Number.POSITIVE_INFINITY] = [numberOf(schema.minLength), numberOf(schema.maxLength)];
  if (length < least) return `This needs at least ${amount(least, "character")}.`;
  if (length > most) return `This has ${length} characters, and may have ${most}.`;
  if (text === "" && schema.format) return "This is empty.";
  const pattern = textOf(schema.pattern);
  return pattern && !matches(text, pattern) ? `This does not match the pattern ${pattern}` : undefined;
}

function matches(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    // Another dialect: the server knows.
    return true;
  }
}

/** The same text; undefined if it is no day of the calendar. */
function day(value: string): string | undefined {
  const date = new Date(`${value}T00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${value}T`) ? value : undefined;
}

/** `2026-03-01T09:30`, or with seconds, on the clock of this computer; undefined if it is no time. */
function localTime(value: string): string | undefined {
  const time = /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).getTime() : Number.NaN;
  const date = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  if (!(date.getUTCFullYear() > 0) || date.getUTCFullYear() > 9999) return undefined;
  return date.toISOString().replace(/(:00)?\.\d+Z$/, "");
}

/** As high as its text, within limits: beyond them it scrolls. */
export function grow(area: HTMLTextAreaElement): void {
  const least = area.rows;
  const fit = () => {
    area.rows = Math.min(20, Math.max(least, area.value.split("\n").length));
  };
  area.addEventListener("input", fit);
  // Written by the form.
  area.addEventListener("grow", fit);
}
