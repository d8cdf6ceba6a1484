/** What views import as `#view` (docs/views.md): connects a page in a frame of the host, and adapts it to the host. */
import { Channel } from "./channel.ts";
import type { ToolName } from "./tools.ts";
import { connect, type HostContext, type OpenOptions, type View } from "./view.ts";

export { HostError } from "./channel.ts";
export type { InputOf, OutputOf, ToolName, ViewTools } from "./tools.ts";
export { CallFailed, type DisplayMode, type HostContext, type McpResult, type View } from "./view.ts";

/** Names of tools, set when discovery bundles the view: see {@link connect}. */
declare const WRAPPED_TOOLS: readonly string[];

/**
 * Connects the page to its host. Sets the host's theme, CSS variables and fonts, and tells it the size of the page.
 *
 * @param name of the view's own tool, as MCP clients see it: `Weather_Forecast`
 *
 * @example
 * const view = openView("Weather_Forecast");
 * view.onResult(({ degrees }) => {
 *   document.body.textContent = `${degrees} °C`;
 * });
 */
export function openView<Name extends ToolName>(name: Name, options?: OpenOptions): View<Name> {
  // The host's origin is not known, and nothing here is a secret of the view: what it sends is for whoever shows it.
  const channel = new Channel((message) => window.parent.postMessage(message, "*"));
  window.addEventListener("message", ({ source, data }) => {
    if (source === window.parent) channel.receive(data);
  });
  const view = connect(channel, name, new Set(WRAPPED_TOOLS), options, adapt);
  view.ready.then(
    () => tellSize(channel),
    // If the host has refused, every request to it rejects.
    () => {},
  );
  return view;
}

/** Makes the page look like its host ("Theming"). */
function adapt({ theme, styles }: HostContext): void {
  const root = document.documentElement;
  if (theme) {
    root.dataset.theme = theme;
    root.style.colorScheme = theme;
  }
  for (const [name, value] of Object.entries(styles?.variables ?? {})) root.style.setProperty(name, value ?? null);
  const fonts = styles?.css?.fonts;
  if (!fonts) return;
  const id = "host-fonts";
  const element = document.getElementById(id) ?? document.head.appendChild(document.createElement("style"));
  element.id = id;
  element.textContent = fonts;
}

/** Tells the host the size of the page, now and whenever it changes. */
function tellSize(channel: Channel): void {
  const root = document.documentElement;
  let last = "";
  const tell = () => {
    // Measure what the page needs, whatever height its style gives it.
    const own = root.style.height;
    root.style.height = "max-content";
    const height = Math.ceil(root.getBoundingClientRect().height);
    root.style.height = own;
    const size = { width: Math.ceil(window.innerWidth), height };
    if (JSON.stringify(size) === last) return;
    last = JSON.stringify(size);
    channel.notify("ui/notifications/size-changed", size);
  };
  const observer = new ResizeObserver(tell);
  observer.observe(root);
  observer.observe(document.body);
  // If a style makes both as high as the frame, their size does not change with what is in them.
  const changes = { subtree: true, childList: true, characterData: true, attributes: true };
  new MutationObserver(tell).observe(document.body, changes);
  document.body.addEventListener("load", tell, true);
  tell();
}
