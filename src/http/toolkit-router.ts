/**
 * A Hono router for routes that are plain paths, served bare and under each toolkit: one lookup, however many toolkits
 * there are. `/calculator/tools` is `/tools` with the parameter `toolkit`. Knows no patterns.
 */
import type { Router } from "hono/router";

/** What a path asks for, and under which toolkit. */
export interface Located {
  readonly path: string;
  readonly toolkit: string | undefined;
}

/** What Hono takes for a match: handlers, each with what stands in the path for it. */
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

  match(method: string, asked: string): Match<Handler> {
    // No toolkit is called like the beginning of a path of ours.
    const found = this.#bare.get(asked)?.get(method);
    if (found) return found;
    const { path, toolkit } = this.#locate(asked);
    const bare = this.#bare.get(path)?.get(method);
    if (bare === undefined) return [[]];
    return toolkit === undefined ? bare : [bare[0].map(([handler]) => [handler, { toolkit }])];
  }
}
