/** Serves the tools of test/fixtures/events, built, with an outbox, and asks for their events over real HTTP. */
import { outboxLines } from "../../../src/discovery/settings/available.ts";
import { type Stream, streamOf } from "../sse.ts";
import { SECRET } from "./attacks/tokens.ts";
import {
  callModern,
  type Long,
  type LongOptions,
  modern,
  postModern,
  serveLong,
  tokenOf,
  type Way,
  WORKFLOW,
} from "./long.ts";

/** Serves them to callers with a credential. */
export function serveEvents({ closed = true, vars, ...options }: LongOptions = {}): Promise<Long> {
  return serveLong({
    tools: "test/fixtures/events",
    closed,
    vars: { ...(closed && { JWT_SECRET: SECRET }), ...vars },
    more: `\n${outboxLines("wrangler.toml")}\n${WORKFLOW}`,
    ...options,
  });
}

let callers = 0;
/** A caller that no other test has, so that nobody else's events are among its own. */
export function newCaller(scopes = "notes"): Way {
  return { headers: tokenOf(`caller-${++callers}-${Math.random().toString(36).slice(2)}`, scopes), capabilities: {} };
}

/** What a tool is told to emit. */
export interface Told {
  readonly name: "changed" | "grown" | "locked" | "read";
  readonly data: object;
  readonly id?: string;
}

/** Has a tool emit these events. Returns the whole message. */
export function tell(url: string, by: Way, ...events: Told[]) {
  return callModern(url, "Notes_Tell", { events }, by);
}

/** Sends a request of the extension, and returns its result or its error. */
export async function ask(url: string, method: string, params: object, by: Way) {
  const { body } = await modern(url, `events/${method}`, params, by);
  return body.result ?? body.error;
}

/** The position after the latest event of a caller. */
export async function now(url: string, name: string, by: Way, args: object = {}): Promise<string> {
  return (await ask(url, "poll", { name, arguments: args, cursor: null }, by)).cursor;
}

/** Opens a stream. */
export async function openEvents(url: string, params: object, by: Way, patienceMs = 20_000): Promise<Stream> {
  return streamOf(await postModern(url, "events/stream", params, by), patienceMs);
}
