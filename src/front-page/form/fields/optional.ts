/** An optional group: added and removed as a whole. Its fields are made when it is added: a schema may hold itself. */
import { fill, h } from "../../lib/dom.ts";
import { actions, button, changed, type Field, type FieldSpec, firstControl } from "./field.ts";

export function optionalField(spec: FieldSpec, make: (spec: FieldSpec) => Field): Field {
  let field: Field | undefined;
  const element = h("div");
  const add = button(`Add ${spec.label}`, () => {
    open();
    changed(element);
    if (field) firstControl(field.element).focus();
  });
  const remove = button(`Remove ${spec.label}`, () => {
    close();
    changed(element);
    add.focus();
  });
  function open(): void {
    field = make({ ...spec, required: true });
    fill(element, field.element, actions(remove));
  }
  function close(): void {
    field = undefined;
    fill(element, actions(add));
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
