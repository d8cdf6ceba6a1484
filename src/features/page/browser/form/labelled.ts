/** A field with its label, description and problem. */
import { isRecord } from "../../../../client/lib/json.ts";
import { h, newId } from "../lib/dom.ts";
import { choiceField, choicesField } from "./fields/choice.ts";
import {
  actions,
  button,
  changed,
  type Field,
  type FieldSpec,
  firstControl,
  type LabelledField,
  type UnresolvedSpec,
} from "./fields/field.ts";
import { nullableField, objectField, optionalField, recordOf, variantsField } from "./fields/groups.ts";
import { listField, MAX_ENTRIES, recordField } from "./fields/rows.ts";
import { checkboxField, fixedField, jsonField, numberField, textField } from "./fields/simple.ts";
import { choicesOf, listOf, plain, resolve, textOf, typeOf, variantsOf, withoutNull } from "./lib/schema.ts";
import { words } from "./lib/words.ts";

/** What is deeper is shown as JSON. */
const MAX_DEPTH = 12;
const MAX_CHECKBOXES = 30;
const YES_NO = [true, false].map((value) => ({ value, label: value ? "yes" : "no" }));

/** @param unresolved its label is "" for the whole form, which shows none, and for fields that are renamed at once */
export function labelledField(unresolved: UnresolvedSpec): LabelledField {
  const { form, required, depth } = unresolved;
  const spec: FieldSpec = { ...unresolved, schema: resolve(unresolved.schema, form.root) };
  const { schema } = spec;
  const isWhole = depth === 0;
  form.left -= 1;

  const usual = () => fieldFor(spec);
  const inLines = () => textField(spec, true);
  // If one of these fields cannot show a value, the next is tried. The last can show any.
  const makers: (() => Field)[] = isText(spec) ? [usual, inLines, jsonField] : [usual, jsonField];
  let madeBy = usual;
  let field = usual();
  // The element is that of the first field, a group or not: all others have one control.
  const isGroup = field.control === undefined;
  const id = newId(form.prefix);
  const label = h(isGroup ? "legend" : "label", { class: "form-label", id: `${id}-label` });
  const hint = isWhole ? "" : hintOf(spec);
  const description = isWhole ? "" : textOf(schema.description);
  const hintLine = hint && h("p.quiet-text", { id: `${id}-hint` }, hint);
  const text = description && h("p.prose", { id: `${id}-text` }, description);
  const isSecret = field.control instanceof HTMLInputElement && field.control.type === "password";
  const note = isSecret && form.passwordNote ? h("p.prose", { id: `${id}-note` }, form.passwordNote) : undefined;
  const problem = h("p.form-problem", { id: `${id}-problem`, hidden: true });
  const element = h(isGroup && !isWhole ? "fieldset" : "div", { class: isGroup ? "form-group" : "form-field" });
  if (!isWhole) element.append(label);
  for (const part of [hintLine, text, note, exampleButton(), problem]) if (part) element.append(part);
  use(field);
  rename(spec.label);

  /** What was written, until the user changes something: what nobody touched is sent as it was. */
  let kept: unknown;
  element.addEventListener("input", () => {
    kept = undefined;
    clear();
  });

  function use(next: Field): void {
    if (field !== next) field.element.remove();
    field = next;
    problem.before(field.element);
    const { control } = field;
    if (control) {
      control.id = id;
      if (label instanceof HTMLLabelElement) label.htmlFor = id;
      // A legend names a group, not a control that has replaced it.
      else if (isWhole) control.ariaLabel = "Input as JSON";
      else control.setAttribute("aria-labelledby", label.id);
      if (required && !(control instanceof HTMLOutputElement)) control.ariaRequired = "true";
    }
    describe(false);
  }

  function describe(isWrong: boolean): void {
    const described = field.control ?? element;
    const lines = [hintLine && `${id}-hint`, text && `${id}-text`, note?.id, isWrong && problem.id];
    const ids = lines.filter(Boolean).join(" ");
    if (ids) described.setAttribute("aria-describedby", ids);
    else described.removeAttribute("aria-describedby");
    if (!field.control) return;
    described.ariaInvalid = isWrong ? "true" : null;
    if (isWrong) described.setAttribute("aria-errormessage", problem.id);
    else described.removeAttribute("aria-errormessage");
  }

  function clear(): void {
    if (problem.hidden) return;
    form.shown.delete(clear);
    problem.hidden = true;
    describe(false);
  }

  function rename(name: string): void {
    label.textContent = name;
  }

  function write(value: unknown): boolean {
    // What is required has to be sent, so its default is filled in.
    const written = value === undefined && required ? schema.default : value;
    kept = structuredClone(written);
    clear();
    return makers.some((make) => {
      const isShown = make === madeBy;
      const next = isShown ? field : make();
      if (!next.write(written)) return false;
      madeBy = make;
      if (!isShown) use(next);
      return true;
    });
  }
  if (required && schema.default !== undefined) write(undefined);

  function exampleButton(): HTMLElement | undefined {
    const [example] = listOf(schema.examples);
    // An input suggests its examples while typing.
    if (example === undefined || field.control instanceof HTMLInputElement) return undefined;
    const fillIn = button("Fill in an example", () => {
      write(example);
      // Dispatched from the parent: our own listener would forget `kept`.
      changed(element.parentElement ?? element);
    });
    return actions(fillIn);
  }

  return {
    element,
    rename,
    read(path, problems) {
      const value = field.read(path, problems);
      const isMissing = value === undefined && kept === undefined;
      if (isMissing && required && !problems.has(path)) problems.set(path, "This is required.");
      return kept === undefined ? value : kept;
    },
    write,
    showInside: (path, text) => field.show?.(path, text),
    show(path, text) {
      const inside = path && field.show?.(path, text);
      if (inside) return inside;
      const line = path ? `${path}: ${text}` : text;
      problem.textContent = problem.hidden ? line : `${problem.textContent} ${line}`;
      problem.hidden = false;
      form.shown.add(clear);
      describe(true);
      return field.control ?? firstControl(field.element);
    },
  };
}

