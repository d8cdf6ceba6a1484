/** What a view asked of its host, in words: a line for each message, which opens to the message and its answer. */
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { h } from "../../../../front-page/lib/dom.ts";

// biome-ignore lint/suspicious/noExplicitAny: a view may send anything
type Params = any;

/** By method. What is not here is shown by its name. */
const WORDS: Readonly<Record<string, (params: Params) => string>> = {
  "ui/initialize": ({ appInfo }) => `begins: ${appInfo?.name} ${appInfo?.version}`,
  "tools/call": ({ name, arguments: input }) => `calls ${name} with ${JSON.stringify(input ?? {})}`,
  "resources/read": ({ uri }) => `reads ${uri}`,
  "ui/message": ({ content }) => `says: ${textOf(content)}`,
  "ui/update-model-context": ({ content, structuredContent }) =>
    `tells the model: ${[textOf(content), structuredContent && JSON.stringify(structuredContent)].filter(Boolean).join(" ")}`,
  "ui/open-link": ({ url }) => `opens ${url}`,
  "ui/download-file": ({ contents }) => `offers ${contents?.length} file(s)`,
  "ui/request-display-mode": ({ mode }) => `wants to be ${mode}`,
  "ui/notifications/request-teardown": () => "wants to be closed",
  "notifications/message": ({ level, data }) =>
    `logs (${level}): ${typeof data === "string" ? data : JSON.stringify(data)}`,
};
/** How the two keep in touch. */
const SILENT = /^(ping|ui\/notifications\/(initialized|size-changed|sandbox-.*))$/;

function textOf(content: Params): string {
  const blocks = Array.isArray(content) ? content : [];
  return blocks.map(({ type, text }) => (type === "text" ? text : `(${type})`)).join(" ");
}

export interface Log {
  /** A message of the view. */
  asked(message: JSONRPCMessage): void;
  /** The host's message to it: perhaps an answer. */
  answered(message: JSONRPCMessage): void;
  /** What the browser says of the view. */
  complained(text: string): void;
}

/** @param list is emptied first */
export function logIn(list: HTMLElement): Log {
  const waiting = new Map<unknown, HTMLElement>();
  const add = (text: string, more: unknown) => {
    const entry = h("details", {}, h("summary", {}, text), h("pre", { tabindex: 0 }, JSON.stringify(more, null, 2)));
    list.append(h("li", {}, entry));
    return entry;
  };
  list.replaceChildren();
  return {
    asked(message) {
      if (!("method" in message) || SILENT.test(message.method)) return;
      const { method, params } = message;
      const entry = add(WORDS[method]?.(params ?? {}) ?? method, params);
      if ("id" in message) waiting.set(message.id, entry);
    },
    answered(message) {
      if ("method" in message) return;
      const entry = waiting.get(message.id);
      const isRefusal = "error" in message;
      if (isRefusal) entry?.querySelector("summary")?.append(h("b", {}, ` refused: ${message.error.message}`));
      const answer = isRefusal ? message.error : message.result;
      entry?.append(h("p", {}, "Answer"), h("pre", { tabindex: 0 }, JSON.stringify(answer, null, 2)));
    },
    complained: (text) => void list.append(h("li", { class: "complaint" }, text)),
  };
}
