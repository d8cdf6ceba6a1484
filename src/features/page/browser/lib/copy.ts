/** A button that copies a text. */
import { fill, h } from "./dom.ts";

/**
 * @param what is copied, for screen readers: "the URL"
 * @param text read when the button is pressed
 */
export function copyButton(what: string, text: () => string): HTMLButtonElement {
  const name = h("span", "Copy");
  const click = async () => {
    // The clipboard needs https or this machine: elsewhere, the text has to be copied by hand.
    const copying: Promise<void> = navigator.clipboard?.writeText(text()) ?? Promise.reject();
    name.textContent = await copying.then(
      () => "Copied",
      () => "Not copied",
    );
    setTimeout(() => fill(name, "Copy"), 2_000);
  };
  name.setAttribute("aria-live", "polite");
  return h("button.quiet.small", { click }, name, h("span.unseen", ` ${what}`));
}
