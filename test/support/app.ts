/** Parts of an app that is open to everyone, for tests that create their own app. */
import type { Principal } from "../../src/core/model/principal.ts";
import type { App, Deployment } from "../../src/deployment.ts";

export const OWNER: Principal = { id: "owner", scopes: "all", reach: "all" };

export const OPEN = {
  originPolicy: { local: false, origins: [] },
  guard: async () => OWNER,
  resource: { name: "test", baseScopes: [], issuers: () => [] },
  signIn: undefined,
  documentSettings: { isOn: false, description: undefined, registryName: undefined },
} satisfies Partial<Deployment>;

/** Sends a request to an app. `url` may be a path. */
export function fetchFrom(app: App, url: string, init?: RequestInit): Response | Promise<Response> {
  return app.fetch(new Request(new URL(url, "http://localhost"), init));
}

/** POSTs JSON to an app, for an answer that is JSON. */
export async function postTo(app: App, path: string, body: unknown, headers: Readonly<Record<string, string>> = {}) {
  const init = { method: "POST", headers: { "content-type": "application/json", ...headers } };
  const answer = await fetchFrom(app, path, { ...init, body: JSON.stringify(body) });
  // biome-ignore lint/suspicious/noExplicitAny: any JSON may come back
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
}
