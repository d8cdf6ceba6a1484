/**
 * A Hono router for paths that are served for all toolkits and again under each toolkit's own path: `/calculator/tools`
 * is `/tools` with the parameter `toolkit`. A literal path takes one or two map lookups, however many toolkits there
 * are. Paths with parameters (`/rest/:toolkit/:tool`) are tried one after the other if no literal path matches.
 */
import type { Router } from "hono/router";

/** A request path without its toolkit prefix, and the toolkit. */
export interface Located {
  readonly path: string;
  readonly toolkit: string | undefined;
}

/** Values of a path's parameters by name, decoded. */
export type PathParams = Readonly<Record<string, string>>;

/** Hono's result of a match: handlers, each with its path parameters. */
type Match<Handler> = [[Handler, PathParams][]];

interface PatternRoute<Handler> {
  readonly method: string;
  readonly pattern: RegExp;
  readonly handler: Handler;
}

export class ToolkitRouter<Handler> implements Router<Handler> {
  readonly name = "ToolkitRouter";
  /** Literal paths, by path and method. */
  readonly #plain = new Map<string, Map<string, Match<Handler>>>();
  readonly #patterns: PatternRoute<Handler>[] = [];
  readonly #locate: (path: string) => Located;

  constructor(locate: (path: string) => Located) {
    this.#locate = locate;
  }

  add(method: string, path: string, handler: Handler): void {
    if (path.includes(":")) {
      this.#patterns.push({ method, pattern: patternOf(path), handler });
      return;
    }
    const methods = this.#plain.get(path) ?? new Map<string, Match<Handler>>();
    this.#plain.set(path, methods.set(method, [[[handler, {}]]]));
  }

  match(method: string, requested: string): Match<Handler> {
    // No toolkit may have the name of the first segment of one of the server's paths, so an exact match wins.
    const found = this.#plain.get(requested)?.get(method);
    if (found) return found;
    const { path, toolkit } = this.#locate(requested);
    const plain = this.#plain.get(path)?.get(method);
    if (plain) return toolkit === undefined ? plain : [plain[0].map(([handler]) => [handler, { toolkit }])];
    for (const route of this.#patterns) {
      const params = route.method === method ? paramsOf(route.pattern, path) : undefined;
      if (params) return [[[route.handler, toolkit === undefined ? params : { ...params, toolkit }]]];
    }
    return [[]];
  }

  /** Returns the methods that a path is served with. @param path without its toolkit prefix */
  methodsOf(path: string): string[] {
    const fitting = this.#patterns.filter(({ pattern }) => paramsOf(pattern, path) !== undefined);
    return [...(this.#plain.get(path)?.keys() ?? []), ...fitting.map(({ method }) => method)];
  }
}

/** In `/rest/:toolkit/:tool`, each parameter stands for one segment that is not empty. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`);
}

function paramsOf(pattern: RegExp, path: string): PathParams | undefined {
  const groups = pattern.exec(path)?.groups;
  return groups && Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decoded(value)]));
}

/** Decodes percent escapes. A malformed escape stays as it is: no tool or toolkit has such a name. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
