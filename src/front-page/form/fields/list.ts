/** Lists: entries can be added, removed and moved, except those of a tuple. */
import { isRecord } from "../../../client/lib/json.ts";
import { fill, h } from "../../lib/dom.ts";
import { listOf, numberOf, resolve, textOf } from "../lib/schema.ts";
import { wrongLength } from "./choices.ts";
import {
  actions,
  below,
  button,
  changed,
  type Field,
  type FieldSpec,
  firstControl,
  type LabelledField,
  MAX_ENTRIES,
} from "./field.ts";

interface Row {
  readonly field: LabelledField;
  readonly element: HTMLElement;
  readonly buttons: readonly HTMLButtonElement[];
}

/** At most so many of the entries that a list must have are there at first. */
const MAX_AT_FIRST = 5;

export function listField(spec: FieldSpec): Field {
  const { schema, label, required, form, depth, name } = spec;
  // Before draft 2020-12, `items` was the list of a tuple.
  const first = listOf(schema.prefixItems ?? schema.items);
  const rest = [schema.items, first.length > 0 && schema.additionalItems].find(isRecord);
  const [least = first.length, most = Number.POSITIVE_INFINITY] = [
    numberOf(schema.minItems),
    numberOf(schema.maxItems),
  ];
  const rows: Row[] = [];
  const list = h("ol.form-rows");
  const spoken = h("p.unseen", { role: "status" });
  const add = button(`Add to ${label}`, () => {
    const row = push();
    renumber();
    changed(list);
    firstControl(row.field.element).focus();
  });

  function push(): Row {
    const index = rows.length;
    const isFixed = index < first.length;
    const field = form.labelledField({
      schema: first[index] ?? rest,
      label: `${label} ${index + 1}`,
      name: `${name}[${index}]`,
      required: !isFixed || index < least,
      depth: depth + 1,
      form,
    });
    const row: Row = {
      field,
      buttons: isFixed
        ? []
        : [button("↑", () => move(row, -1)), button("↓", () => move(row, 1)), button("Remove", () => remove(row))],
      element: h("li", field.element),
    };
    if (!isFixed) row.element.append(actions(...row.buttons));
    rows.push(row);
    list.append(row.element);
    return row;
  }

  function move(row: Row, by: number): void {
    const from = rows.indexOf(row);
    rows.splice(from, 1);
    rows.splice(from + by, 0, row);
    const next = rows[from + by + 1];
    list.insertBefore(row.element, next?.element ?? null);
    renumber();
    changed(list);
    const [up, down] = row.buttons;
    const used = by < 0 ? up : down;
    // At either end of the list, the button that was pressed is disabled now.
    (used?.disabled ? (by < 0 ? down : up) : used)?.focus();
    spoken.textContent = `Moved to ${from + by + 1} of ${rows.length}`;
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
      const title = index < first.length ? textOf(resolve(first[index], form.root).title) : "";
      const named = title || `${label} ${index + 1}`;
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

  function fillIn(values: readonly unknown[] | undefined): void {
    rows.length = 0;
    fill(list);
    const atFirst = first.length || (required ? Math.min(numberOf(schema.minItems) ?? 0, MAX_AT_FIRST) : 0);
    while (rows.length < Math.max(values?.length ?? 0, atFirst)) push();
    for (const [index, { field }] of rows.entries()) field.write(values?.[index]);
    renumber();
  }
  fillIn(undefined);

  return {
    element: h("div.form-list", list, rest && actions(add), spoken),
    read(path, problems) {
      const values = rows.map(({ field }, index) => field.read(`${path}[${index}]`, problems));
      const end = values.findLastIndex((value) => value !== undefined) + 1;
      if (rows.length === 0 && !required) return undefined;
      const problem = wrongLength(rows.length > first.length ? rows.length : Math.max(end, least), schema);
      if (problem) problems.set(path, problem);
      // A list has no gaps.
      for (const [index, value] of values.slice(0, end).entries())
        if (value === undefined && !problems.has(`${path}[${index}]`))
          problems.set(`${path}[${index}]`, "This is required.");
      return values.filter((value) => value !== undefined);
    },
    write(value) {
      if (value !== undefined && !Array.isArray(value)) return false;
      if (value && value.length > Math.min(MAX_ENTRIES, form.left)) return false;
      if (value && !rest && value.length > first.length) return false;
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
