/**
 * A Hono router for literal paths, each served for all toolkits and again under each toolkit's own path:
 * `/calculator/tools` is `/tools` with the parameter `toolkit`. A match takes one or two map lookups, however many
 * toolkits there are. It does not support patterns.
 */
import type { Router } from "hono/router";

/** A request path without its toolkit prefix, and the toolkit. */
export interface Located {
  readonly path: string;
  readonly toolkit: string | undefined;
}

/** Hono's result of a match: handlers, each with its path parameters. */
type Match<Handler> = [[Handler, Record<string, string>][]];

export class ToolkitRouter<Handler> implements Router<Handler> {
  readonly name = "ToolkitRouter";
  /** By path and method. */
  readonly #bare = new Map<string, Map<string, Match<Handler>>>();
  readonly #locate: (path: string) => Located;

  constructor(locate: (path: string) => Located) {
    this.#locate = locate;
  }

  add(method: string, path: string, handler: Handler): void {
    const methods = this.#bare.get(path) ?? new Map<string, Match<Handler>>();
    this.#bare.set(path, methods.set(method, [[[handler, {}]]]));
  }

  match(method: string, requested: string): Match<Handler> {
    // No toolkit has the name of a first path segment of the server's own, so an exact match wins.
    const found = this.#bare.get(requested)?.get(method);
    if (found) return found;
    const { path, toolkit } = this.#locate(requested);
    const bare = this.#bare.get(path)?.get(method);
    if (bare === undefined) return [[]];
    return toolkit === undefined ? bare : [bare[0].map(([handler]) => [handler, { toolkit }])];
  }
}
