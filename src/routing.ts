/**
 * A Hono router for routes that are plain paths, served bare and under each toolkit: one lookup, however many toolkits
 * there are. `/calculator/tools` is `/tools` with the parameter `toolkit`. Knows no patterns.
 */
import type { Result, Router } from "hono/router";
import { isMetadataPath, METADATA_PATH } from "./access/resource.ts";

export class ToolkitRouter<Handler> implements Router<Handler> {
  readonly name = "ToolkitRouter";
  readonly #handlers = new Map<string, Map<string, Handler>>();
  readonly #toolkits: ReadonlySet<string>;

  constructor(toolkits: ReadonlySet<string>) {
    this.#toolkits = toolkits;
  }

  add(method: string, path: string, handler: Handler): void {
    const handlers = this.#handlers.get(path) ?? new Map<string, Handler>();
    this.#handlers.set(path, handlers.set(method, handler));
  }

  match(method: string, asked: string): Result<Handler> {
    const { path, toolkit } = locate(asked, this.#toolkits);
    const handler = this.#handlers.get(path)?.get(method);
    return handler === undefined ? [[]] : [[[handler, toolkit === undefined ? {} : { toolkit }]]];
  }
}

/** What a path asks for, and under which toolkit: a first segment that is no toolkit's stays. */
export function locate(
  asked: string,
  toolkits: ReadonlySet<string>,
): { readonly path: string; readonly toolkit: string | undefined } {
  // A slash at the end says nothing: addresses are often written down with one.
  const path = asked.length > 1 && asked.endsWith("/") && !asked.endsWith("//") ? asked.slice(0, -1) : asked;
  const end = path.indexOf("/", 1);
  if (end < 0) return { path, toolkit: undefined };
  const toolkit = path.slice(1, end);
  const rest = path.slice(end);
  // The metadata is open to all: below a toolkit it would tell which toolkits there are.
  if (toolkits.has(toolkit) && rest !== METADATA_PATH) return { path: rest, toolkit };
  return { path: isMetadataPath(path) ? METADATA_PATH : path, toolkit: undefined };
}
