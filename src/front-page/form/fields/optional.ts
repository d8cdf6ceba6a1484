/** An optional group: added and removed as a whole. It is built when it is added, so schemas may hold themselves. */
import { fill, h } from "../../lib/dom.ts";
import { button, changed, type Field, firstControl, type Place } from "./field.ts";

export function optionalField(place: Place, make: (place: Place) => Field): Field {
  let field: Field | undefined;
  const element = h("div", {});
  const add = button(`Add ${place.label}`, () => {
    open();
    changed(element);
    if (field) firstControl(field.element).focus();
  });
  const remove = button(`Remove ${place.label}`, () => {
    close();
    changed(element);
    add.focus();
  });
  function open(): void {
    field = make({ ...place, required: true });
    fill(element, field.element, h("div", { class: "form-actions" }, remove));
  }
  function close(): void {
    field = undefined;
    fill(element, h("div", { class: "form-actions" }, add));
  }
  close();
  return {
    element,
    read: (path, problems) => field?.read(path, problems),
    write(value) {
      if (value === undefined) close();
      else open();
      return field?.write(value) ?? true;
    },
    show: (path, problem) => field?.show?.(path, problem),
  };
}
