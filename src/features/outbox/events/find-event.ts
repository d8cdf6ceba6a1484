/** Finds the events that a caller can see, and checks the arguments of a subscription. */
import type { Json } from "../../../core/lib/json.ts";
import { toIssues } from "../../../core/model/issues.ts";
import type { Issue } from "../../../core/model/outcome.ts";
import type { EventEntry } from "../../../core/model/primitives.ts";
import { lacking, type Principal } from "../../../core/model/principal.ts";
import { type StandardSchema, validateInput } from "../../../core/model/schema.ts";

type Data = Readonly<Record<string, Json>>;

/**
 * The events that a caller can see: of the toolkits that it can see, and whose scopes it has or could obtain.
 *
 * @param toolkit of the path that was requested
 */
export function visibleEvents(
  events: readonly EventEntry[] = [],
  { toolkits, reach }: Principal,
  toolkit: string | undefined,
): readonly EventEntry[] {
  return events.filter((event) => {
    if (lacking(event.options.scopes, reach).length > 0) return false;
    // An event of the server itself is about the tools of all toolkits.
    if (event.toolkit === undefined) return true;
    return (toolkits?.includes(event.toolkit) ?? true) && (toolkit ?? event.toolkit) === event.toolkit;
  });
}

/**
 * Checks the arguments of a subscription. An argument that the event does not have is a mistake: it would be ignored,
 * and a subscriber who misspelt it would get every event.
 *
 * @returns mistakes in them; none if they fit
 */
export async function issuesIn(entry: EventEntry, args: Data): Promise<readonly Issue[]> {
  const { properties = {}, additionalProperties } = entry.about.input;
  const unknown = additionalProperties
    ? []
    : Object.keys(args).filter((name) => !Object.hasOwn(properties as object, name));
  if (unknown.length > 0) return unknown.map((path) => ({ path, message: "Is not an argument of this event" }));
  const parsed = await parseArguments((await entry.load()).default.input, args);
  return "issues" in parsed ? parsed.issues : [];
}

/** Checks arguments against an event's input, and applies its defaults. */
export async function parseArguments(schema: StandardSchema | undefined, args: Data) {
  if (schema === undefined) return { value: {} };
  // Without a prototype, as tools get their input (core/call/parse-input.ts).
  const validated = await validateInput(schema, { __proto__: null, ...args });
  return validated.issues ? { issues: toIssues(validated.issues) } : { value: validated.value };
}
