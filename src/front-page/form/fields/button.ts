/** Buttons of the form. */
import { h } from "../../lib/dom.ts";

/** A button that does not send the form. */
export function button(text: string, press: () => void): HTMLButtonElement {
  return h("button", { type: "button", class: "form-button", click: press }, text);
}
