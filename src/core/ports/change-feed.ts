/** Change notifications: tools publish that a list or a resource has changed, and open streams receive it. */

import type { Change } from "../model/change.ts";
import { lacking, type Principal } from "../model/principal.ts";

/** The changes that one stream wants to receive. */
export interface Wanted {
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  /** URIs of single resources. */
  readonly uris: readonly string[];
}

/** A resource that a session has subscribed to, and what a principal needs to read it. */
export interface Subscribed {
  readonly uri: string;
  /** Folder name. */
  readonly toolkit: string;
  readonly scopes: readonly string[];
}

/** A session with the visibility of one of its streams. Streams of a session may differ in their tokens or paths. */
export interface SessionStream {
  readonly id: string;
  readonly scopes: Principal["scopes"];
  /** Folder names of the visible toolkits; undefined for all. */
  readonly toolkits: readonly string[] | undefined;
}

/** One open stream. */
export interface Listener {
  readonly principal: string;
  /** The stream also receives this session's subscriptions, if they are visible to it, and ends with the session. */
  readonly session?: SessionStream | undefined;
  readonly wanted: Wanted;
  /** Catalogue revision that this deployment serves. */
  readonly revision: string;
  /** Catalogue revision that the client has listed; absent if unknown. */
  readonly knows?: string | undefined;
}

/** Where changes are published and received. */
export interface ChangeFeed {
  /**
   * Opens a stream of changes.
   *
   * @param subscribed looks up a resource of the session's earlier subscriptions; returns undefined if it is not
   * visible
   * @returns changes as lines of JSON until the stream is cancelled; undefined if the principal has too many streams
   *          open, or too many resources in them
   */
  listen(
    listener: Listener,
    subscribed?: (uri: string) => Subscribed | undefined,
  ): Promise<ReadableStream<Uint8Array> | undefined>;
  publish(change: Change): Promise<void>;
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

/** Whether a stream may be notified of a resource: only if its principal may read it. */
export function mayHear({ scopes, toolkits }: SessionStream, resource: Subscribed): boolean {
  return (toolkits?.includes(resource.toolkit) ?? true) && lacking(resource.scopes, scopes).length === 0;
}

/** Lines of a stream. {@link Lines.cancel} ends the iteration, even while it waits for a line. */
export interface Lines extends AsyncIterable<string> {
  cancel(): void;
}

/** Splits a stream of UTF-8 text into lines. A last line without a newline is dropped. */
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
