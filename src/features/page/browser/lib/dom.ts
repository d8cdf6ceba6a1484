/** Builds elements. Text is always text: nothing here or in the rest of the page parses HTML. */

export type Child = Node | string | number | undefined | null | false | readonly Child[];

/**
 * Attributes by name. true: without a value; false and undefined: left out. Functions listen to the event of the name.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>;

/**
 * @param tag  the element's name, and its classes: `p.box.bad`. A button does not send its form unless `type` says so
 * @param rest its attributes if it has any, and its children
 * @example
 * h("button.quiet", { click: () => copy(text) }, "Copy")
 */
export function h<Name extends keyof HTMLElementTagNameMap>(
  tag: Name | `${Name}.${string}`,
  ...rest: readonly (Child | Attributes)[]
): HTMLElementTagNameMap[Name] {
  const [name = "", ...classes] = tag.split(".");
  const element = document.createElement(name as Name);
  if (classes.length > 0) element.className = classes.join(" ");
  if (element instanceof HTMLButtonElement) element.type = "button";
  for (const part of rest) {
    if (typeof part !== "object" || part === null || part instanceof Node || Array.isArray(part))
      append(element, part as Child);
    else
      for (const [attribute, value] of Object.entries(part)) {
        if (typeof value === "function") element.addEventListener(attribute, value);
        else if (value !== undefined && value !== false)
          element.setAttribute(attribute, value === true ? "" : String(value));
      }
  }
  return element;
}

/** Puts the children in place of those that are there. */
export function fill<Of extends Element>(element: Of, ...children: readonly Child[]): Of {
  element.replaceChildren();
  append(element, children);
  return element;
}

function append(element: Element, child: Child): void {
  if (Array.isArray(child)) for (const each of child) append(element, each);
  else if (child !== undefined && child !== null && child !== false)
    element.append(child instanceof Node ? child : String(child));
}

let made = 0;
/** @returns an id that no other element of the page has, for labels and descriptions */
export function newId(prefix: string): string {
  made += 1;
  return `${prefix}-${made}`;
}
