/** The time limit of a call, in milliseconds, unless its tool sets `timeoutMs`. */
export const DEFAULT_TIMEOUT_MS = 60_000;
