/** What the browser lets a view do: the policy that a host makes of what the view's tool declares. */
import { ORIGIN } from "../../../build/read/view-options.ts";

/**
 * A Content-Security-Policy as MCP Apps has it (2026-01-26, "Content Security Policy Requirements"). Fonts as `data:`
 * are from the reference host: discovery puts fonts into views.
 *
 * @param declared `_meta.ui.csp` of the view's resource (McpUiResourceCsp); undefined if its tool declares nothing
 */
export function policyOf(declared: unknown): string {
  const csp = Object(declared) as Readonly<Record<string, unknown>>;
  const origins = (name: string): string[] => {
    const found = csp[name];
    // It comes from the query of a URL: anything but an origin could add a directive.
    return Array.isArray(found) ? found.filter((origin) => typeof origin === "string" && ORIGIN.test(origin)) : [];
  };
  const directive = (name: string, found: readonly string[], otherwise = "'none'") =>
    `${name} ${found.length > 0 ? found.join(" ") : otherwise}`;
  const resources = origins("resourceDomains");
  return [
    "default-src 'none'",
    directive("script-src", ["'self'", "'unsafe-inline'", ...resources]),
    directive("style-src", ["'self'", "'unsafe-inline'", ...resources]),
    directive("img-src", ["'self'", "data:", ...resources]),
    directive("media-src", ["'self'", "data:", ...resources]),
    directive("font-src", ["'self'", "data:", ...resources]),
    directive("connect-src", origins("connectDomains")),
    directive("frame-src", origins("frameDomains")),
    directive("base-uri", origins("baseUriDomains"), "'self'"),
    "object-src 'none'",
  ].join("; ");
}
