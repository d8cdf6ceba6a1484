/** The descriptions that `npm run new` writes, which `npm run doctor` asks to replace. */

export const TOOL_DESCRIPTION = "Repeats a text.";
export const PROMPT_DESCRIPTION = "Explains a topic.";
export const RESOURCE_DESCRIPTION = "A greeting.";
export const EVENT_DESCRIPTION = "Something has changed.";
export const SKILL_DESCRIPTION = "Does a job with several tools. Use it when someone asks for that job.";

export const EXAMPLES: ReadonlySet<string> = new Set([
  TOOL_DESCRIPTION,
  PROMPT_DESCRIPTION,
  RESOURCE_DESCRIPTION,
  EVENT_DESCRIPTION,
  SKILL_DESCRIPTION,
]);