/** `required · whole number, 1 to 200 · default: 5` */
function hintOf({ schema, required, label, name, form }: FieldSpec): string {
  const key = name.slice(name.lastIndexOf(".") + 1);
  // An entry of a list has no name of its own, and nobody adds one to leave it out.
  const isEntry = name.endsWith("]");
  const kind = words(schema, form.root);
  const parts = [
    !isEntry && label !== key && key,
    !isEntry && required && "required",
    kind !== "group" && kind,
    textOf(schema.pattern) && `pattern: ${short(textOf(schema.pattern))}`,
    schema.default !== undefined && !required && `default: ${short(plain(schema.default))}`,
    schema.deprecated === true && "deprecated",
    schema.readOnly === true && "read-only",
  ];
  return parts.filter(Boolean).join(" · ");
}

const isText = ({ schema, form }: FieldSpec) => typeOf(schema) === "string" && !choicesOf(schema, form.root);

const short = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

function fieldFor(spec: FieldSpec): Field {
  const { schema, required, form, depth } = spec;
  if (depth > MAX_DEPTH || form.left < 0) return jsonField();
  if (schema.readOnly === true && !required) return fixedField();
  const choices = choicesOf(schema, form.root);
  if (choices) return choices.length === 1 && required ? fixedField(choices[0]?.value) : choiceField(spec, choices);
  const notNull = withoutNull(schema, form.root);
  if (notNull) return nullableField(fieldFor({ ...spec, schema: notNull, depth: depth + 1 }));
  const variants = variantsOf(schema, form.root);
  if (variants) return variantsField(spec, variants);
  const group = (make: (spec: FieldSpec) => Field) => (required ? make(spec) : optionalField(spec, make));
  switch (typeOf(schema)) {
    case "string":
      return textField(spec);
    case "number":
    case "integer":
      return numberField(spec);
    case "boolean":
      if (required || typeof schema.default === "boolean") return checkboxField(spec);
      return choiceField(spec, YES_NO);
    case "array": {
      const items = isRecord(schema.items) && !schema.prefixItems ? resolve(schema.items, form.root) : undefined;
      const values = items && choicesOf(items, form.root);
      if (values && values.length <= MAX_CHECKBOXES) return choicesField(spec, values);
      if (items) return listField(spec);
      const first = listOf(schema.prefixItems ?? schema.items);
      return first.length > 0 && first.length <= MAX_ENTRIES ? group(listField) : jsonField();
    }
    case "object": {
      if (isRecord(schema.properties) && Object.keys(schema.properties).length > form.left) return jsonField();
      const values = schema.properties ? undefined : recordOf(schema);
      if (values) return recordField(spec, values);
      return schema.properties || schema.additionalProperties === false ? group(objectField) : jsonField();
    }
    default:
      return jsonField();
  }
}
