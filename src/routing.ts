/**
 * A Hono router for routes that are plain paths, served bare and under each toolkit: one lookup, however many toolkits
 * there are. `/calculator/tools` is `/tools` with the parameter `toolkit`. Knows no patterns.
 */
import type { Result, Router } from "hono/router";

/** What a path asks for, and under which toolkit. */
export interface Located {
  readonly path: string;
  readonly toolkit: string | undefined;
}

export class ToolkitRouter<Handler> implements Router<Handler> {
  readonly name = "ToolkitRouter";
  readonly #handlers = new Map<string, Map<string, Handler>>();
  readonly #locate: (path: string) => Located;

  constructor(locate: (path: string) => Located) {
    this.#locate = locate;
  }

  add(method: string, path: string, handler: Handler): void {
    const handlers = this.#handlers.get(path) ?? new Map<string, Handler>();
    this.#handlers.set(path, handlers.set(method, handler));
  }

  match(method: string, asked: string): Result<Handler> {
    const { path, toolkit } = this.#locate(asked);
    const handler = this.#handlers.get(path)?.get(method);
    return handler === undefined ? [[]] : [[[handler, toolkit === undefined ? {} : { toolkit }]]];
  }
}
