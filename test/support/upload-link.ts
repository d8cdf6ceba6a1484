/** Reads the link to an upload page in what a call is told whose caller cannot be asked. */

/** Returns "" if there is none. */
export const linkIn = (message = "") => /Upload it at (\S+) and/.exec(message)?.[1] ?? "";
