/** Why calls of the waiting tool were stopped, by name. Module state, which a local server keeps between calls. */
export const stopped = new Map<string, string>();
