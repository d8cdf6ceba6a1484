/** A Hono router for routes that are plain paths: one lookup, however many there are. Knows no patterns. */
import type { Result, Router } from "hono/router";

export class StaticRouter<Handler> implements Router<Handler> {
  readonly name = "StaticRouter";
  readonly #routes = new Map<string, Result<Handler>>();

  add(method: string, path: string, handler: Handler): void {
    this.#routes.set(`${method} ${path}`, [[[handler, {}]]]);
  }

  match(method: string, path: string): Result<Handler> {
    return this.#routes.get(`${method} ${path}`) ?? [[]];
  }
}
