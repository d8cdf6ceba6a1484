/** A button that copies a text. */
import { h } from "./dom.ts";

/**
 * @param what is copied, for screen readers: "the URL"
 * @param text read when the button is pressed
 */
export function copyButton(what: string, text: () => string): HTMLButtonElement {
  const name = h("span", "Copy");
  const button = h(
    "button.quiet.small",
    {
      click: async () => {
        name.textContent = (await copied(text())) ? "Copied" : "Not copied";
        setTimeout(() => {
          name.textContent = "Copy";
        }, 2_000);
      },
    },
    name,
    h("span.unseen", ` ${what}`),
  );
  name.setAttribute("aria-live", "polite");
  return button;
}

/** The clipboard needs https or this machine: elsewhere, the text has to be copied by hand. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
