/** The descriptions that `npm run new` writes, which `npm run doctor` asks to replace. */

export const TOOL = "Repeats a text.";
export const PROMPT = "Explains a topic.";
export const RESOURCE = "A greeting.";
export const EVENT = "Something has changed.";
export const SKILL = "Does a job with several tools. Use it when someone asks for that job.";

export const EXAMPLES: ReadonlySet<string> = new Set([TOOL, PROMPT, RESOURCE, EVENT, SKILL]);
