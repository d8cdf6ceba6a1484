/** Values with any number of entries: lists, whose entries can be moved, and values whose names the caller chooses. */
import { isRecord } from "../../../../../client/lib/json.ts";
import { fill, h } from "../../lib/dom.ts";
import { listOf, numberOf, resolve, textOf } from "../lib/schema.ts";
import { wrongLength } from "./choice.ts";
import {
  actions,
  below,
  button,
  changed,
  type Field,
  type FieldSpec,
  firstControl,
  inPath,
  type LabelledField,
} from "./field.ts";

interface Row {
  readonly field: LabelledField;
  readonly element: HTMLElement;
  /** Up, down and remove; none for an entry of a tuple. */
  readonly buttons: readonly HTMLButtonElement[];
}

/** A list with more entries is shown as JSON. */
export const MAX_ENTRIES = 200;
/** The most required entries that are there at first. */
const MAX_AT_FIRST = 5;

export function listField(spec: FieldSpec): Field {
  const { schema, label, required, form, name } = spec;
  // Before draft 2020-12, `items` was the list of a tuple.
  const first = listOf(schema.prefixItems ?? schema.items);
  const rest = [schema.items, first.length > 0 && schema.additionalItems].find(isRecord);
  const least = numberOf(schema.minItems) ?? first.length;
  const most = numberOf(schema.maxItems) ?? Number.POSITIVE_INFINITY;
  const rows: Row[] = [];
  const list = h("ol.form-rows");
  const spoken = h("p.unseen", { role: "status" });
  const add = button(`Add to ${label}`, () => {
    const { field } = push();
    renumber();
    changed(list);
    firstControl(field.element).focus();
  });

  function push(): Row {
    const index = rows.length;
    const isFixed = index < first.length;
    const field = form.labelledField({
      ...spec,
      schema: first[index] ?? rest,
      label: `${label} ${index + 1}`,
      name: `${name}[${index}]`,
      required: !isFixed || index < least,
      depth: spec.depth + 1,
    });
    const buttons = [
      button("↑", () => move(row, -1)),
      button("↓", () => move(row, 1)),
      button("Remove", () => remove(row)),
    ];
    const element = h("li", field.element, !isFixed && actions(...buttons));
    const row: Row = { field, element, buttons: isFixed ? [] : buttons };
    rows.push(row);
    list.append(element);
    return row;
  }

  function move(row: Row, by: number): void {
    const to = rows.indexOf(row) + by;
    rows.splice(to - by, 1);
    rows.splice(to, 0, row);
    list.insertBefore(row.element, rows[to + 1]?.element ?? null);
    renumber();
    changed(list);
    const [used, other] = by < 0 ? row.buttons : row.buttons.slice(0, 2).reverse();
    // At either end of the list, the button that was pressed is disabled now.
    (used?.disabled ? other : used)?.focus();
    spoken.textContent = `Moved to ${to + 1} of ${rows.length}`;
  }

  function remove(row: Row): void {
    const index = rows.indexOf(row);
    rows.splice(index, 1);
    row.element.remove();
    renumber();
    changed(list);
    (rows[index]?.buttons[2] ?? add).focus();
    spoken.textContent = `Removed, ${rows.length} left`;
  }

  function renumber(): void {
    for (const [index, { field, buttons }] of rows.entries()) {
      const named = textOf(resolve(first[index], form.root).title) || `${label} ${index + 1}`;
      field.rename(named);
      const [up, down, removal] = buttons;
      if (!up || !down || !removal) continue;
      up.ariaLabel = `Move ${named} up`;
      down.ariaLabel = `Move ${named} down`;
      removal.ariaLabel = `Remove ${named}`;
      up.disabled = index === first.length;
      down.disabled = index === rows.length - 1;
    }
    add.disabled = rows.length >= most;
  }

  function fillIn(values: readonly unknown[] = []): void {
    rows.length = 0;
    fill(list);
    const atFirst = first.length || (required ? Math.min(numberOf(schema.minItems) ?? 0, MAX_AT_FIRST) : 0);
    while (rows.length < Math.max(values.length, atFirst)) push();
    for (const [index, { field }] of rows.entries()) field.write(values[index]);
    renumber();
  }
  fillIn();

  return {
    element: h("div.form-list", list, rest && actions(add), spoken),
    read(path, problems) {
      const values = rows.map(({ field }, index) => field.read(`${path}[${index}]`, problems));
      const end = values.findLastIndex((value) => value !== undefined) + 1;
      if (rows.length === 0 && !required) return undefined;
      const problem = wrongLength(rows.length > first.length ? rows.length : Math.max(end, least), schema);
      if (problem) problems.set(path, problem);
      // An entry between others cannot be left out.
      for (const [index, value] of values.slice(0, end).entries())
        if (value === undefined && !problems.has(`${path}[${index}]`))
          problems.set(`${path}[${index}]`, "This is required.");
      return values.filter((value) => value !== undefined);
    },
    write(value) {
      if (value !== undefined && !Array.isArray(value)) return false;
      if (value && value.length > Math.min(MAX_ENTRIES, form.left, rest ? MAX_ENTRIES : first.length)) return false;
      fillIn(value);
      return true;
    },
    show(path, problem) {
      const index = path.match(/^\[?(\d+)/)?.[1] ?? "";
      const inside = below(path, `[${index}]`) ?? below(path, index);
      return inside === undefined ? undefined : rows[Number(index)]?.field.show(inside, problem);
    },
  };
}

/**
 * @param values the schema of the values
 * @param taken  names that other fields have
 */
export function recordField(spec: FieldSpec, values: unknown, taken: readonly string[] = []): Field {
  const { required, form, name } = spec;
  const whole = spec.label || "the input";
  const rows: (Row & { readonly input: HTMLInputElement })[] = [];
  const list = h("ul.form-rows");
  const add = button(`Add a name to ${whole}`, () => {
    push("").input.focus();
    changed(list);
  });

  function push(key: string) {
    const inside = { ...spec, schema: values, label: "", name: `${name}[]`, required: true, depth: spec.depth + 1 };
    const field = form.labelledField(inside);
    const rename = () => {
      field.rename(`Value of ${input.value || "the name"}`);
      removal.ariaLabel = `Remove ${input.value || "the name"}`;
    };
    const input = h("input", { type: "text", autocomplete: "off", "aria-label": `Name in ${whole}`, input: rename });
    const removal = button("Remove", () => {
      const index = rows.indexOf(row);
      rows.splice(index, 1);
      row.element.remove();
      changed(list);
      (rows[index]?.input ?? add).focus();
    });
    const row = { input, field, buttons: [removal], element: h("li", input, field.element, actions(removal)) };
    input.value = key;
    rename();
    rows.push(row);
    list.append(row.element);
    return row;
  }

  return {
    element: h("div.form-list", list, actions(add)),
    read(path, problems) {
      if (rows.length === 0 && !required) return undefined;
      const members = new Map<string, unknown>();
      for (const { input, field } of rows) {
        const key = input.value;
        const at = inPath(path, key);
        if (key === "") problems.set(path, "Each value needs a name.");
        else if (members.has(key) || taken.includes(key))
          problems.set(at, `There are two values with the name ${key}.`);
        else members.set(key, field.read(at, problems));
      }
      return Object.fromEntries([...members].filter(([, value]) => value !== undefined));
    },
    write(value = {}) {
      if (!isRecord(value)) return false;
      const entries = Object.entries(value);
      if (entries.length > Math.min(MAX_ENTRIES, form.left)) return false;
      rows.length = 0;
      fill(list);
      for (const [key, member] of entries) push(key).field.write(member);
      // A name is lost if an input cannot hold it: an input has no line breaks.
      return entries.every(([key], index) => key !== "" && rows[index]?.input.value === key);
    },
    show(path, problem) {
      for (const { input, field } of rows.toReversed()) {
        const inside = input.value ? below(path, input.value) : undefined;
        if (inside !== undefined) return field.show(inside, problem);
      }
      return undefined;
    },
  };
}
