/**
 * The states of an idempotency key: free → running (a lease with a deadline and a fencing token) → done. Pure functions
 * that take a row and the time, and return a row and a verdict. The store that has the rows must not let two steps on
 * one row overlap.
 */

/** The stored state of one key. Times are milliseconds since 1970. */
export interface LeaseRow {
  readonly fingerprint: string;
  /** Fencing token of the runner: unique per attempt. Only its holder may settle or release. */
  readonly token: string;
  /** Whether the key was taken over from an earlier runner that missed its deadline. */
  readonly again: boolean;
  /** When the key may be taken over if the runner has not settled. */
  readonly deadline: number;
  readonly done: boolean;
  /** When the row may be deleted. */
  readonly expires: number;
}

export interface LeaseAttempt {
  readonly fingerprint: string;
  /** Chosen by the runner, so that it can repeat an attempt whose response was lost. */
  readonly token: string;
  /** How long the run may take. */
  readonly leaseMs: number;
  /** How long to keep the row afterwards. */
  readonly keepMs: number;
}

export type Settling = Omit<LeaseAttempt, "leaseMs">;

export type LeaseVerdict =
  /** `again`: an earlier runner missed its deadline; it may have left a result elsewhere. */
  | { readonly state: "claimed"; readonly again: boolean }
  | { readonly state: "running"; readonly untilMs: number }
  | { readonly state: "done" }
  | { readonly state: "conflict" };

/**
 * Claims a key for an attempt, if the key is free or its runner has missed the deadline.
 *
 * @param row undefined if the key is free
 */
export function claim(
  row: LeaseRow | undefined,
  { fingerprint, token, leaseMs, keepMs }: LeaseAttempt,
  now: number,
): { readonly row: LeaseRow; readonly answer: LeaseVerdict } {
  const current = row === undefined || row.expires <= now ? undefined : row;
  // A key belongs to one call, even if the Worker that ran the call has died.
  if (current && current.fingerprint !== fingerprint) return { row: current, answer: { state: "conflict" } };
  if (current?.done) return { row: current, answer: { state: "done" } };
  const isMine = current?.token === token;
  if (current && !isMine && current.deadline > now) {
    return { row: current, answer: { state: "running", untilMs: current.deadline } };
  }
  const deadline = now + leaseMs;
  // A repeated attempt with the same token (its first response was lost) gets the same verdict.
  const again = current !== undefined && (current.again || !isMine);
  return {
    row: { fingerprint, token, again, deadline, done: false, expires: deadline + keepMs },
    answer: { state: "claimed", again },
  };
}

/**
 * Marks the result as known. A key that has become free also accepts the result, because the call has run.
 *
 * @returns the new row, or `lost` if another runner has taken the key over
 */
export function settle(
  row: LeaseRow | undefined,
  { fingerprint, token, keepMs }: Settling,
  now: number,
): LeaseRow | "lost" {
  if (row === undefined || row.expires <= now) {
    return { fingerprint, token, again: false, deadline: now, done: true, expires: now + keepMs };
  }
  if (row.token !== token) return "lost";
  return row.done ? row : { ...row, done: true, expires: now + keepMs };
}

/**
 * Extends the lease to at least `leaseMs` from now; never shortens it.
 *
 * @returns `lost` if the key is no longer this runner's
 */
export function extend(row: LeaseRow | undefined, token: string, leaseMs: number, now: number): LeaseRow | "lost" {
  if (row === undefined || row.expires <= now || row.token !== token || row.done) return "lost";
  const deadline = Math.max(row.deadline, now + leaseMs);
  return { ...row, deadline, expires: row.expires + deadline - row.deadline };
}

/**
 * Ends the lease of a runner that gives up without running. The row stays, so that the next call takes the key over.
 */
export function forsake(row: LeaseRow | undefined, token: string, now: number): LeaseRow | undefined {
  return row?.token === token && !row.done ? { ...row, deadline: now } : row;
}

/** Whether a runner may free the key: only the token's holder may, and only while the result is not known. */
export function mayRelease(row: LeaseRow | undefined, token: string): boolean {
  return row !== undefined && row.token === token && !row.done;
}

/** The part of a lease that the run needs. */
export interface RunLease {
  /** Given to the tool as `ctx.idempotencyKey`, to pass on. */
  readonly storeKey: string;
  /** Hash of the key, the input and the credentials: a different call with the same key has a different one. */
  readonly fingerprint: string;
  /** Extends the lease by `ms` milliseconds. Resolves with false if it was lost. */
  extend(ms: number): Promise<boolean>;
}
