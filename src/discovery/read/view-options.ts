/** Checks the options of a tool's view, and its `visibility`: who may call the tool where views are shown. */

import { isRecord } from "../../core/lib/json.ts";
import type { ViewOptions, Visibility } from "../../core/model/primitives.ts";
import type { Complaint } from "./problem.ts";

const OPTIONS = ["csp", "permissions", "prefersBorder", "domain"] as const satisfies (keyof ViewOptions)[];
const PERMISSIONS = ["camera", "microphone", "geolocation", "clipboardWrite"];
const DOMAINS = ["connectDomains", "resourceDomains", "frameDomains", "baseUriDomains"];
/** An origin, or all hosts below one (MCP Apps, McpUiResourceCsp). Anything else could change the host's policy. */
export const ORIGIN = /^(https?|wss?):\/\/(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)*(:\d{1,5})?$/i;

type Definition = Readonly<Record<string, unknown>>;

/** The options of a definition that has been checked. */
export function viewOptionsOf({ view, visibility }: Definition): { view?: ViewOptions; visibility?: Visibility[] } {
  return {
    ...(view !== undefined && { view: view as ViewOptions }),
    ...(visibility !== undefined && { visibility: visibility as Visibility[] }),
  };
}

/** Whether a tool is for views alone. */
export function isAppOnly({ visibility }: Definition): boolean {
  return Array.isArray(visibility) && !visibility.includes("model");
}

export function* checkViewOptions({ view, visibility }: Definition): Generator<Complaint> {
  const isVisibility =
    Array.isArray(visibility) && visibility.length > 0 && visibility.every((who) => who === "model" || who === "app");
  if (visibility !== undefined && !isVisibility) {
    const fix = 'write visibility: ["app"] if only views may call it, or leave it out';
    yield { problem: 'its visibility is not a list of "model" and "app"', fix, member: "visibility" };
  }
  if (view === undefined) return;
  if (!isRecord(view)) {
    const fix = 'write view: { csp: { connectDomains: ["https://api.example.com"] } }, or leave it out';
    return yield { problem: "its view is not an object", fix, member: "view" };
  }
  for (const complaint of wrongIn(view)) yield { ...complaint, member: "view" };
}

function* wrongIn({ csp, permissions, prefersBorder, domain, ...rest }: Definition): Generator<Complaint> {
  for (const name of Object.keys(rest)) {
    yield { problem: `its view has no option "${name}"`, fix: `remove it, or write one of ${OPTIONS.join(", ")}` };
  }
  if (csp !== undefined) yield* wrongDomains(csp);
  const isPermitted = Array.isArray(permissions) && permissions.every((one) => PERMISSIONS.includes(one));
  if (permissions !== undefined && !isPermitted) {
    const fix = `write a list of some of ${PERMISSIONS.join(", ")}, such as permissions: ["geolocation"]`;
    yield { problem: "the permissions of its view are not all known", fix };
  }
  if (prefersBorder !== undefined && typeof prefersBorder !== "boolean") {
    const fix = "write prefersBorder: true, or leave it out";
    yield { problem: "the prefersBorder of its view is not true or false", fix };
  }
  if (domain !== undefined && (typeof domain !== "string" || !/^[a-z0-9.-]+$/i.test(domain))) {
    const fix = "write a host name in the form that the host's documentation says, or leave it out";
    yield { problem: "the domain of its view is not a host name", fix };
  }
}

function* wrongDomains(csp: unknown): Generator<Complaint> {
  const fix = `write some of ${DOMAINS.join(", ")}, such as csp: { connectDomains: ["https://api.example.com"] }`;
  if (!isRecord(csp)) {
    return yield { problem: "the csp of its view is not an object", fix };
  }
  for (const [name, origins] of Object.entries(csp)) {
    if (!DOMAINS.includes(name)) yield { problem: `the csp of its view has no "${name}"`, fix };
    else if (!Array.isArray(origins)) yield { problem: `${name} of its view is not a list of origins`, fix };
    else {
      const wrong = origins.find((origin) => typeof origin !== "string" || !ORIGIN.test(origin));
      if (wrong === undefined) continue;
      const problem = `${name} of its view has ${JSON.stringify(wrong)}, which is not an origin`;
      const fix = 'write scheme and host, without a path: "https://api.example.com", "https://*.example.com"';
      yield { problem, fix };
    }
  }
}
