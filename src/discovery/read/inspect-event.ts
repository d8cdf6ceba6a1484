/** Checks what the file of an event exports, and describes it. */
import * as v from "valibot";
import { isRecord } from "../../core/lib/json.ts";
import type { DeliveryMode, EventEntry } from "../../core/model/primitives.ts";
import { withoutMarks } from "../schema/changed.ts";
import { describeInput, describePayload } from "../schema/describe-schema.ts";
import { broken, type Rule, TEXT } from "../schema/rules.ts";
import { checksNothing } from "../schema/schema.ts";
import { promisesOf } from "../schema/unchecked-rules.ts";
import { checkCommon } from "./check-options.ts";
import type { Inspected } from "./inspected.ts";
import { type Complaint, unknownMembers } from "./problem.ts";

const MEMBERS = ["name", "description", "payload", "input", "scopes", "delivery", "matches"];
const ALL_MODES = ["webhook", "push", "poll"] as const satisfies DeliveryMode[];
/** Words joined by dots, because names are parts of keys, and models write them. */
const NAME = /^(?=.{1,128}$)[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*$/;
/** Names of the server's own events. */
const RESERVED = /^task\./i;
const RULES: Readonly<Record<string, Rule>> = {
  delivery: [
    v.pipe(v.array(v.picklist(ALL_MODES)), v.nonEmpty()),
    'its delivery is not a list of "poll", "push" and "webhook"',
    'write some of them, such as delivery: ["poll", "push"], or leave it out',
  ],
  matches: [v.function(), "its matches is not a function", "write matches: (args, data) => …, or leave it out"],
};

type Definition = Readonly<Record<string, unknown>>;

export function inspectEvent(exports: Definition): Inspected {
  const definition = exports.default;
  if (!isRecord(definition) || !("payload" in definition || "name" in definition)) {
    const fix = "write export default defineEvent({ name, description, payload })";
    return { complaints: [{ problem: "its default export is not an event definition", fix }] };
  }
  const complaints = [...checkMembers(definition)];
  const complainOf = (member: string) => (problem: string, fix: string) => complaints.push({ problem, fix, member });
  const listedInput = describeInput(definition.input, complainOf("input"), new Set());
  const listedPayload =
    definition.payload === undefined ? undefined : describePayload(definition.payload, complainOf("payload"));
  const { name, description, scopes, delivery = ALL_MODES, input } = definition;
  if (input !== undefined && checksNothing(input)) {
    const fix = "write input: v.object({ … }), or give jsonSchema a function that checks";
    complainOf("input")("its input is a JSON Schema that nothing checks", fix);
  }
  if (complaints.length > 0 || listedInput === undefined || listedPayload === undefined) return { complaints };
  const about = {
    description: String(description),
    delivery: ALL_MODES.filter((mode) => (delivery as readonly unknown[]).includes(mode)),
    input: withoutMarks(listedInput),
    payload: listedPayload,
  };
  const options = scopes === undefined ? {} : ({ scopes } as EventEntry["options"]);
  const promises = promisesOf(definition.payload, listedPayload);
  return { complaints, name: String(name), event: { about, options, ...(promises && { promises }) } };
}

function* checkMembers(definition: Definition): Generator<Complaint> {
  yield* unknownMembers("event", definition, MEMBERS);
  const { name, description, payload } = definition;
  if (typeof name !== "string" || !NAME.test(name)) {
    const problem =
      name === undefined ? "it has no name" : `its name ${JSON.stringify(name)} is not words joined by dots`;
    yield { problem, fix: 'write up to 128 characters, such as name: "notes.changed"', member: "name" };
  } else if (RESERVED.test(name)) {
    const problem = `its name ${JSON.stringify(name)} begins with "task.", as only the server's own events do`;
    yield { problem, fix: 'give it another name, such as name: "job.finished"', member: "name" };
  }
  if (!v.is(TEXT, description)) {
    const fix = 'add description: "When it occurs."';
    yield { problem: "it has no description", fix, member: "description" };
  }
  if (payload === undefined) {
    yield { problem: "it has no payload", fix: "add payload: v.object({ … }), the data that subscribers get" };
  }
  yield* broken(RULES, definition);
  yield* checkCommon(definition);
}
