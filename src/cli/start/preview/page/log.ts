/** What a view asked of its host: a line for each message, which opens to the message and its answer. */
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { h } from "../../../../features/page/browser/lib/dom.ts";

/** Messages that only keep view and host in touch, and so are not logged. */
const SILENT = /^(ping|ui\/notifications\/(initialized|size-changed|sandbox-.*))$/;

const pretty = (value: unknown) => h("pre", { tabindex: 0 }, JSON.stringify(value, null, 2));

/** @param list is emptied first */
export function logIn(list: HTMLElement) {
  const waiting = new Map<unknown, HTMLElement>();
  list.replaceChildren();
  return {
    /** Logs a message of the view. */
    asked(message: JSONRPCMessage): void {
      if (!("method" in message) || SILENT.test(message.method)) return;
      const { method, params = {} } = message;
      const summary = h("summary", {}, h("b", {}, method), ` ${JSON.stringify(params)}`);
      const entry = h("details", { class: "exchange" }, summary, pretty(params));
      list.append(h("li", {}, entry));
      if ("id" in message) waiting.set(message.id, entry);
    },
    /** Adds the host's message to the request that it answers. Ignores messages that are not answers. */
    answered(message: JSONRPCMessage): void {
      if ("method" in message) return;
      const entry = waiting.get(message.id);
      if ("error" in message)
        entry?.firstChild?.appendChild(h("b", { class: "complaint" }, ` refused: ${message.error.message}`));
      entry?.append(h("p", {}, "Answer"), pretty("error" in message ? message.error : message.result));
    },
    /** Logs what the browser reports about the view. */
    complained: (text: string) => void list.append(h("li", { class: "complaint" }, text)),
  };
}
