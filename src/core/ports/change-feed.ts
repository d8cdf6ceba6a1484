/** Change notifications: tools publish that a list or a resource has changed, and open streams receive it. */

import type { Published } from "../model/change.ts";
import type { Principal } from "../model/principal.ts";

export interface Wanted {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  /** URIs of resources whose contents are watched. */
  readonly uris: readonly string[];
  /** Names of events of the stream's own principal. */
  readonly events?: readonly string[] | undefined;
  readonly tasks?: readonly string[] | undefined;
}

/** A resource that a session has subscribed to, and what a principal needs to read it. */
export interface Subscribed {
  readonly uri: string;
  /** Folder name. */
  readonly toolkit: string;
  readonly scopes: readonly string[];
}

/** A session, and what one of its streams may see. Streams of a session may have different tokens or paths. */
export interface SessionStream {
  readonly id: string;
  readonly scopes: Principal["scopes"];
  /** Folder names of the visible toolkits; undefined for all. */
  readonly toolkits: readonly string[] | undefined;
}

export interface Listener {
  readonly principal: string;
  /** The stream also receives this session's subscriptions, if they are visible to it, and ends with the session. */
  readonly session?: SessionStream | undefined;
  readonly wanted: Wanted;
  readonly revision: string;
  /** The catalogue revision that the client last listed; absent if unknown. */
  readonly knows?: string | undefined;
}

export interface ChangeFeed {
  /**
   * Opens a stream of changes.
   *
   * @param subscribed looks up a resource of the session's earlier subscriptions; returns undefined if the resource is
   *                   not visible
   * @returns changes as lines of JSON until the stream is cancelled; undefined if the principal has too many open
   *          streams, or watches too many resources in them
   */
  listen(
    listener: Listener,
    subscribed?: (uri: string) => Subscribed | undefined,
  ): Promise<ReadableStream<Uint8Array> | undefined>;
  publish(change: Published): Promise<void>;
  /**
   * Adds or removes a session's subscription to a resource.
   *
   * @param principal as in {@link Listener}
   * @returns false if the session or the principal has too many
   */
  subscribe(principal: string, session: string, resource: Subscribed, on: boolean): Promise<boolean>;
  /** Ends a session's streams and removes its subscriptions. */
  end(principal: string, session: string): Promise<void>;
}
