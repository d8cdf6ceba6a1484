/** Completion: suggests values for a prompt argument or resource variable that a person is typing. */
import type { Caller } from "../model/call.ts";
import type { Outcome } from "../model/outcome.ts";
import type { Complete, CompletionContext, PromptEntry, ResourceEntry } from "../model/primitives.ts";
import type { Primitive, Runtime } from "../ports/runtime.ts";
import { promptPrimitive, withoutPrototype } from "./prompts.ts";
import { resourcePrimitive } from "./resources.ts";
import { servePrimitive } from "./serve-primitive.ts";
import { PLAIN_TEMPLATES } from "./uri-template.ts";

/** What a person has typed so far: in the field to complete, and in the other fields. */
export interface PartialInput {
  readonly name: string;
  readonly value: string;
  readonly others: Readonly<Record<string, string>>;
}

/** Runs a completion. The outcome's value is a list of strings. */
export type Completer = (caller: Caller) => Promise<Outcome>;

/** Completes a prompt's argument. Returns undefined if the prompt has no such argument. */
export function completeArgument(entry: PromptEntry, typed: PartialInput, runtime: Runtime): Completer | undefined {
  if (!entry.about.arguments.some(({ name }) => name === typed.name)) return undefined;
  const find = async () => (await entry.load()).default.arguments?.[typed.name]?.complete;
  return (caller) => complete(promptPrimitive(entry), find, typed, caller, runtime);
}

/** Completes a variable of a resource's URI. Returns undefined if the URI has no such variable. */
export function completeVariable(entry: ResourceEntry, typed: PartialInput, runtime: Runtime): Completer | undefined {
  const rules = (runtime.uriTemplates ?? PLAIN_TEMPLATES).rules(entry);
  const rule = rules.get(typed.name);
  if (rule === undefined) return undefined;
  // Check the values: authors use them in paths and keys, as in `read`. An empty field has not been filled in yet.
  const others = Object.entries(typed.others).filter(([name, text]) => rules.has(name) && text !== "");
  const isReadable = rule.begins(typed.value) && others.every(([name, text]) => rules.get(name)?.is(text));
  const find = async () => (isReadable ? (await entry.load()).default.complete?.[typed.name] : undefined);
  return (caller) =>
    complete(resourcePrimitive(entry), find, { ...typed, others: Object.fromEntries(others) }, caller, runtime);
}

function complete(
  { rateKey, ...primitive }: Primitive,
  find: () => Promise<Complete<never> | undefined>,
  { name, value, others }: PartialInput,
  caller: Caller,
  runtime: Runtime,
): Promise<Outcome> {
  const work = async (context: CompletionContext) =>
    texts(
      (await (await find())?.(value, withoutPrototype(others), context as never)) ?? [],
      `${primitive.id}, ${name}`,
    );
  // Counted separately: typing must not use up the rate of the calls themselves.
  const completion: Primitive = { ...primitive, rateKey: `completion of ${rateKey}`, completion: true };
  return servePrimitive({ primitive: completion, work, toValue: (values) => values }, caller, runtime);
}

/** @throws {TypeError} with a message for the author; it is logged */
function texts(values: unknown, of: string): readonly string[] {
  if (Array.isArray(values) && values.every((value) => typeof value === "string")) return values;
  throw new TypeError(`The completion of ${of} must return a list of strings`);
}
