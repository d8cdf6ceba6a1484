/** The variables from which calls from a shell and samples of code read what a caller sends (docs/call.md). */

/** Of an API key. */
export const KEY = "TRIVET_KEY";
/** Of the user on whose behalf a tool is called. */
export const USER_ID = "TRIVET_USER_ID";

/** The variable of a secret or token: its id, as a name that shells allow. `carrier-login` is CARRIER_LOGIN. */
export function variableOf(id: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? id : id.toUpperCase().replace(/[^A-Z0-9_]/g, "_");
}
