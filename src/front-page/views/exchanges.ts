/** What went over the wire for a call: each request and its response, as they were sent. */
import { codeBlock, prettyJson } from "../lib/code.ts";
import { fill, h } from "../lib/dom.ts";
import type { Exchange } from "../server/wire.ts";
import { duration } from "./view.ts";

/** @returns undefined if nothing was sent */
export function exchangesView(exchanges: readonly Exchange[]): HTMLElement | undefined {
  if (exchanges.length === 0) return undefined;
  return h("div", {}, h("h3", {}, "Over the wire"), exchanges.map(exchangeView));
}

function exchangeView(exchange: Exchange): HTMLElement {
  const { protocol, method, url, status, ms, failure } = exchange;
  const outcome = failure ?? `${status ?? ""} ${exchange.statusText ?? ""}`.trim();
  const { pathname, search } = new URL(url, location.href);
  const content = h("div", {});
  const details = h(
    "details",
    { class: "exchange" },
    h(
      "summary",
      {},
      h("span", {}, h("span", { class: `dot ${protocol}` }), protocol),
      h("code", {}, `${method} ${pathname}${search}`),
      h("span", {}, outcome),
      h("span", { class: "quiet-text" }, duration(ms)),
    ),
    content,
  );
  // Made when it is opened: bodies may be long.
  details.addEventListener("toggle", () => {
    if (details.open && content.childElementCount === 0) fill(content, parts(exchange));
  });
  return details;
}

function parts({ requestHeaders, requestBody, responseHeaders, responseBody }: Exchange): HTMLElement[] {
  const all: [string, string | undefined, boolean][] = [
    ["Request headers", headerLines(requestHeaders), false],
    ["Request body", requestBody, true],
    ["Response headers", headerLines(responseHeaders), false],
    ["Response body", responseBody, true],
  ];
  return all.flatMap(([title, text, isBody]) => {
    if (!text) return [];
    const { text: shown, isJson } = isBody ? prettyJson(text) : { text, isJson: false };
    return [h("h4", {}, title), codeBlock(title.toLowerCase(), shown, isJson ? "json" : "")];
  });
}

function headerLines(headers: Exchange["responseHeaders"]): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}
