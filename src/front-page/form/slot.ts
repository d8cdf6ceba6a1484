/** A field with its label, description and problem. */
import { h, newId } from "../lib/dom.ts";
import { checkboxField } from "./fields/checkbox.ts";
import { choiceField } from "./fields/choice.ts";
import { choicesField } from "./fields/choices.ts";
import { button, changed, type Field, firstControl, type Place, type Slot } from "./fields/field.ts";
import { fixedField } from "./fields/fixed.ts";
import { jsonField } from "./fields/json.ts";
import { listField } from "./fields/list.ts";
import { nullableField } from "./fields/nullable.ts";
import { numberField } from "./fields/number.ts";
import { objectField, recordOf } from "./fields/object.ts";
import { optionalField } from "./fields/optional.ts";
import { recordField } from "./fields/record.ts";
import { textField } from "./fields/text.ts";
import { variantsField } from "./fields/variants.ts";
import { choicesOf, isRecord, listOf, plain, resolve, textOf, typeOf, variantsOf, withoutNull } from "./lib/schema.ts";
import { words } from "./lib/words.ts";

const DEEPEST = 12;
const MANY_BOXES = 30;

/** @param unresolved the place; a label of "" has none yet, or is the whole form */
export function slot(unresolved: Omit<Place, "schema"> & { readonly schema: unknown }): Slot {
  const { form, required, depth } = unresolved;
  const place: Place = { ...unresolved, schema: resolve(unresolved.schema, form.root) };
  const { schema } = place;
  const isWhole = depth === 0;
  form.left -= 1;

  const usual = () => fieldFor(place);
  const inLines = () => textField(place, true);
  // A value that the usual field cannot show gets another.
  const ways = isText(place) ? [usual, inLines, jsonField] : [usual, jsonField];
  let shownBy: () => Field = usual;
  let field = usual();
  // The frame is that of the first field; whatever takes its place has one control.
  const isGroup = field.control === undefined;
  const id = newId(form.prefix);
  const label = h(isGroup ? "legend" : "label", { class: "form-label", id: `${id}-label` });
  const hint = isWhole ? "" : hintOf(place);
  const described = isWhole ? "" : textOf(schema.description);
  const hintLine = hint && h("p", { class: "form-hint", id: `${id}-hint` }, hint);
  const text = described && h("p", { class: "form-text", id: `${id}-text` }, described);
  const problem = h("p", { class: "form-problem", id: `${id}-problem`, hidden: true });
  const element = h(isGroup && !isWhole ? "fieldset" : "div", { class: isGroup ? "form-group" : "form-field" });
  if (!isWhole) element.append(label);
  for (const part of [hintLine, text, exampleButton(), problem]) if (part) element.append(part);
  use(field);
  rename(place.label);

  /** What was written, until something is changed: so that a form changes nothing that nobody has touched. */
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
      // A legend names a group; alone it has to name the control.
      else if (isWhole) control.ariaLabel = "Input as JSON";
      else control.setAttribute("aria-labelledby", label.id);
      if (required && !(control instanceof HTMLOutputElement)) control.ariaRequired = "true";
    }
    describe(false);
  }

  function describe(isWrong: boolean): void {
    const described = field.control ?? element;
    const ids = [hintLine && `${id}-hint`, text && `${id}-text`, isWrong && problem.id].filter(Boolean).join(" ");
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

  function write(value: unknown): void {
    // Leaving out what is required would be a mistake, so its default is filled in.
    const written = value === undefined && required ? schema.default : value;
    kept = structuredClone(written);
    clear();
    for (const make of ways) {
      const isShown = make === shownBy;
      const next = isShown ? field : make();
      if (!next.write(written)) continue;
      shownBy = make;
      if (!isShown) use(next);
      return;
    }
  }
  if (required && schema.default !== undefined) write(undefined);

  function exampleButton(): HTMLElement | undefined {
    const [example] = listOf(schema.examples);
    // An input suggests its examples.
    if (example === undefined || field.control instanceof HTMLInputElement) return undefined;
    const fillIn = button("Fill in an example", () => {
      write(example);
      // From outside, because what was written is not to be read again from the field.
      changed(element.parentElement ?? element);
    });
    return h("div", { class: "form-actions" }, fillIn);
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
    write(value) {
      write(value);
      return true;
    },
    showInside: (path, text) => field.show?.(path, text),
    show(path, text) {
      const inside = path && field.show?.(path, text);
      if (inside) return inside;
      const said = path ? `${path}: ${text}` : text;
      problem.textContent = problem.hidden ? said : `${problem.textContent} ${said}`;
      problem.hidden = false;
      form.shown.add(clear);
      describe(true);
      return field.control ?? firstControl(field.element);
    },
  };
}

/** `required · whole number, 1 to 200 · default: 5` */
function hintOf({ schema, required, label, name, form }: Place): string {
  const key = name.slice(name.lastIndexOf(".") + 1);
  // Entries of lists have no names, and are not there if they are not given.
  const isEntry = name.endsWith("]");
  const kind = words(schema, form.root);
  const parts = [
    !isEntry && label !== key && key,
    !isEntry && required && "required",
    kind !== "group" && kind,
    schema.default !== undefined && !required && `default: ${short(plain(schema.default))}`,
    schema.deprecated === true && "deprecated",
    schema.readOnly === true && "read-only",
  ];
  return parts.filter(Boolean).join(" · ");
}

const isText = ({ schema, form }: Place) => typeOf(schema) === "string" && !choicesOf(schema, form.root);

const short = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);

function fieldFor(place: Place): Field {
  const { schema, required, form, depth } = place;
  if (depth > DEEPEST || form.left < 0) return jsonField();
  if (schema.readOnly === true && !required) return fixedField();
  const choices = choicesOf(schema, form.root);
  if (choices) return choices.length === 1 && required ? fixedField(choices[0]?.value) : choiceField(place, choices);
  const notNull = withoutNull(schema, form.root);
  if (notNull) return nullableField(fieldFor({ ...place, schema: notNull, depth: depth + 1 }));
  const variants = variantsOf(schema, form.root);
  if (variants) return variantsField(place, variants);
  const group = (make: (place: Place) => Field) => (required ? make(place) : optionalField(place, make));
  switch (typeOf(schema)) {
    case "string":
      return textField(place);
    case "number":
    case "integer":
      return numberField(place);
    case "boolean":
      if (required || typeof schema.default === "boolean") return checkboxField(place);
      return choiceField(place, [
        { value: true, label: "yes" },
        { value: false, label: "no" },
      ]);
    case "array": {
      const items = isRecord(schema.items) && !schema.prefixItems ? resolve(schema.items, form.root) : undefined;
      const values = items && choicesOf(items, form.root);
      if (values && values.length <= MANY_BOXES) return choicesField(place, values);
      if (items) return listField(place);
      return schema.prefixItems || Array.isArray(schema.items) ? group(listField) : jsonField();
    }
    case "object": {
      const values = schema.properties ? undefined : recordOf(schema);
      if (values) return recordField(place, values);
      return schema.properties || schema.additionalProperties === false ? group(objectField) : jsonField();
    }
    default:
      return jsonField();
  }
}
