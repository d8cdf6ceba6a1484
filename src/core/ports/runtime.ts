/** What the core needs of the world, and what of a fork's it runs. Types only. */
import type { Catalog } from "../catalog/catalog.ts";
import type { Log } from "../lib/log.ts";
import type { Demands, ToolContext } from "../model/definition.ts";
import type { ChangeFeed } from "./change-feed.ts";
import type { IdempotencyStore } from "./idempotency-store.ts";
import type { Relay } from "./relay.ts";
import type { SessionStore } from "./session-store.ts";
import type { Signer } from "./signed-handles.ts";

/** Handed in by the Worker, or by a test. */
export interface Runtime {
  readonly catalog: Catalog;
  readonly idempotency: IdempotencyStore;
  readonly sessions: SessionStore;
  readonly signer: Signer;
  readonly relay: Relay;
  readonly changeFeed: ChangeFeed;
  /** Keeps the isolate at work on a promise after the response has gone out. */
  readonly defer: (work: Promise<unknown>) => void;
  readonly fetch: ToolContext["fetch"];
  /**
   * Counts one more under `key`.
   *
   * @returns whether that is within `perMinute`, as seen from this location
   */
  readonly rateLimit: (perMinute: number, key: string) => Promise<boolean>;
  readonly log: Log;
  /** Takes the line about each call; undefined where nobody wants them. */
  readonly logCall?: Log | undefined;
  /** Milliseconds; only differences matter. */
  readonly now: () => number;
  /** The Worker's own secret of that name. */
  readonly secret: (name: string) => string | undefined;
  /** The Worker's binding or variable of that name, for tools that declare it. */
  readonly binding: (name: string) => unknown;
}

/** What is run: enough of a tool, prompt or resource to name it in a log. */
export interface Offer {
  readonly id: string;
  /** Name in messages to callers; defaults to `id`. */
  readonly name?: string;
  readonly version?: string;
  readonly traits: Demands;
  /** Key of its rate limit; defaults to `id`, which is unique among tools. */
  readonly rateKey?: string;
  /** Set if the call asks for a completion only. */
  readonly completion?: true;
}
