/** What the core needs of the world, and what of a fork's it runs. Types only. */
import type { Catalog } from "./catalog.ts";
import type { Changes } from "./changes.ts";
import type { Demands, ToolContext } from "./definition.ts";
import type { Signer } from "./handle.ts";
import type { Ledger } from "./ledger.ts";
import type { Log } from "./log.ts";
import type { Mail } from "./mail.ts";
import type { SessionStore } from "./state.ts";

/** Handed in by the Worker, or by a test. */
export interface Host {
  readonly catalog: Catalog;
  readonly ledger: Ledger;
  readonly sessions: SessionStore;
  readonly signer: Signer;
  readonly mail: Mail;
  readonly changes: Changes;
  /** Keeps the isolate at work on a promise after the response has gone out. */
  readonly defer: (work: Promise<unknown>) => void;
  readonly fetch: ToolContext["fetch"];
  /**
   * Counts one more under `key`.
   *
   * @returns whether that is within `perMinute`, as seen from this location
   */
  readonly within: (perMinute: number, key: string) => Promise<boolean>;
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
  readonly version?: string;
  readonly traits: Demands;
  /** Key of its rate limit; defaults to `id`, which is unique among tools. */
  readonly rateKey?: string;
  /** Set if the call asks for a completion only. */
  readonly completion?: true;
}
