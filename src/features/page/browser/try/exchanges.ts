/** What goes over the wire for a call: each request and its response, as they were sent, while they are sent. */

import type { Exchange } from "../api/recorder.ts";
import { codeBlock, prettyJson } from "../lib/code.ts";
import { fill, h } from "../lib/dom.ts";
import { durationText } from "../lib/words.ts";

export interface Wire {
  readonly element: HTMLElement;
  show(exchange: Exchange): void;
  clear(): void;
}

export function wireView(): Wire {
  const rows = new Map<Exchange, () => void>();
  const list = h("div.stack");
  const element = h("section", { hidden: true, "aria-label": "Over the wire" }, h("h3", "Over the wire"), list);
  return {
    element,
    show(exchange) {
      const refresh = rows.get(exchange) ?? exchangeRow(exchange, list);
      rows.set(exchange, refresh);
      element.hidden = false;
      refresh();
    },
    clear() {
      rows.clear();
      fill(list);
      element.hidden = true;
    },
  };
}

/** Adds a row to the list. @returns a function that shows what has changed in its exchange */
function exchangeRow(exchange: Exchange, list: HTMLElement): () => void {
  const outcome = h("span");
  const time = h("span.quiet-text");
  const content = h("div");
  const { protocol, method, url, requestHeaders } = exchange;
  const { pathname, search } = new URL(url);
  // All requests of MCP have the same address.
  const what = [method, pathname + search, requestHeaders["mcp-method"]].filter(Boolean).join(" ");
  const element = h(
    "details.exchange",
    { toggle: refresh },
    h("summary", h("span", h("span", { class: `dot ${protocol}` }), protocol), h("code", what), outcome, time),
    content,
  );
  function refresh(): void {
    const { status, statusText = "", failure, ms } = exchange;
    fill(outcome, failure ?? `${status ?? "…"} ${statusText}`.trim());
    // Nothing has arrived yet.
    fill(time, status === undefined && failure === undefined ? "" : durationText(ms));
    // Build only what is open: bodies may be long.
    if (element.open) fill(content, partsOf(exchange));
  }
  list.append(element);
  return refresh;
}

function partsOf({ requestHeaders, requestBody, responseHeaders, responseBody }: Exchange): HTMLElement[] {
  const parts = [
    ["Request headers", headerLines(requestHeaders)],
    ["Request body", requestBody],
    ["Response headers", headerLines(responseHeaders)],
    ["Response body", responseBody],
  ] as const;
  return parts.flatMap(([title, text]) => {
    if (!text) return [];
    const { text: shown, isJson } = prettyJson(text);
    return [h("h4", title), codeBlock(title.toLowerCase(), shown, isJson ? "json" : "")];
  });
}

function headerLines(headers: Exchange["responseHeaders"]): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}
