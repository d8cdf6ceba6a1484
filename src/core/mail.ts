/** Messages between two connections of one client that may have reached two isolates. Interface only. */

export interface Mail {
  /** Leaves entries under a key; `done` says that none will follow. Kept for some minutes for whoever comes later. */
  post(box: string, key: string, entries: readonly string[], done: boolean): Promise<void>;
  /** Resolves with the first entry under a key, also one that was left before. Pends for as long as there is none. */
  take(box: string, key: string): Promise<string>;
  /**
   * The entries behind the first `after` of a key, as lines, until it is done; those still to come as well. Undefined
   * when too many follow in this box already.
   */
  follow(box: string, key: string, after: number): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Throws away what was left, and lets go of all who wait. */
  close(box: string): Promise<void>;
}
