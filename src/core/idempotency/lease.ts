/**
 * The claim on an idempotency key, as a state machine: free → running (a lease with a deadline and a fencing token) →
 * done. Pure: a row and the time in, a row and an answer out. Whoever keeps the rows sees to it that no two steps on
 * one row overlap.
 */

/** What is kept of one key. Times are milliseconds since 1970. */
export interface LeaseRow {
  readonly fingerprint: string;
  /** Fencing token of whoever runs or ran: unique per attempt, and only its bearer may settle or release. */
  readonly token: string;
  /** Whether another had the key before and was given up. */
  readonly again: boolean;
  /** When the runner is given up, should it not have settled. */
  readonly deadline: number;
  /** Whether the result is known. */
  readonly done: boolean;
  /** When the row may be forgotten. */
  readonly expires: number;
}

export interface LeaseAttempt {
  readonly fingerprint: string;
  /** Chosen by the runner, so that an attempt whose answer was lost can be made again. */
  readonly token: string;
  readonly leaseMs: number;
  readonly keepMs: number;
}

export type LeaseVerdict =
  /** `again`: another ran before and was given up; it may have left a result elsewhere. */
  | { readonly state: "claimed"; readonly again: boolean }
  | { readonly state: "running"; readonly untilMs: number }
  | { readonly state: "done" }
  | { readonly state: "conflict" };

/** @param row undefined for a key that is free */
export function claim(
  row: LeaseRow | undefined,
  { fingerprint, token, leaseMs, keepMs }: LeaseAttempt,
  now: number,
): { readonly row: LeaseRow; readonly answer: LeaseVerdict } {
  const known = row === undefined || row.expires <= now ? undefined : row;
  // A key names one call, also when that call's runner died.
  if (known && known.fingerprint !== fingerprint) return { row: known, answer: { state: "conflict" } };
  if (known?.done) return { row: known, answer: { state: "done" } };
  const isMine = known?.token === token;
  if (known && !isMine && known.deadline > now) {
    return { row: known, answer: { state: "running", untilMs: known.deadline } };
  }
  const deadline = now + leaseMs;
  // Asked twice under one token (the first answer was lost), it is the same answer.
  const again = known !== undefined && (known.again || !isMine);
  return {
    row: { fingerprint, token, again, deadline, done: false, expires: deadline + keepMs },
    answer: { state: "claimed", again },
  };
}

/**
 * @returns the row with its result known, or `lost` where the lease went to another meanwhile. A key that is free again
 *          takes the result: it ran, whoever gave the key back
 */
export function settle(
  row: LeaseRow | undefined,
  { fingerprint, token, keepMs }: Pick<LeaseAttempt, "fingerprint" | "token" | "keepMs">,
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

/** The row of a runner that gives up without having run: its key is to be taken over, and not to be forgotten. */
export function forsake(row: LeaseRow | undefined, token: string, now: number): LeaseRow | undefined {
  return row?.token === token && !row.done ? { ...row, deadline: now } : row;
}

/** Whether the key is free again: only the bearer of the token may let it go, and nobody once the result is known. */
export function mayRelease(row: LeaseRow | undefined, token: string): boolean {
  return row !== undefined && row.token === token && !row.done;
}
