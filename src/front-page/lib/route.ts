/** The part of the address behind `#`, which says what the page shows: `#/tool/Calculator.Add`. */

export type Route =
  | { readonly kind: "home" | "connect" }
  | { readonly kind: "tool" | "prompt" | "resource"; readonly name: string };

const NAMED = /^#\/(tool|prompt|resource)\/(.+)$/;

/** @returns undefined for anything else, such as the link that skips to the content */
export function routeOf(hash: string): Route | undefined {
  if (hash === "" || hash === "#" || hash === "#/") return { kind: "home" };
  if (hash === "#/connect") return { kind: "connect" };
  const [, kind, name] = NAMED.exec(hash) ?? [];
  if (kind === undefined || name === undefined) return undefined;
  try {
    return { kind: kind as "tool", name: decodeURIComponent(name) };
  } catch {
    // A "%" that stands for nothing.
    return undefined;
  }
}

/** @returns the link to it */
export function linkTo(route: Route): string {
  return "name" in route
    ? `#/${route.kind}/${encodeURIComponent(route.name)}`
    : route.kind === "home"
      ? "#/"
      : "#/connect";
}
