/** A form for any JSON Schema of an object. */
import { isRecord } from "../../../../client/lib/json.ts";
import { type Child, fill, h, newId } from "../lib/dom.ts";
import type { JsonSchema } from "../lib/model.ts";
import { button, type FormContext, type Problems } from "./fields/field.ts";
import { jsonField } from "./fields/simple.ts";
import { labelledField } from "./labelled.ts";
import { parse } from "./lib/json-text.ts";

export { defaultsOf } from "./lib/schema.ts";

export interface InputForm {
  /** Belongs in a {@link formElement}, without the browser's own checks: they know less than the server. */
  readonly element: HTMLElement;
  /**
   * What is filled in. What was not touched is left out, so that the server's defaults apply. Shows nothing, so it may
   * be called at any time.
   *
   * @returns problems by path (`address.city`, `items[0]`; "" is the whole): only those that are certain
   */
  read(): { readonly value: Record<string, unknown> } | { readonly problems: ReadonlyMap<string, string> };
  /** What is filled in; undefined if something that is required is missing, or something is wrong. */
  value(): Record<string, unknown> | undefined;
  /**
   * Shows these problems instead of earlier ones, and focuses the first. A problem goes away when its field changes.
   *
   * @param problems by path: `address.city`, `items[0]` or `items.0`; those of unknown paths are at the top
   */
  showProblems(problems: ReadonlyMap<string, string>): void;
}

export interface FormOptions {
  readonly idPrefix?: string;
  /** Asks for completions of a text; may fail. @param name path of the field */
  readonly complete?: (name: string, value: string) => Promise<readonly string[]>;
  /** A sentence that is shown at each secret. */
  readonly passwordNote?: string;
  /** What is filled in at first: any value. See {@link defaultsOf} for questions over MCP. */
  readonly initial?: Readonly<Record<string, unknown>>;
}

/** The most fields that are made at once. What is deeper in the schema is JSON until it is added. */
const MAX_FIELDS = 1_000;
const NO_OBJECT = "This must be an object: { … }.";

export function inputForm(schema: JsonSchema, options: FormOptions = {}): InputForm {
  const { idPrefix = "input", complete, passwordNote, initial } = options;
  const context: FormContext = {
    root: schema,
    prefix: idPrefix,
    complete,
    passwordNote,
    labelledField,
    shown: new Set(),
    left: MAX_FIELDS,
  };
  const whole = labelledField({ schema, label: "", name: "", required: true, depth: 0, form: context });
  const top = h("p.form-problem", { id: newId(`${idPrefix}-top`), hidden: true, tabindex: "-1" });
  const json = jsonField();
  json.control.ariaLabel = "Input as JSON";
  json.control.setAttribute("aria-describedby", top.id);
  /** The JSON text when it last matched the fields. */
  let jsonInSync = "";
  const body = h("div", whole.element);
  const modes = [button("Form", () => switchMode(false)), button("JSON", () => switchMode(true))];
  const modeButtons = h("div.acts.form-modes", { role: "group", "aria-label": "Edit as" }, modes);
  const hasFields = whole.element.querySelector("input, select, textarea, button, output") !== null;
  const nothing = !hasFields && h("p.quiet-text", "There is nothing to fill in.");
  const element = h("div.form", hasFields && modeButtons, top, nothing, body);
  const isJson = () => body.contains(json.control);
  markMode();

  function markMode(): void {
    for (const [index, mode] of modes.entries()) mode.ariaPressed = String(isJson() === (index === 1));
  }

  function switchMode(toJson: boolean): void {
    if (toJson === isJson()) return;
    clear();
    if (toJson) {
      json.write(whole.read("", new Map()));
      jsonInSync = json.control.value;
    } else if (json.control.value !== jsonInSync) {
      const problems: Problems = new Map();
      const value = readJson(problems);
      if (problems.size > 0) {
        show(problems);
        return;
      }
      whole.write(value);
    }
    fill(body, toJson ? json.element : whole.element);
    markMode();
  }

  function readJson(problems: Problems): unknown {
    const parsed = parse(json.control.value.trim() || "{}");
    if ("problem" in parsed) problems.set("", parsed.problem);
    else if (isRecord(parsed.value)) return parsed.value;
    else problems.set("", NO_OBJECT);
    return undefined;
  }

  function clear(): void {
    for (const hide of context.shown) hide();
    top.hidden = true;
    json.control.ariaInvalid = null;
  }

  function show(problems: ReadonlyMap<string, string>): void {
    clear();
    let first: HTMLElement | undefined;
    const general: string[] = [];
    for (const [path, problem] of problems) {
      const at = isJson() || path === "" ? undefined : whole.showInside(path, problem);
      if (at && (!first || at.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING)) first = at;
      if (!at) general.push(path ? `${path}: ${problem}` : problem);
    }
    top.textContent = general.join("\n");
    top.hidden = general.length === 0;
    if (isJson() && general.length > 0) json.control.ariaInvalid = "true";
    if (problems.size > 0) (isJson() ? json.control : general.length > 0 ? top : first)?.focus();
  }

  const refill = () => {
    context.left = MAX_FIELDS;
  };
  // Runs before the handler of what was clicked, which may make fields.
  element.addEventListener("click", refill, true);
  json.control.addEventListener("input", clear);
  if (initial) {
    refill();
    whole.write(initial);
  }
  const read: InputForm["read"] = () => {
    const problems: Problems = new Map();
    const value = isJson() ? readJson(problems) : whole.read("", problems);
    if (problems.size === 0 && isRecord(value)) return { value: structuredClone(value) };
    if (problems.size === 0) problems.set("", NO_OBJECT);
    return { problems };
  };
  const value = () => {
    const now = read();
    return "value" in now ? now.value : undefined;
  };
  return { element, read, value, showProblems: show };
}

/**
 * A `<form>` with these fields.
 *
 * @param send called with what is filled in, unless something is wrong: then the fields show it
 * @param rest what is below the fields, with a button that submits
 */
export function formElement(
  form: InputForm,
  send: (value: Record<string, unknown>) => void,
  ...rest: readonly Child[]
): HTMLFormElement {
  const submit = (event: Event) => {
    event.preventDefault();
    const read = form.read();
    form.showProblems("problems" in read ? read.problems : new Map());
    if ("value" in read) send(read.value);
  };
  return h("form", { novalidate: true, submit }, form.element, rest);
}
