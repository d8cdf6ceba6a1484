/** The environment variables that calls from a shell and samples of code read (docs/call.md). */

/** Holds the API key. */
export const KEY = "TRIVET_KEY";
/** Holds the id of the user on whose behalf a tool is called. */
export const USER_ID = "TRIVET_USER_ID";

/** The variable that holds a secret or token: its id, as a name that shells allow. `carrier-login` is CARRIER_LOGIN. */
export function variableOf(id: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? id : id.toUpperCase().replace(/[^A-Z0-9_]/g, "_");
}
