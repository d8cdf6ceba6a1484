/** News of what a client may have listed or read before: published by tools, heard by open streams. */

import type { Change } from "../model/change.ts";
import type { Principal } from "../model/principal.ts";
import { lacking } from "../model/principal.ts";

/** What one stream wants to hear. */
export interface Wanted {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  /** Resources to hear about. */
  readonly uris: readonly string[];
}

/** A resource that a session hears about, and what its reader needs. */
export interface Subscribed {
  readonly uri: string;
  /** Folder name. */
  readonly toolkit: string;
  readonly scopes: readonly string[];
}

/** A session as one of its streams sees it. Another may see more, or less: their tokens differ, or their paths. */
export interface SessionStream {
  readonly id: string;
  readonly scopes: Principal["scopes"];
  /** Folder names of the toolkits that it sees; undefined for all. */
  readonly toolkits: readonly string[] | undefined;
}

export interface Listener {
  readonly principal: string;
  /** A session whose {@link ChangeFeed.subscribe}d resources it hears about as well, as far as it may; it ends with it. */
  readonly session?: SessionStream | undefined;
  readonly wanted: Wanted;
  /** Catalogue revision that this deployment serves. */
  readonly revision: string;
  /** Catalogue revision that the client knows; absent when it is not known. */
  readonly knows?: string | undefined;
}

export interface ChangeFeed {
  /**
   * @param subscribed looks up a resource that its session subscribed to before; undefined for none that it may hear of
   * @returns changes as lines of JSON until the stream is cancelled; undefined when the principal has too many open, or
   *          they name too many resources
   */
  listen(
    listener: Listener,
    subscribed?: (uri: string) => Subscribed | undefined,
  ): Promise<ReadableStream<Uint8Array> | undefined>;
  publish(change: Change): Promise<void>;
  /**
   * Adds or takes away a resource that a session's streams hear about.
   *
   * @param principal as in {@link Listener}
   * @returns false when the session or the principal has too many
   */
  subscribe(principal: string, session: string, resource: Subscribed, on: boolean): Promise<boolean>;
  /** Ends a session's streams, and forgets what they heard about. */
  end(principal: string, session: string): Promise<void>;
}

/** Whether a stream may hear of a resource: what it may not read, it hears nothing of. */
export function mayHear({ scopes, toolkits }: SessionStream, resource: Subscribed): boolean {
  return (toolkits?.includes(resource.toolkit) ?? true) && lacking(resource.scopes, scopes).length === 0;
}

/** What comes in line by line; {@link Lines.cancel} ends it, also while nothing comes. */
export interface Lines extends AsyncIterable<string> {
  cancel(): void;
}

export function readLines(source: ReadableStream<Uint8Array>): Lines {
  const reader = source.getReader();
  async function* read(): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      yield* parts;
    }
  }
  return { [Symbol.asyncIterator]: read, cancel: () => void reader.cancel().catch(() => {}) };
}
