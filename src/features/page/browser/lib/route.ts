/** The part of the address behind `#`, which says what the page shows: `#/tool/Calculator.Add`. */

export type Route =
  | { readonly kind: "home" | "key" }
  /** `name`: of a host, or "" for all. */
  | { readonly kind: "connect" | "tool" | "prompt" | "resource"; readonly name: string };

const NAMED = /^#\/(tool|prompt|resource)\/(.+)$/;
const CONNECT = /^#\/(connect)\/?(.*)$/;

/** @returns undefined for anything else, such as the link that skips to the content */
export function routeOf(hash: string): Route | undefined {
  if (hash === "" || hash === "#" || hash === "#/") return { kind: "home" };
  if (hash === "#/key") return { kind: "key" };
  const [, kind, name] = NAMED.exec(hash) ?? CONNECT.exec(hash) ?? [];
  if (kind === undefined || name === undefined) return undefined;
  try {
    return { kind: kind as "tool", name: decodeURIComponent(name) };
  } catch {
    // A "%" that begins no escape.
    return undefined;
  }
}

export function linkTo(route: Route): string {
  if ("name" in route) return `#/${route.kind}/${encodeURIComponent(route.name)}`;
  return route.kind === "home" ? "#/" : "#/key";
}
