/** The descriptions that `npm run new` writes, which `npm run doctor` asks to replace. */

export const TOOL = "Repeats a text.";
export const PROMPT = "Explains a topic.";
export const RESOURCE = "A greeting.";
export const EVENT = "Something has changed.";

export const EXAMPLES: ReadonlySet<string> = new Set([TOOL, PROMPT, RESOURCE, EVENT]);
