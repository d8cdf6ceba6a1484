/** Gives tools `ctx.emit`: checks an event, gives it its id, and keeps it in the outbox of the caller. */
import type { RunContext } from "../../../core/call/context.ts";
import type { run, ToolRun } from "../../../core/call/run-tool.ts";
import { sha256 } from "../../../core/crypto/digest.ts";
import { type Json, toJson } from "../../../core/lib/json.ts";
import { lazily } from "../../../core/lib/lazily.ts";
import { inOneLine, toIssues } from "../../../core/model/issues.ts";
import type { EventContext, EventEntry } from "../../../core/model/primitives.ts";
import { isIdentified, partitionOf } from "../../../core/model/principal.ts";
import { type StandardSchema, validate } from "../../../core/model/schema.ts";

type Run = typeof run;

/** The id is sent in the header `webhook-id`, so it must be visible ASCII. The maximum length is our choice. */
const ID = /^[\x21-\x7e]{1,200}$/;
/** Characters of a derived id, after its prefix: 132 bits. */
const ID_CHARACTERS = 33;

/** Wraps the function that runs tools: gives their context `ctx.emit`. */
export function withEmit(inner: Run): Run {
  return (tool, check, lease) => {
    // Made only when needed: most tools emit nothing.
    const emitter = lazily(() => emitFor(tool));
    Object.assign(tool.context, { emit: (...given: Parameters<EventContext["emit"]>) => emitter()(...given) });
    return inner(tool, check, lease);
  };
}

function emitFor(tool: ToolRun): EventContext["emit"] {
  const { runtime, caller } = tool;
  const nextId = idsFor(tool.context);
  return async (event, data, options) => {
    const declared = runtime.catalog.allEvents?.find(({ name }) => name === event.name);
    if (!declared) throw new TypeError(`ctx.emit: no file in tools/ declares the event ${event.name}`);
    // Take the id before anything is awaited: events are counted in the order in which a tool emits them.
    const id = options?.id === undefined ? nextId(event.name) : ownId(options.id);
    const kept = { name: event.name, data: await checkedData(event, data, declared.hold), id: await id };
    if (!isIdentified(caller.principal, runtime)) return;
    const { outbox } = runtime;
    if (outbox === undefined) throw new Error(`ctx.emit: the Worker has no binding OUTBOX to keep ${event.name} in`);
    await outbox.emit(partitionOf(caller.principal), kept);
  };
}

function ownId(id: string): string {
  if (ID.test(id)) return id;
  throw new TypeError(`ctx.emit: the id ${JSON.stringify(id)} is not 1 to 200 visible ASCII characters`);
}

async function checkedData(
  event: { name: string; payload: StandardSchema },
  data: unknown,
  hold: EventEntry["hold"] = async (validated) => validated,
) {
  const validated = await hold(await validate(event.payload, data));
  if (validated.issues) {
    const mistakes = inOneLine(toIssues(validated.issues));
    throw new TypeError(`ctx.emit: the data of ${event.name} do not fit its payload schema: ${mistakes}`);
  }
  return toJson(validated.value, "data") as Record<string, Json>;
}

/**
 * Makes the ids of a call's events: the same ones when a keyed call runs again. In a task, a step that was done is not
 * done again, so the events of each step are counted separately. While several steps are under way, it is not known
 * which of them emits: then the outbox makes up an id, and if that step is done again, its event arrives twice rather
 * than never.
 *
 * @returns a function that returns the id of the next event of this name; undefined if the outbox is to make one up
 */
function idsFor(context: RunContext): (name: string) => Promise<string> | undefined {
  const counts = new Map<string, number>();
  const next = (of: string): number => {
    const count = (counts.get(of) ?? 0) + 1;
    counts.set(of, count);
    return count;
  };
  return (name) => {
    const key = context.idempotencyKey;
    const [place = "", ...others] = context.stepsUnderWay;
    if (key === undefined || others.length > 0) return undefined;
    return derived(JSON.stringify([key, place, name, next(`${place} event ${name}`)]));
  };
}

async function derived(from: string): Promise<string> {
  return `evt_${(await sha256(from)).slice(0, ID_CHARACTERS)}`;
}
