/** A form for any JSON Schema of an object. */
import { fill, h, newId } from "../lib/dom.ts";
import type { JsonSchema } from "../lib/model.ts";
import { button, type FormContext, firstControl, type Problems } from "./fields/field.ts";
import { jsonField } from "./fields/json.ts";
import { parse } from "./lib/json-text.ts";
import { isRecord } from "./lib/schema.ts";
import { slot } from "./slot.ts";

export { defaultsOf } from "./lib/schema.ts";

export interface InputForm {
  /** Belongs in a `<form novalidate>`: the browser's own checks know less than the server. */
  readonly element: HTMLElement;
  /**
   * What is filled in; changes nothing of what is shown, so it may be called at every change. What was left untouched
   * is left out, so that the server's defaults apply.
   *
   * @returns problems by path (`address.city`, `items[0]`; "" is the whole): only those that are certain
   */
  read(): { readonly value: Record<string, unknown> } | { readonly problems: ReadonlyMap<string, string> };
  /** Fills in a value: any, even if the schema does not allow it. */
  write(value: Readonly<Record<string, unknown>>): void;
  /**
   * Shows problems in place of those that are shown, and focuses the first. A problem goes away when its field changes.
   *
   * @param problems by path: `address.city`, `items[0]` or `items.0`; those of unknown paths are at the top
   */
  showProblems(problems: ReadonlyMap<string, string>): void;
  /** Calls the listener when anything was changed by the user. */
  onChange(listener: () => void): void;
  /** Focuses the first control. */
  focus(): void;
}

export interface FormOptions {
  /** What the ids of elements begin with. */
  readonly idPrefix?: string;
  /** Asks for completions of a text. @param name path of the field */
  readonly complete?: (name: string, value: string) => Promise<readonly string[]>;
  /** What is filled in at first. See {@link defaultsOf} for questions of MCP servers. */
  readonly initial?: Readonly<Record<string, unknown>>;
}

/** So many fields are made at once. What is deeper in the schema is JSON until it is added. */
const MOST_FIELDS = 1_000;

export function inputForm(schema: JsonSchema, { idPrefix = "input", complete, initial }: FormOptions = {}): InputForm {
  const context: FormContext = { root: schema, prefix: idPrefix, complete, slot, shown: new Set(), left: MOST_FIELDS };
  const root = slot({ schema, label: "", name: "", required: true, depth: 0, form: context });
  const top = h("p", { class: "form-problem", id: newId(`${idPrefix}-top`), hidden: true, tabindex: "-1" });
  const json = jsonField(8);
  json.control.ariaLabel = "Input as JSON";
  json.control.setAttribute("aria-describedby", top.id);
  const body = h("div", {}, root.element);
  /** What the JSON was when it last said the same as the form. */
  let agreed = "";
  const sides = [button("Form", () => turn(false)), button("JSON", () => turn(true))];
  const views = h("div", { class: "form-sides", role: "group", "aria-label": "Edit as" }, sides);
  const hasFields = root.element.querySelector("input, select, textarea, button, output") !== null;
  const none = !hasFields && h("p", { class: "form-hint" }, "There is nothing to fill in.");
  const element = h("div", { class: "form" }, hasFields && views, top, none, body);
  const isJson = () => body.contains(json.control);
  say(false);

  function say(json: boolean): void {
    for (const [index, side] of sides.entries()) side.ariaPressed = String(json === (index === 1));
  }

  function turn(toJson: boolean): void {
    if (toJson === isJson()) return;
    clear();
    if (toJson) {
      writeJson(root.read("", new Map()));
    } else if (json.control.value !== agreed) {
      const problems: Problems = new Map();
      const value = readJson(problems);
      if (problems.size > 0) {
        show(problems);
        return;
      }
      root.write(value);
    }
    say(toJson);
    fill(body, toJson ? json.element : root.element);
  }

  function writeJson(value: unknown): void {
    json.write(value);
    agreed = json.control.value;
  }

  function readJson(problems: Problems): Record<string, unknown> {
    const parsed = parse(json.control.value.trim() || "{}");
    if ("problem" in parsed) problems.set("", parsed.problem);
    else if (isRecord(parsed.value)) return parsed.value;
    else problems.set("", "This must be an object: { … }.");
    return {};
  }

  function clear(): void {
    for (const hide of context.shown) hide();
    top.hidden = true;
    json.control.ariaInvalid = null;
  }

  function show(problems: ReadonlyMap<string, string>): void {
    clear();
    let focused: HTMLElement | undefined;
    const general: string[] = [];
    for (const [path, problem] of problems) {
      const at = isJson() || path === "" ? undefined : root.showInside(path, problem);
      if (at && (!focused || at.compareDocumentPosition(focused) & Node.DOCUMENT_POSITION_FOLLOWING)) focused = at;
      if (!at) general.push(path ? `${path}: ${problem}` : problem);
    }
    fill(
      top,
      general.map((line) => h("span", {}, line)),
    );
    top.hidden = general.length === 0;
    if (isJson() && general.length > 0) json.control.ariaInvalid = "true";
    (isJson() ? json.control : general.length > 0 ? top : focused)?.focus();
  }

  element.addEventListener(
    "click",
    () => {
      context.left = MOST_FIELDS;
    },
    true,
  );
  json.control.addEventListener("input", clear);
  if (initial) root.write(initial);
  return {
    element,
    read() {
      const problems: Problems = new Map();
      const value = isJson() ? readJson(problems) : root.read("", problems);
      if (problems.size === 0 && isRecord(value)) return { value: structuredClone(value) };
      if (problems.size === 0) problems.set("", "This must be an object: { … }.");
      return { problems };
    },
    write(value) {
      context.left = MOST_FIELDS;
      clear();
      root.write(value);
      if (isJson()) writeJson(value);
    },
    showProblems: show,
    onChange: (listener) => element.addEventListener("input", listener),
    focus: () => firstControl(body).focus(),
  };
}
