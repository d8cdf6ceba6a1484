/** The newer of two versions. Callers that name no version get this one (docs/tools.md, Versions). */
import * as v from "valibot";
import { defineTool, ToolError } from "#tool";

export default defineTool({
  version: "1.1.0",
  description: "Retrieves the current system timestamp, in UTC or in a time zone.",
  annotations: { readOnly: true, openWorld: false },
  input: v.object({
    time_zone: v.optional(v.pipe(v.string(), v.description("IANA name, such as Europe/Berlin."))),
  }),
  output: v.object({
    timestamp: v.pipe(v.string(), v.metadata({ format: "date-time", description: "The current system timestamp." })),
  }),
  run({ time_zone }) {
    const now = new Date();
    return { timestamp: time_zone === undefined ? now.toISOString() : inZone(now, time_zone) };
  },
});

/** RFC 3339, section 5.6: the zone's wall clock, and how far it is from UTC. */
function inZone(now: Date, timeZone: string): string {
  let named: string;
  try {
    named = now.toLocaleDateString("en", { timeZone, timeZoneName: "longOffset" });
  } catch (cause) {
    throw new ToolError("There is no such time zone", { canRetry: true, cause });
  }
  // Engines differ in what they call UTC itself: "GMT" or "GMT+00:00".
  const offset = /[+-]\d\d:\d\d/.exec(named)?.[0] ?? "+00:00";
  return new Date(now.getTime() - Date.parse(`1970-01-01T00:00${offset}`)).toISOString().replace("Z", offset);
}
