/** Subscribes, emits and looks at deliveries, as clients do, over all protocols. Everything rejects if there is no server. */
import { postJson } from "../../support/node/http.ts";
import { callOxp, modern, tokenOf } from "../../support/node/long.ts";

export const PROTOCOLS = ["mcp", "oxp", "opentool"] as const;
const EVENT = "news.told";

export interface Telling {
  readonly over: (typeof PROTOCOLS)[number];
  readonly by: string;
  /** The idempotency key; without one, the event has an id of its own. */
  readonly key: string | undefined;
  readonly input: { readonly n: number; readonly list: string; readonly id?: string };
  readonly callback?: { readonly url: string; readonly secret: string; readonly token?: string };
}

export const callerOf = (name: string) => tokenOf(name, "news");

/** Calls the tool that emits. @returns whether it has */
export async function tell(url: string, { over, by, key, input, callback }: Telling): Promise<boolean> {
  const headers = { ...callerOf(by), ...(key !== undefined && { "idempotency-key": key }) };
  switch (over) {
    case "mcp": {
      const way = { headers, capabilities: {}, ...(callback && { meta: { callback } }) };
      const { body } = await modern(url, "tools/call", { name: "News_Tell", arguments: input }, way);
      return body.result?.structuredContent === input.n;
    }
    case "oxp": {
      const { body } = await callOxp(url, "News.Tell", input, { context: { callback } }, headers);
      return body.result?.value === input.n;
    }
    case "opentool": {
      const call = { jsonrpc: "2.0", id: "1", method: "News_Tell", params: input, context: { callback } };
      const { body } = await postJson(`${url}/opentool/call`, call, headers);
      return body.result?.value === input.n;
    }
  }
}

/** Subscribes a URL. @returns the subscription's id, and the position up to which it has everything */
export async function subscribe(url: string, by: string, to: string, secret: string, list: string | undefined) {
  const delivery = { url: to, secret };
  const params = { name: EVENT, arguments: { list }, cursor: null, delivery };
  const { body } = await modern(url, "events/subscribe", params, { headers: callerOf(by), capabilities: {} });
  if (!body.result) throw new Error(`not subscribed: ${JSON.stringify(body.error)}`);
  return body.result as { readonly id: string; readonly cursor: string };
}

/** The positions of all events of a principal, by number, as `events/poll` gives them one by one. */
export async function positions(url: string, by: string): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  for (let cursor = "0", more = true; more; ) {
    const params = { name: EVENT, arguments: {}, cursor, maxEvents: 1 };
    const { body } = await modern(url, "events/poll", params, { headers: callerOf(by), capabilities: {} });
    const { events, hasMore } = body.result;
    // Of the last one the position is not told: it is before that of the next request.
    ({ cursor } = body.result);
    for (const { data } of events) found.set(data.n, Number(cursor));
    more = hasMore;
  }
  return found;
}

export interface Listed {
  readonly webhook_id: string;
  readonly url: string;
  readonly event_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly reason?: string;
}

export async function deliveries(url: string, by: string, state: string): Promise<readonly Listed[]> {
  const response = await fetch(`${url}/api/v1/deliveries?state=${state}`, { headers: callerOf(by) });
  return ((await response.json()) as { readonly deliveries: readonly Listed[] }).deliveries;
}
