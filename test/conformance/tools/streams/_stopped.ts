/** Why calls of the waiting tool were stopped, by name: module state, which one local server keeps between calls. */
export const stopped = new Map<string, string>();
