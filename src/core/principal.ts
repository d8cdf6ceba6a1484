/** The principal of whoever shows no credential where none is asked for. */

export const ANONYMOUS = "anonymous";
