/**
 * Tabs, as the ARIA Authoring Practices describe them: arrow keys move between them, and the one that has the focus is
 * shown.
 */
import { h, newId } from "./dom.ts";

export interface Tab {
  readonly label: string;
  /** Called each time it is shown. */
  readonly content: () => Node;
}

export function tabs(name: string, all: readonly Tab[]): HTMLElement {
  const id = newId("tab");
  const panel = h("div.tab-panel", { role: "tabpanel", id: `${id}-panel`, tabindex: "-1" });
  const buttons = all.map(({ label }, at) =>
    h("button", { role: "tab", id: `${id}-${at}`, "aria-controls": panel.id, click: () => show(at) }, label),
  );
  const list = h("div.tabs", { role: "tablist", "aria-label": name, keydown: move }, buttons);

  function show(at: number): void {
    for (const [other, button] of buttons.entries()) {
      button.setAttribute("aria-selected", String(other === at));
      button.tabIndex = other === at ? 0 : -1;
    }
    panel.setAttribute("aria-labelledby", `${id}-${at}`);
    panel.replaceChildren(all[at]?.content() ?? "");
  }
  function move(event: Event): void {
    const { key } = event as KeyboardEvent;
    const now = buttons.findIndex((button) => button.tabIndex === 0);
    const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: all.length - 1 }[key];
    if (to === undefined) return;
    event.preventDefault();
    const at = (to + all.length) % all.length;
    show(at);
    buttons[at]?.focus();
  }
  show(0);
  return h("div", list, panel);
}
