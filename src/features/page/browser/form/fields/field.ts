/** What all kinds of fields have in common. */
import { h } from "../../lib/dom.ts";
import type { JsonSchema } from "../lib/schema.ts";

/** The controls for one value, without their label. */
export interface Field {
  readonly element: HTMLElement;
  /** What the label is for. undefined: there are several controls, and a legend names them all. */
  readonly control?: HTMLElement;
  /**
   * Reads what is filled in now. Shows nothing, so it may be called at any time.
   *
   * @param path     of the value from the top: `address.city`, `items[0]`
   * @param problems gets what is wrong, by path
   * @returns undefined if nothing is filled in
   */
  read(path: string, problems: Problems): unknown;
  /**
   * @param value undefined: nothing is filled in
   * @returns false if it cannot show this value
   */
  write(value: unknown): boolean;
  /**
   * Shows a problem at a field inside this one.
   *
   * @param path from here
   * @returns what to focus; undefined if there is no such field
   */
  show?(path: string, problem: string): HTMLElement | undefined;
}

/** A field with its label, description and problem. It can show every value, if need be as JSON. */
export interface LabelledField extends Field {
  rename(label: string): void;
  /** Shows a problem at the field inside with this path, or here if there is none. */
  show(path: string, problem: string): HTMLElement;
  /** Shows a problem at a field inside this one; undefined if there is no such field. */
  showInside(path: string, problem: string): HTMLElement | undefined;
}

export type Problems = Map<string, string>;

export interface FieldSpec {
  readonly schema: JsonSchema;
  readonly label: string;
  /** Its path from the top. The server is asked for completions with it. */
  readonly name: string;
  readonly required: boolean;
  /** How many fields it is in. */
  readonly depth: number;
  readonly form: FormContext;
}

/** A spec whose schema is not resolved yet: it may be anything. */
export type UnresolvedSpec = Omit<FieldSpec, "schema"> & { readonly schema: unknown };

/** What the fields of one form share. */
export interface FormContext {
  /** The whole schema, which references point into. */
  readonly root: JsonSchema;
  readonly prefix: string;
  readonly complete?: ((name: string, value: string) => Promise<readonly string[]>) | undefined;
  /** Shown at each secret. */
  readonly passwordNote?: string | undefined;
  labelledField(spec: UnresolvedSpec): LabelledField;
  /** Functions that each hide one problem. */
  readonly shown: Set<() => void>;
  /** How many more fields may be made: a schema that requires itself would otherwise never end. */
  left: number;
}

/** Tells the form that something was added, removed or moved. The browser itself tells it what is typed. */
export function changed(element: HTMLElement): void {
  element.dispatchEvent(new Event("input", { bubbles: true }));
}

export const inPath = (path: string, name: string): string => (path ? `${path}.${name}` : name);

/** @returns the rest of the path if it begins with this name or `[index]`; undefined if it does not */
export function below(path: string, start: string): string | undefined {
  if (path === start) return "";
  if (!path.startsWith(start)) return undefined;
  const rest = path.slice(start.length);
  return rest.startsWith(".") ? rest.slice(1) : rest.startsWith("[") ? rest : undefined;
}

/** The first control in an element; the element itself if it has none. */
export function firstControl(element: HTMLElement): HTMLElement {
  return element.querySelector<HTMLElement>("input, select, textarea, button") ?? element;
}

/** A button that does not send the form. */
export function button(text: string, press: () => void): HTMLButtonElement {
  return h("button.quiet", { click: press }, text);
}

export function actions(...buttons: readonly HTMLButtonElement[]): HTMLElement {
  return h("div.acts", buttons);
}
