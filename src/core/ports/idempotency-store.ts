/** The idempotency store: a keyed call claims its key before it runs and settles its result. Interface only. */

/** What a store has about a call. Only the core can open it (idempotency/sealed-record.ts). */
export interface IdempotencyRecord {
  readonly fingerprint: string;
  /** The encrypted record, in ASCII. */
  readonly sealed: string;
}

export type Known = { readonly state: "known"; readonly record: IdempotencyRecord };
export type Running = { readonly state: "running"; readonly retryAfterMs: number };

/** The result of a claim. Only a caller that got `claimed` may run the tool, and it must settle or release. */
export type Claim =
  | {
      readonly state: "claimed";
      /**
       * Stores the result. Resolves with `kept`, or if this runner lost its lease, with the state of the runner that
       * took the key over. Never rejects: if the result cannot be stored, that is logged.
       *
       * @param ranOnly makes a small record that says only that the call ran, used if no store accepts `record`
       */
      settle(record: IdempotencyRecord, ranOnly: () => Promise<IdempotencyRecord>): Promise<"kept" | Known | Running>;
      /**
       * Extends the lease while the run waits for its caller: from now on, it lasts `ms` milliseconds longer than a run
       * may take. Resolves with whether the key still belongs to this runner. Never rejects.
       */
      extendLease(ms: number): Promise<boolean>;
      /** Frees the key, so that the next call with it runs. Never rejects. */
      release(): Promise<void>;
    }
  | Running
  | Known
  | { readonly state: "conflict" };

export interface ClaimRequest {
  readonly principal: string;
  /** HMAC of the call's identity (idempotency/call-identity.ts). */
  readonly key: string;
  /** HMAC of the call's input (idempotency/call-identity.ts). */
  readonly fingerprint: string;
  /** Whether the claim must be atomic, because running twice would do harm. */
  readonly once: boolean;
  /** Milliseconds that a run may take, and that a duplicate waits for its result. */
  readonly limitMs: number;
}

export interface IdempotencyStore {
  /** @throws if the store is unavailable; the tool has not run then */
  claim(request: ClaimRequest): Promise<Claim>;
  /**
   * Returns what {@link claim} would find, but claims nothing. Returns undefined if the key is free.
   *
   * @throws if the store cannot tell
   */
  look(request: ClaimRequest): Promise<Exclude<Claim, { state: "claimed" }> | undefined>;
}
