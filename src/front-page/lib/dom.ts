/** Builds elements. Text is always text: nothing here or in the rest of the page parses HTML. */

export type Child = Node | string | number | undefined | null | false | readonly Child[];

/** Attributes by name. true: without a value; false and undefined: left out. Functions listen to the event of the name. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: Event) => void)>>;

/**
 * @example
 * h("button", { type: "button", class: "quiet", click: () => copy(text) }, "Copy")
 */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(attribute, value);
    else if (value !== undefined && value !== false)
      element.setAttribute(attribute, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

/** Puts the children in place of those that are there. */
export function fill<Of extends Element>(element: Of, ...children: readonly Child[]): Of {
  element.replaceChildren();
  append(element, children);
  return element;
}

function append(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

let made = 0;
/** @returns an id that no other element of the page has, for labels and descriptions */
export function newId(prefix: string): string {
  made += 1;
  return `${prefix}-${made}`;
}
