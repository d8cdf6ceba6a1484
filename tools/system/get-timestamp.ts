import * as v from "valibot";
import { defineTool, ToolError } from "#tool";

export default defineTool({
  version: "1.1.0",
  description: "Retrieves the current system timestamp, in UTC or as the clocks of a time zone show it.",
  annotations: { readOnly: true, openWorld: false },
  input: v.object({
    time_zone: v.optional(
      v.pipe(v.string(), v.description("IANA name of a time zone, such as Europe/Berlin. UTC when left out.")),
    ),
  }),
  output: v.object({
    timestamp: v.pipe(v.string(), v.isoTimestamp(), v.description("The current system timestamp.")),
  }),
  run({ time_zone }) {
    const now = new Date();
    return { timestamp: time_zone === undefined ? now.toISOString() : inZone(now, time_zone) };
  },
});

/** RFC 3339, section 5.6: the zone's wall clock, and how far it is from UTC. */
function inZone(now: Date, timeZone: string): string {
  const offset = offsetOf(now, timeZone);
  const [hours = 0, minutes = 0] = offset.slice(1).split(":").map(Number);
  const ahead = (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
  return new Date(now.getTime() + ahead).toISOString().replace("Z", offset);
}

/** `+05:30` */
function offsetOf(now: Date, timeZone: string): string {
  try {
    const parts = new Intl.DateTimeFormat("en", { timeZone, timeZoneName: "longOffset" }).formatToParts(now);
    const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    // Engines differ in what they call UTC itself: "GMT" or "GMT+00:00".
    return name.replace("GMT", "") || "+00:00";
  } catch (cause) {
    throw new ToolError(`There is no time zone "${timeZone.slice(0, 64)}"`, {
      canRetry: true,
      additionalPromptContent: "time_zone takes an IANA name, such as UTC, Europe/Berlin or America/New_York",
      cause,
    });
  }
}
