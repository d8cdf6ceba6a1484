/** Makes the policy of a view, which limits what it may load, from what its tool declares, as a host does. */
import { ORIGIN } from "../../../discovery/read/view-options.ts";

/**
 * A Content-Security-Policy as in MCP Apps (2026-01-26, "Content Security Policy Requirements"). Like the reference
 * host, it allows fonts in `data:`: discovery puts fonts into views.
 *
 * @param json `_meta.ui.csp` of the view's resource (McpUiResourceCsp); "null" if its tool declares nothing
 * @returns undefined if `json` is not JSON
 */
export function policyOf(json: string): string | undefined {
  let csp: Readonly<Record<string, unknown>>;
  try {
    csp = Object(JSON.parse(json));
  } catch {
    return undefined;
  }
  const origins = (name: string): string[] => {
    const found = csp[name];
    // It comes from the query of a URL: anything but an origin could add a directive.
    return Array.isArray(found) ? found.filter((origin) => typeof origin === "string" && ORIGIN.test(origin)) : [];
  };
  const or = (found: readonly string[], otherwise: string) => (found.length > 0 ? found.join(" ") : otherwise);
  const resources = ["'self'", ...origins("resourceDomains")].join(" ");
  return [
    "default-src 'none'; object-src 'none'",
    `script-src 'unsafe-inline' ${resources}; style-src 'unsafe-inline' ${resources}`,
    `img-src data: ${resources}; media-src data: ${resources}; font-src data: ${resources}`,
    `connect-src ${or(origins("connectDomains"), "'none'")}; frame-src ${or(origins("frameDomains"), "'none'")}`,
    `base-uri ${or(origins("baseUriDomains"), "'self'")}`,
  ].join("; ");
}
