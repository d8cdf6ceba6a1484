/** Checks what a view loads from other servers: a host lets it load only from origins that its tool names. */
import type { Complaint } from "../read/problem.ts";

/** The base of references without a scheme. */
const BASE = "https://view.invalid";
const REMOTE = /^(https?:)?\/\//i;

/**
 * @param reference in HTML, CSS or an import
 * @param domains   `resourceDomains` of the tool: origins, such as `https://*.example.com`
 * @returns what is wrong if it leads to another origin
 */
export function notAllowed(reference: string, domains: readonly string[]): Omit<Complaint, "line"> | undefined {
  if (!REMOTE.test(reference)) return undefined;
  if (!URL.canParse(reference, BASE))
    return { problem: `it loads ${reference}, which is not a URL`, fix: "correct it" };
  const url = new URL(reference, BASE);
  if (domains.some((domain) => covers(domain, url))) return undefined;
  const { origin } = url;
  const list = [...domains, origin].map((one) => JSON.stringify(one)).join(", ");
  const problem = `it loads ${reference}, and its tool does not name that origin: hosts refuse it`;
  const fix = `write in the tool view: { csp: { resourceDomains: [${list}] } }, or import a file of tools/`;
  return { problem, fix };
}

/** Compares as hosts do: "https://*.example.com" stands for all hosts below it (MCP Apps, McpUiResourceCsp). */
function covers(domain: string, { protocol, host, origin }: URL): boolean {
  const [scheme = "", name = ""] = domain.toLowerCase().split("//");
  if (name.startsWith("*.")) return scheme === protocol && host.endsWith(name.slice(1));
  return URL.canParse(domain) && new URL(domain).origin === origin;
}
